import { gzipSync } from 'node:zlib'
import { expect, test } from './scripted-console.ts'

const limitBytes = 350 * 1024
/** Fonts and the chart library load after the page shows. */
const isLate = (path: string) => /\.woff2$|\/echarts-/.test(path)

for (const language of ['en', 'es'])
  test.describe(`in ${language}`, () => {
    test.use({ locale: language })

    test('loads at most 350 KB compressed before the first page, with only its own texts', async ({
      page,
      core,
    }) => {
      const loaded: { path: string; bytes: Promise<number> }[] = []
      page.on('response', (response) => {
        const path = new URL(response.url()).pathname
        if (isLate(path)) return
        loaded.push({ path, bytes: response.body().then((body) => gzipSync(body).length) })
      })
      await core.open('/overview')
      await expect(page.locator('main h1')).toBeVisible()
      await page.waitForLoadState('networkidle')
      const sizes = await Promise.all(loaded.map(({ bytes }) => bytes))
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limitBytes)

      const catalogues = loaded
        .map(({ path }) => /(?<name>[\w-]+)[.-](?<language>en|es)-[\w-]{8}\.js$/.exec(path)?.groups)
        .filter((groups) => groups !== undefined)
      expect(new Set(catalogues.map((each) => each['language']))).toEqual(new Set([language]))
      // The shell’s texts are one file; the others belong to this page.
      const names = catalogues.map((each) => each['name'])
      expect(names).toEqual(expect.arrayContaining(['start-texts', 'overview']))
      for (const other of ['settings', 'contacts', 'templates']) expect(names).not.toContain(other)
    })
  })

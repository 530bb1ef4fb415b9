import { chromium, type Browser, type Page } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromiumPath } from '../helpers/chromium.ts'
import { everyPage, pageStates } from '../helpers/every-page.ts'
import { type ScriptChanges, startScriptedCore } from '../helpers/scripted-core.ts'
import { startConsole } from '../helpers/start-console.ts'

/**
 * Takes a picture of every page in its states, dark and light, wide, narrow and zoomed, into `test-results/gallery`. With `readme`, takes
 * the pictures of the README from the built-in sandbox instead.
 */
const root = resolve(import.meta.dirname, '../..')
const schemes = ['dark', 'light'] as const
const sizes = { wide: [1440, 900], narrow: [1024, 640], zoomed: [720, 450] } as const

const states: Record<string, ScriptChanges> = { full: {}, ...pageStates }

async function shoot(page: Page, folder: string, name: string): Promise<void> {
  // Skeletons and fades have no common end to wait for.
  await page.waitForTimeout(700)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function takeGallery(browser: Browser): Promise<void> {
  for (const scheme of schemes)
    for (const [size, [width, height]] of Object.entries(sizes))
      for (const [state, script] of Object.entries(states)) {
        const folder = join(root, 'test-results/gallery', `${scheme}-${size}`, state)
        mkdirSync(folder, { recursive: true })
        const core = await startScriptedCore()
        core.change(script)
        const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme })
        for (const name of everyPage) {
          await page.goto(`${core.url}#/${name}`)
          await shoot(page, folder, name)
        }
        if (state === 'full') {
          core.setStatus({ connection: null })
          await page.goto(`${core.url}#/connect`)
          await shoot(page, folder, 'connect')
        }
        await page.close()
        await core.stop()
      }
}

async function takeReadmePictures(browser: Browser): Promise<void> {
  const folder = join(root, 'resources/pictures')
  mkdirSync(folder, { recursive: true })
  await using console = await startConsole({ args: ['--sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' })
  await page.goto(console.url)
  // Live traffic fills the charts meanwhile.
  await page.waitForTimeout(180_000)
  await shoot(page, folder, 'overview')
  await page.goto(`${console.origin}/#/events`)
  await page.locator('main [role=grid] [role=row]', { hasText: 'Failed' }).first().click()
  await page.locator('main .detail').waitFor()
  await shoot(page, folder, 'events')
  await page.goto(`${console.origin}/#/imports`)
  await page.locator('input[type=file]').first().setInputFiles(join(root, 'resources/sample-contacts.csv'))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.waitForTimeout(2_000)
  await shoot(page, folder, 'import')
}

const browser = await chromium.launch({
  executablePath: chromiumPath(),
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--force-prefers-reduced-motion'],
})
try {
  await (process.argv.includes('readme') ? takeReadmePictures(browser) : takeGallery(browser))
} finally {
  await browser.close()
}

import { everyPage } from '../helpers/every-page.ts'
import { keepMessages } from '../helpers/layout-faults.ts'
import { visitEveryPlace } from './every-place.ts'
import { ShellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

/** Texts with a time of day that have no UTC on hover. Runs in the page. Data, and times in UTC such as `2026-11-20 14:00`, stay as they are. */
function timesWithoutUtc(): string[] {
  const { received } = window as unknown as { received: string }
  const missing = new Set<string>()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue!.trim()
    const parent = node.parentElement!
    if (!/\b\d\d:\d\d\b/.test(text) || /^\d{4}-/.test(text) || received.includes(text)) continue
    if (parent.checkVisibility({ visibilityProperty: true }) && !parent.closest('pre, [title*=UTC]'))
      missing.add(text)
  }
  return [...missing]
}

test('shows UTC on hover of every time', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 40 })
  await page.addInitScript(keepMessages)
  const missing: string[] = []
  let shown = 0
  await visitEveryPlace(
    page,
    core.url,
    async (place) => {
      shown += await page.locator('[title$=UTC]').count()
      for (const time of await page.evaluate(timesWithoutUtc)) missing.push(`${place}: ${time}`)
    },
    { opens: false },
  )
  expect(missing).toEqual([])
  expect(shown).toBeGreaterThan(100)
})

test('is accessible in Spanish', async ({ page, scripted }) => {
  const core = await scripted(
    { settings: { getAppearance: () => ({ theme: 'system', density: 'compact', language: 'es' }) } },
    { contacts: 40 },
  )
  const shell = new ShellPage(page)
  for (const path of everyPage) {
    await test.step(path, async () => {
      await shell.open(core.url, `/${path}`)
      await expect(page.locator('html')).toHaveAttribute('lang', 'es')
      await expect(shell.heading).toBeVisible()
      await expectAccessible(page)
    })
  }
})

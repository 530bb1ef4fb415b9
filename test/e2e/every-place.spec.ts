import type { Page } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyPage, pageStates } from '../helpers/every-page.ts'
import { findFaults, keepMessages } from '../helpers/layout-faults.ts'
import { marks, pseudoRenderer } from '../helpers/pseudo-locale.ts'
import { settled, visitEveryPlace } from './every-place.ts'
import {
  type AccessibilityScope,
  accessibilityFaults,
  expect,
  rendererDir,
  test as scripted,
} from './scripted-console.ts'

/** Shows every text accented, marked and 40 % longer. */
const test = scripted.extend<object, { renderer: string }>({
  renderer: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'))
      await pseudoRenderer(rendererDir, folder, keepMessages)
      await use(folder)
      rmSync(folder, { recursive: true })
    },
    { scope: 'worker' },
  ],
})
test.describe.configure({ mode: 'parallel' })
// The narrowest window.
test.use({ viewport: { width: 1024, height: 640 } })

/** Collects the faults of places, each with the first place that has it. */
function faultsOf(page: Page) {
  const faults = new Map<string, string>()
  async function look(place: string, scope?: AccessibilityScope): Promise<void> {
    const found = [...(await page.evaluate(findFaults, marks)), ...(await accessibilityFaults(page, scope))]
    // Longer words make a button’s name differ from its text.
    const byLocale = /^label-content-name-mismatch/
    for (const fault of found) if (!faults.has(fault) && !byLocale.test(fault)) faults.set(fault, place)
  }
  const list = () => [...faults].map(([fault, place]) => `${place}: ${fault}`)
  return { look, list }
}

for (const path of everyPage)
  test(`${path}: every place is accessible, translated, fits longer texts and names UTC`, async ({
    page,
    core,
  }) => {
    const { look, list } = faultsOf(page)
    await visitEveryPlace(page, { url: core.url, path }, look)
    expect(list()).toEqual([])
  })

for (const [state, script] of Object.entries(pageStates))
  test(`${state}: every page is accessible, translated and fits longer texts`, async ({ page, core }) => {
    core.change(script)
    const { look, list } = faultsOf(page)
    for (const path of everyPage) {
      await core.open(`/${path}`)
      if (state === 'loading') await expect(page.locator('main h1')).toBeVisible()
      else await settled(page)
      // The colours, and what is around the page, are those of the places above.
      await look(path, { within: 'main', colours: 'none' })
    }
    expect(list()).toEqual([])
  })

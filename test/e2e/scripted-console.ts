import { type Page, expect } from '@playwright/test'
import axe from 'axe-core'
import { resolve } from 'node:path'
import { type ScriptedCore, startScriptedCore } from '../helpers/scripted-core.ts'
import { test as base } from './kept-page.ts'

/** The built renderer, or the one in `SWITCHBOARD_RENDERER_DIR`. */
export const rendererDir =
  process.env['SWITCHBOARD_RENDERER_DIR'] ?? resolve(import.meta.dirname, '../../out/renderer')

/** A scripted core, and a way to open a page of it. */
export type OpenCore = ScriptedCore & { open(path: string): Promise<void> }

/** A browser page on a scripted core. Errors and warnings of the page fail the test. */
export const test = base.extend<
  { core: OpenCore; troubles: string[] },
  { renderer: string; lastPort: { value: number } }
>({
  renderer: [rendererDir, { scope: 'worker', option: true }],
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  lastPort: [async ({}, use) => use({ value: 0 }), { scope: 'worker' }],
  core: async ({ page, renderer, lastPort }, use) => {
    const start = (port: number) => startScriptedCore({ rendererDir: renderer, port })
    // The browser finds its compiled code at the address of the test before.
    const core = await start(lastPort.value).catch(() => start(0))
    lastPort.value = Number(new URL(core.url).port)
    await use({ ...core, open: async (path) => void (await page.goto(`${core.url}#${path}`)) })
    await core.stop()
  },
  troubles: [
    async ({ page }, use) => {
      const troubles: string[] = []
      page.on('pageerror', (error) => troubles.push(error.message))
      page.on('dialog', (dialog) => {
        troubles.push(`a dialog opened: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        const isLostSocket = message.text().includes('WebSocket connection')
        if (['error', 'warning'].includes(message.type()) && !isLostSocket) troubles.push(message.text())
      })
      await use(troubles)
      expect(troubles).toEqual([])
    },
    { auto: true },
  ],
})

/** Inputs of every call of a procedure, oldest first. */
export const inputsOf = (core: Pick<ScriptedCore, 'calls'>, name: string): unknown[] =>
  core.calls.filter((call) => call.name === name).map(({ input }) => input)

/** Input of the last call of a procedure. */
export const inputOf = (core: Pick<ScriptedCore, 'calls'>, name: string): unknown =>
  inputsOf(core, name).at(-1)

/** Tells the page that its window is hidden or shown again. */
export const setVisibility = (page: Page, state: DocumentVisibilityState): Promise<void> =>
  page.evaluate((visibility) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }, state)

const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** Findings of axe in the part of the page that `within` selects: of all rules, or of those about colours or about anything else. */
async function findingsOf(
  page: Page,
  within: string,
  about: 'all' | 'colours' | 'others',
): Promise<string[]> {
  // Once per document: injecting half a megabyte takes longer than running the rules.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(
    async ({ include, colours, about }) => {
      // Naive UI puts the options of a field beside the landmarks, and the field's keys scroll them. Later rows of a list repeat its first ones.
      const exclude = ['.v-binder-follower-container', '[role=rowgroup] > [role=row]:nth-child(n+11)']
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(
        { include, exclude },
        {
          resultTypes: ['violations'],
          // Takes a quarter of the time: skips style sheets, media and frames for rules that are off, and selectors for every element.
          preload: false,
          iframes: false,
          selectors: false,
          // Off by default, but part of WCAG 2.2 AA.
          rules: {
            'target-size': { enabled: true },
            ...(about === 'others' && Object.fromEntries(colours.map((rule) => [rule, { enabled: false }]))),
          },
          ...(about === 'colours' && { runOnly: colours }),
        },
      )
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
    },
    { include: within, colours: rulesOfColours, about },
  )
}

/** Waits until no finite animation runs: a half-faded element has no contrast. Endless animations don’t count. */
async function atRest(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== 'running' || effect?.getComputedTiming().iterations === Infinity,
      ),
  )
}

/** Where axe looks, and in which schemes at colours. */
export interface AccessibilityScope {
  within?: string
  colours?: 'both' | 'shown' | 'none'
}

/** Findings of axe, on the whole page and with the colours of both schemes unless told otherwise. */
export async function accessibilityFaults(
  page: Page,
  { within = 'html', colours = 'both' }: AccessibilityScope = {},
): Promise<string[]> {
  const html = page.locator('html')
  // The shell is on show before its page's code has loaded.
  await expect(page.locator('h1').first()).toBeAttached()
  await atRest(page)
  const faults = await findingsOf(page, within, colours === 'none' ? 'others' : 'all')
  if (colours !== 'both') return faults
  const colorScheme = (await html.getAttribute('data-scheme')) === 'dark' ? 'light' : 'dark'
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await expect(html).toHaveAttribute('data-scheme', colorScheme)
  await atRest(page)
  const others = await findingsOf(page, within, 'colours')
  return [...faults, ...others.map((finding) => `${finding} (${colorScheme} scheme)`)]
}

/** Fails on any finding of axe in the page or a layer, for states that `every-place.spec.ts` doesn't reach. That walk covers what is around the page, and both colour schemes. */
export async function expectAccessible(
  page: Page,
  within = 'main, [role=dialog], :popover-open, h1',
): Promise<void> {
  expect(await accessibilityFaults(page, { within, colours: 'shown' })).toEqual([])
}

export { expect }

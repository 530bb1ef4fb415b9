import { expect, type Locator, type Page, test as base } from '@playwright/test'
import { type ConsoleOptions, type RunningConsole, startConsole } from '../helpers/start-console.ts'

/** Gives the page's browser the session of the test's own calls. */
export async function signIn(page: Page, { cookie, origin }: RunningConsole): Promise<void> {
  const [name, value] = cookie.split(/=(.*)/s)
  await page.context().addCookies([{ name: name!, value: value!, url: origin }])
}

/**
 * Call it once in a file. Playwright’s `test` with one real console for the tests of the file, in a real browser. `fill` stores what they
 * need.
 */
export function realConsole(
  options: ConsoleOptions = {},
  fill: (console: RunningConsole) => Promise<unknown> = () => Promise.resolve(),
) {
  let running: Promise<RunningConsole> | null = null
  async function start(): Promise<RunningConsole> {
    const console = await startConsole(options)
    await fill(console)
    return console
  }
  const test = base.extend<{ console: RunningConsole; open: (path: string) => Promise<void> }>({
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
    console: async ({}, use) => use(await (running ??= start())),
    /** Opens a page, signed in. */
    open: async ({ page, console }, use) => {
      await signIn(page, console)
      await use(async (path) => void (await page.goto(`${console.origin}/#${path}`)))
    },
  })
  test.afterAll(async () => (await running)?.stop())
  return test
}

/** Presses Tab until `target` has the focus, then `key`. */
export async function tabTo(page: Page, target: Locator, key?: string): Promise<void> {
  await expect(target).toBeEnabled()
  for (
    let presses = 0;
    !(await target.evaluate((element) => element === document.activeElement));
    presses++
  ) {
    expect(presses, `Tab reaches ${String(target)}`).toBeLessThan(90)
    await page.keyboard.press('Tab')
  }
  if (key !== undefined) await page.keyboard.press(key)
}

/** The focus is on something in `part`, not lost to the page. */
export const expectFocusIn = (part: Locator) =>
  expect.poll(() => part.evaluate((element) => element.contains(document.activeElement))).toBe(true)

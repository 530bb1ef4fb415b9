import { test as base } from '@playwright/test'
import { type ConsoleOptions, type RunningConsole, startConsole } from '../helpers/start-console.ts'

/** Playwright’s `test` with a real console per test in a real browser. */
export const realConsole = (options: ConsoleOptions = {}) =>
  base.extend<{ console: RunningConsole; open: (path: string) => Promise<void> }>({
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
    console: async ({}, use) => {
      await using running = await startConsole(options)
      await use(running)
    },
    /** Opens a page, signed in. */
    open: async ({ page, console }, use) => {
      const [name, value] = console.cookie.split(/=(.*)/s)
      await page.context().addCookies([{ name: name!, value: value!, url: console.origin }])
      await use(async (path) => void (await page.goto(`${console.origin}/#${path}`)))
    },
  })

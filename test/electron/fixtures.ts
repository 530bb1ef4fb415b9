import { test as base } from '@playwright/test'
import { type Desktop, type DesktopOptions, startDesktop, whyNotElectron } from './desktop.ts'

/** What a project of the Playwright configuration sets. */
export interface DesktopProject {
  desktopKind: Desktop['kind']
}

interface Fixtures {
  /** The console, started for one test and closed after it. */
  desktop: Desktop
  /** Starts a further console, or one with options; closed after the test unless it ended by itself. */
  startDesktop: (options?: DesktopOptions) => Promise<Desktop>
}

export { expect } from '@playwright/test'

/** Playwright's `test` with the console as its page. In Electron where the project says so, else in the double. */
export const test = base.extend<Fixtures, DesktopProject>({
  desktopKind: ['double', { option: true, scope: 'worker' }],
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from the pattern
  startDesktop: async ({ desktopKind }, use) => {
    const reason = desktopKind === 'real' ? whyNotElectron() : null
    test.skip(reason !== null, `Not run in Electron: ${reason ?? ''}`)
    const started: Desktop[] = []
    await use(async (options) => {
      const desktop = await startDesktop(desktopKind, options)
      started.push(desktop)
      return desktop
    })
    for (const each of started.reverse()) await each.close()
  },
  desktop: async ({ startDesktop: start }, use) => {
    await use(await start())
  },
})

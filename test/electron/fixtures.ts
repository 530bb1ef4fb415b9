import { expect, type Page, test as base } from '@playwright/test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Desktop, type DesktopOptions, startDesktop, whyNotElectron } from './desktop.ts'

/** What a project of the Playwright configuration sets. */
export interface DesktopProject {
  desktopKind: Desktop['kind']
}

interface WorkerFixtures extends DesktopProject {
  sharedDesktop: () => Promise<Desktop>
}

interface Fixtures {
  /** Skips the test, with the reason, where its project can’t run. */
  available: true
  /** A data folder per test, for consoles started one after the other. */
  dataDir: string
  /** One console for all tests of a worker that leave it unchanged. */
  desktop: Desktop
  /** Starts a console for this test, closed after it. */
  startDesktop: (options?: DesktopOptions) => Promise<Desktop>
}

export { expect }

/** Opens the sandbox as an operator does, and waits until the connect page closes. */
export async function openSandbox(page: Page): Promise<void> {
  await page.getByRole('button', { name: /open sandbox/i }).click()
  // It signs in, asks the keychain and starts a listener, which takes a while on a busy machine.
  await expect.poll(() => page.evaluate(() => location.hash)).not.toContain('connect')
}

/** Playwright’s `test` with the console: in Electron if the project says so, else in the double. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  desktopKind: ['double', { option: true, scope: 'worker' }],
  available: [
    async ({ desktopKind }, use) => {
      const reason = desktopKind === 'real' ? whyNotElectron() : null
      test.skip(reason !== null, reason ?? '')
      await use(true)
    },
    { auto: true },
  ],
  sharedDesktop: [
    async ({ desktopKind }, use) => {
      let started: Promise<Desktop> | null = null
      await use(() => (started ??= startDesktop(desktopKind)))
      const desktop = await (started as Promise<Desktop> | null)
      await desktop?.close()
    },
    { scope: 'worker' },
  ],
  // `available` comes first, so that a skipped test starts nothing.
  desktop: async ({ available, sharedDesktop }, use) => {
    if (available) await use(await sharedDesktop())
  },
  dataDir: async ({ available }, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-desktop-'))
    if (available) await use(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  },
  startDesktop: async ({ desktopKind }, use, testInfo) => {
    const started: Desktop[] = []
    await use(async (options) => {
      const desktop = await startDesktop(desktopKind, options)
      started.push(desktop)
      return desktop
    })
    for (const each of started.reverse()) {
      const log = join(each.dataDir, 'logs/main.log')
      if (testInfo.errors.length > 0 && existsSync(log)) await testInfo.attach('main.log', { path: log })
      await each.close()
    }
  },
})

import { chromium } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Debian's package of the headless shell, Chromium's engine without the browser's windows: a test costs half as much as in the whole
 * browser.
 */
const debianPackage = 'chromium-headless-shell'
/** Places where a system Chromium or Chrome is found. */
const systemPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

function present(): string | undefined {
  const own = [process.env['SWITCHBOARD_CHROMIUM'], chromium.executablePath(), ...systemPaths]
  return own.find((path) => path !== undefined && path !== '' && existsSync(path))
}

function attempt(command: string, args: string[]): void {
  try {
    execFileSync(command, args, { stdio: 'inherit', timeout: 240_000 })
  } catch {
    // Try the next way; the last one fails with a clear message.
  }
}

/**
 * A Chromium for the browser tests: `SWITCHBOARD_CHROMIUM`, Playwright's own, the system's, else one is installed (Playwright's download,
 * or Debian's package as root). Throws a message when all fail.
 */
export function chromiumPath(): string {
  const found = present()
  if (found) return found
  attempt('npx', ['playwright', 'install', 'chromium'])
  const downloaded = present()
  if (downloaded) return downloaded
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    attempt('apt-get', ['update', '-qq'])
    attempt('apt-get', ['install', '-y', '-qq', '--no-install-recommends', debianPackage])
    const installed = present()
    if (installed) return installed
  }
  throw new Error(
    `No Chromium was found for the browser tests. Install one (Debian’s package ${debianPackage}, or a whole Chromium) or set SWITCHBOARD_CHROMIUM to its path.`,
  )
}

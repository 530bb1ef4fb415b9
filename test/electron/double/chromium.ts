import { type BrowserContext, chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

let profile = ''
let started: Promise<BrowserContext> | null = null

/** Starts the Chromium used instead of Electron's own, without network, with a profile below `userData`. `featuresOff` are Blink’s names. */
export function startChromium(userData: string, featuresOff = ''): Promise<BrowserContext> {
  profile = join(userData, 'double')
  return (started = chromium.launchPersistentContext(profile, {
    executablePath: process.env['SWITCHBOARD_CHROMIUM']!,
    viewport: null,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      '--remote-debugging-port=0',
      '--window-size=1440,900',
      '--force-prefers-reduced-motion',
      `--disable-blink-features=${featuresOff}`,
      // Names that escape the interception resolve to nothing.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  }))
}

/** Where a test can drive the page; null before Chromium runs. */
export async function devToolsUrl(): Promise<string | null> {
  if ((await started) === null) return null
  const [port, path] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')
  return `ws://127.0.0.1:${port}${path}`
}

/** Never rejects. */
export async function closeChromium(): Promise<void> {
  await started?.then((context) => context.close()).catch(() => {})
}

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type CdpConnection, connectCdp } from './cdp.ts'

/** The Chromium used instead of Electron's own. */
export interface Browser {
  connection: CdpConnection
  /** DevTools address, for the test that drives the pages. */
  url: string
  /** Ends the browser and all its processes. Never rejects. */
  close(): Promise<void>
}

const startDeadlineMs = 20_000
const closeDeadlineMs = 3_000

/** Starts a Chromium without network access, with a profile below `userData`. `blinkFeaturesOff` are Blink’s names. */
export async function startBrowser(userData: string, blinkFeaturesOff: string | undefined): Promise<Browser> {
  const executable = process.env['SWITCHBOARD_CHROMIUM']
  if (!executable) throw new Error('The Electron double needs SWITCHBOARD_CHROMIUM, the path of a Chromium')
  const child = spawn(
    executable,
    [
      '--headless=new',
      '--remote-debugging-port=0',
      // The other end closes with this process, and Chromium exits with it.
      '--remote-debugging-pipe',
      `--user-data-dir=${join(userData, 'double')}`,
      '--no-startup-window',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-default-apps',
      '--disable-extensions',
      '--disable-gpu',
      '--force-prefers-reduced-motion',
      '--disable-dev-shm-usage',
      '--password-store=basic',
      '--use-mock-keychain',
      // Names that escape the interception resolve to nothing.
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ...(blinkFeaturesOff ? [`--disable-blink-features=${blinkFeaturesOff}`] : []),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    // Its own process group, so that none of its processes is left behind.
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true },
  )
  const url = await devToolsAddress(child)
  const connection = await connectCdp(url)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    connection,
    url,
    async close() {
      connection.root.send('Browser.close').catch(() => {})
      const timer = setTimeout(() => kill(child), closeDeadlineMs)
      await gone
      clearTimeout(timer)
      kill(child)
    },
  }
}

function devToolsAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => fail(`did not answer within ${startDeadlineMs} ms`), startDeadlineMs)
    const fail = (what: string) => {
      clearTimeout(timer)
      kill(child)
      reject(new Error(`The Chromium of the Electron double ${what}\n${said}`))
    }
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(`ended (${code})`))
    child.stderr!.on('data', (data: Buffer) => {
      if (said.length < 10_000) said += data.toString()
      const url = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group is gone.
  }
}

import { type Browser, chromium } from '@playwright/test'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#electron/database/open.ts'
import { chromiumPath } from '../helpers/chromium.ts'
import { type HostProcess, spawnHost } from '../helpers/host-process.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult, Target } from './bench-result.ts'
import { fillEvents, reports } from './events/stored-events.ts'
import { median, percentile } from './figures.ts'
import { makePeople } from './people/make-people.ts'
import { filesIn, log, prepareConnection } from './people/prepare.ts'
import { type ImportRun, measure } from './people/runs.ts'

/** From the start of the built console’s process to a page that an operator can use, in a browser that already runs. */
const contacts = Number(process.env['START_CONTACTS'] ?? 1_000_000)
const events = Number(process.env['START_EVENTS'] ?? 5_000_000)
const rounds = Number(process.env['START_ROUNDS'] ?? 7)

const built = join(import.meta.dirname, '../../out')
const host = join(built, 'main/node-host.js')

interface Started {
  /** Until the process says that its page is ready, milliseconds. */
  hostMs: number
  /** Until the page shows `text`. */
  pageMs: number
}

/** Starts a program that prints its page’s address, and opens that page. */
async function startOnce(
  browser: Browser,
  program: Parameters<typeof spawnHost>[0],
  text: string,
  end: NodeJS.Signals = 'SIGTERM',
): Promise<Started> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const startedMs = performance.now()
  const running: HostProcess = spawnHost(program)
  try {
    const [, url] = await running.line(/ready: (http\S+)$/)
    const hostMs = performance.now() - startedMs
    await page.goto(url!, { waitUntil: 'commit' })
    // Playwright's own wait for a text looks every 500 ms, this one at every frame.
    await page.waitForFunction((shown) => document.body?.innerText.includes(shown), text)
    return { hostMs, pageMs: performance.now() - startedMs }
  } finally {
    await running.kill(end)
    await page.close()
  }
}

/** A data folder with one connection that holds a million contacts and five million events. */
async function fill(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'prepared')
  mkdirSync(folder)
  const table = join(dataDir, 'people.csv')
  // One number in seven is invalid or repeats.
  makePeople(table, Math.round(contacts * 1.22), 7)
  prepareConnection(folder, [])
  await measure<ImportRun>('import-ours.ts', [folder, table])
  rmSync(table)
  const { db, close } = openDatabase({
    file: filesIn(folder).stateFile,
    schema: 'state',
    log,
    now: Date.now,
  })
  db.pragma('synchronous = OFF')
  fillEvents(db, reports(events))
  close()
  const first = await startConsole({ dataDir })
  const { connection } = await first.rpc.connections.connect({
    name: 'Bench',
    baseUrl: 'http://127.0.0.1:9/v1',
    colour: 'blue',
    production: false,
    evenOffline: true,
    credential: { kind: 'api-key', apiKey: 'none' },
  })
  await first.stop()
  cpSync(folder, join(dataDir, 'connections', connection.id), { recursive: true })
  rmSync(folder, { recursive: true })
}

export async function run(): Promise<BenchResult> {
  process.env['SWITCHBOARD_TEST_HOST'] ??= host
  const root = mkdtempSync(join(tmpdir(), 'switchboard-start-'))
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  const env = {
    SWITCHBOARD_LISTENER_PORT: '0',
    SWITCHBOARD_RENDERER_DIR: join(built, 'renderer'),
  }
  const consoleIn = (dataDir: string, ...args: string[]) => ({
    file: host,
    args: ['--port', '0', '--data-dir', dataDir, '--no-open', ...args],
    env,
  })
  const fresh = () => mkdtempSync(join(root, 'data-'))
  try {
    const full = fresh()
    await fill(full)
    const kinds: [name: string, start: () => Promise<Started>][] = [
      ['bare', () => startOnce(browser, { file: join(import.meta.dirname, 'start/bare-page.ts') }, 'Ready')],
      ['nothing saved', () => startOnce(browser, consoleIn(fresh()), 'Open sandbox')],
      ['sandbox', () => startOnce(browser, consoleIn(fresh(), '--sandbox'), 'Listening')],
      ['full', () => startOnce(browser, consoleIn(full), 'Listening')],
      ['full, killed', () => startOnce(browser, consoleIn(full), 'Listening', 'SIGKILL')],
      ['full, after a kill', () => startOnce(browser, consoleIn(full), 'Listening')],
    ]
    const took = new Map(kinds.map(([name]) => [name, [] as Started[]]))
    // Interleaved: the machine’s speed changes. The first round fills the caches.
    for (let round = 0; round <= rounds; round++)
      for (const [name, start] of kinds) {
        const started = await start()
        if (round > 0) took.get(name)!.push(started)
      }
    const pageMs = (name: string) => median(took.get(name)!.map((one) => one.pageMs))
    const budget = (name: string, ms: number, ratio: number): Target => ({
      name: `${name}, ms`,
      value: pageMs(name),
      bound: { below: ms },
      or: { name: 'relative to bare', value: pageMs(name) / pageMs('bare'), bound: { below: ratio } },
    })
    return {
      name: `Start to a useful page; full: ${contacts.toLocaleString('en')} contacts, ${events.toLocaleString('en')} events`,
      lines: [...took]
        .filter(([name]) => name !== 'full, killed')
        .map(([name, all]) => {
          const pages = all.map((one) => one.pageMs)
          return `${name}: process ready ${median(all.map((one) => one.hostMs)).toFixed(0)} ms, page ${median(pages).toFixed(0)} ms (longest ${percentile(pages, 1).toFixed(0)}), ${(median(pages) / pageMs('bare')).toFixed(1)} × bare`
        }),
      targets: [budget('nothing saved', 1_000, 7), budget('full', 1_500, 10)],
    }
  } finally {
    await browser.close()
    rmSync(root, { recursive: true, force: true })
  }
}

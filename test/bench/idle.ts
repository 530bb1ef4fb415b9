import { type Browser, chromium, type Page } from '@playwright/test'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { chromiumPath } from '../helpers/chromium.ts'
import { descendantsOf } from '../helpers/host-process.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult, Target } from './bench-result.ts'
import { type Cost, costOf } from './idle/process-cost.ts'
import { secret } from './listener/messages.ts'
import { openLoad } from './listener/open-load.ts'

/** What the built console costs while an operator looks at Live events, and while nobody does. */
const seconds = Number(process.env['IDLE_SECONDS'] ?? 600)
/** Time for what follows a start: checks of the databases, and the return of memory with its later, smaller collections. */
const settleMs = 60_000

process.env['SWITCHBOARD_TEST_HOST'] ??= join(import.meta.dirname, '../../out/main/node-host.js')

/** Node with an HTTP server and a database: the least that any console can cost. */
async function startBare() {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-idle-'))
  const child = fork(join(import.meta.dirname, 'idle/bare-process.ts'), [join(folder, 'bare.db')])
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    pid: child.pid!,
    stop() {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isRenderer = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=renderer')

/** Puts the page behind another one, as a minimised window. */
async function hide(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

/** Deliveries at a steady rate until stopped. */
function deliver(port: number, perSecond: number): Promise<unknown> {
  return openLoad({ port, connections: 4, perSecond, count: perSecond * (seconds + 5) })
}

async function openLiveEvents(browser: Browser, url: string, origin: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goto(`${origin}/#/events`)
  await page.getByRole('heading', { name: 'Live events' }).waitFor()
  return page
}

/** At most this much, or on a slow machine this many times what bare Node takes. */
const budget = (name: string, value: number, most: number, bare: number, times: number): Target => ({
  name,
  value,
  bound: { below: most },
  or: { name: 'relative to bare Node', value: value / bare, bound: { below: times } },
})

export async function run(): Promise<BenchResult> {
  const lines: string[] = []
  const note = (name: string, { cpuPercent, wakeUpsPerSecond, rssMiB }: Cost) => {
    lines.push(
      `${name}: ${cpuPercent.toFixed(2)} % of a core, ${wakeUpsPerSecond.toFixed(0)} wake-ups/s, ${rssMiB.toFixed(0)} MiB`,
    )
  }
  const bare = await startBare()
  const console0 = await startConsole()
  await setTimeout(settleMs)
  const [bareQuiet, unconnected] = await Promise.all([
    costOf([bare.pid], seconds),
    costOf([console0.host.pid], seconds),
  ])
  note('bare Node with a database', bareQuiet)
  note('console, no connection', unconnected)
  await console0.stop()

  const bareLoad = deliver(bare.port, 20)
  await setTimeout(2_000)
  const bareAt20 = await costOf([bare.pid], seconds)
  note('bare Node that commits 20 requests/s', bareAt20)
  await bareLoad
  bare.stop()

  const demo = await startConsole({ args: ['--sandbox'] })
  await setTimeout(settleMs)
  const withSandbox = await costOf([demo.host.pid], seconds)
  note('console with its own sandbox, 20 events/s', withSandbox)
  await demo.stop()

  const running = await startConsole({
    sandbox: { ratePerSecond: 0 },
    env: { SWITCHBOARD_WEBHOOK_SECRET: secret },
  })
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    const port = Number(new URL(running.listenerUrl!).port)
    const page = await openLiveEvents(browser, running.url, running.origin)
    const window = descendantsOf(process.pid).filter(isRenderer)
    const both = async (name: string) => {
      const [core, page] = await Promise.all([costOf([running.host.pid], seconds), costOf(window, seconds)])
      note(`${name}, core`, core)
      note(`${name}, window`, page)
      return core
    }
    await setTimeout(settleMs)
    await both('signed in, quiet')
    const busy = async (perSecond: number, name: string) => {
      const load = deliver(port, perSecond)
      await setTimeout(2_000)
      const cost = await both(name)
      await load
      return cost
    }
    const at20 = await busy(20, '20 events/s')
    await busy(500, '500 events/s')
    await hide(page)
    await busy(20, '20 events/s, window hidden')
    return {
      name: `Cost of a console all day, ${seconds} s each`,
      lines,
      targets: [
        { name: 'no connection, % of a core', value: unconnected.cpuPercent, bound: { below: 0.2 } },
        budget('20 events/s, % of a core', at20.cpuPercent, 5, bareAt20.cpuPercent, 4),
        budget('with its own sandbox, MiB', withSandbox.rssMiB, 250, bareQuiet.rssMiB, 3),
      ],
    }
  } finally {
    await browser.close()
    await running.stop()
  }
}

import { chromium } from '@playwright/test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#electron/lib/clock.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { openJournalStore } from '#electron/relay/journal-store.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { chromiumPath } from '../helpers/chromium.ts'
import { startNatsCluster, whyNoNats } from '../helpers/nats-cluster.ts'
import { quietLog } from '../helpers/quiet-log.ts'
import { startConsole } from '../helpers/start-console.ts'
import type { BenchResult } from './bench-result.ts'
import { median, percentile } from './figures.ts'
import {
  burstHead,
  burstRow,
  connections,
  createLoad,
  measureRounds,
  spread,
  type WarmUp,
} from './listener/bursts.ts'
import { openLoad } from './listener/open-load.ts'
import { ask, type Child, start } from './listener/processes.ts'
import {
  connectForLoad,
  listAges,
  lookEveryMs,
  observe,
  openLiveEvents,
  takeSeen,
} from './live-events-page.ts'
import { deliveries } from './relay/deliveries.ts'

/**
 * A relay beside the console’s own listener, a relay with NATS beside a bare publisher, what a console that was away reads, and how soon
 * a delivery is on the page. `RELAY_ROUNDS`, `RELAY_STORED` and `RELAY_SECONDS` make it smaller.
 */
const rounds = Number(process.env['RELAY_ROUNDS'] ?? 6)
const stored = Number(process.env['RELAY_STORED'] ?? 200_000)
const catchUpRounds = 3
const paintedPerSecond = 500
const paintedSeconds = Number(process.env['RELAY_SECONDS'] ?? 60)
const wanted = { atLeast: rounds, quietWanted: rounds, budgetMs: rounds * 8_000 }
const warmUp: WarmUp = { warmUpAnswers: rounds * 10_000, warmUpAtMostMs: rounds * 1_300 }

type Starter = (file: string, core: number, args?: string[]) => Promise<Child & { port: number }>

/** An empty folder for a relay, and a token for its inbox. */
async function prepare(folder: string, name: string) {
  const dataDir = join(folder, name)
  mkdirSync(dataDir, { mode: 0o700 })
  return { dataDir, token: await addToken(openFolder(dataDir), 'ana', 'main', Date.now()) }
}

async function acknowledging(folder: string, start: Starter): Promise<Omit<BenchResult, 'name'>> {
  const generator = await start('load-generator.ts', 1)
  const listener = await start('listener-host.ts', 0, [join(folder, 'listener', 'events.db')])
  const relay = await start('../relay/relay-host.ts', 0, [(await prepare(folder, 'relay')).dataDir])
  const loads = {
    listener: createLoad('listener', listener, generator, warmUp),
    relay: createLoad('relay', relay, generator, warmUp),
  }
  for (const one of Object.values(loads)) await one.warmUp()
  const measured = await measureRounds(loads, wanted)
  const events = (await loads.listener.finish()) + (await loads.relay.finish())
  const ratios = measured.ratios('relay', 'listener')
  return {
    lines: [
      burstHead,
      burstRow('the console’s listener', 'listener', measured),
      burstRow('relay, embedded store', 'relay', measured),
      `rate, relay / listener: ${spread(ratios)}`,
      measured.basis,
      `${events} events acknowledged, all of them stored; every answer was 200`,
    ],
    targets: [
      { name: 'relay relative to the console’s listener', value: median(ratios), bound: { atLeast: 0.9 } },
    ],
  }
}

async function withNats(folder: string, start: Starter): Promise<Omit<BenchResult, 'name'>> {
  const whyNot = whyNoNats()
  if (whyNot !== null) return { lines: [`with NATS: not measured, ${whyNot}`], targets: [] }
  const cluster = await startNatsCluster(3)
  try {
    const generator = await start('load-generator.ts', 1)
    const own = join(folder, 'with-nats')
    mkdirSync(own)
    const relay = await start('../relay/relay-host.ts', 0, [own, cluster.url])
    const publisher = await start('../relay/bare-publisher.ts', 0, [cluster.url])
    const loads = {
      relay: createLoad('relay with NATS', relay, generator, warmUp, cluster.pids),
      bare: createLoad('bare publisher', publisher, publisher, warmUp, cluster.pids),
    }
    for (const one of Object.values(loads)) await one.warmUp()
    const measured = await measureRounds(loads, wanted)
    const events = (await loads.relay.finish()) + (await loads.bare.finish())
    const ratios = measured.ratios('relay', 'bare')
    return {
      lines: [
        burstRow('relay, three NATS nodes', 'relay', measured),
        burstRow('bare publisher, three NATS nodes', 'bare', measured),
        `rate, relay / bare publisher: ${spread(ratios)}`,
        `p99, relay / bare publisher: ${spread(measured.ratios('relay', 'bare', (one) => one.p99Ms))}`,
        `${measured.basis}; ${events} events acknowledged, all of them stored; the nodes share both cores`,
      ],
      targets: [
        {
          name: 'relay with NATS relative to a bare publisher',
          value: median(ratios),
          bound: { atLeast: 0.3 },
        },
      ],
    }
  } finally {
    await cluster.stop()
  }
}

/** Stores what arrived while the console was away. */
async function fill(dataDir: string): Promise<void> {
  const inbox = join(dataDir, 'inboxes', 'main')
  mkdirSync(inbox, { recursive: true, mode: 0o700 })
  const store = openJournalStore({ folder: inbox, clock: systemClock, log: quietLog })
  for (let from = 1; from <= stored; from += 1_000)
    await store.append(deliveries(from, Math.min(1_000, stored - from + 1)))
  await store.close()
}

async function catchingUp(folder: string, start: Starter): Promise<Omit<BenchResult, 'name'>> {
  const { dataDir, token } = await prepare(folder, 'away')
  await fill(dataDir)
  const relay = await start('../relay/relay-host.ts', 0, [dataDir])
  const rates: number[] = []
  for (let round = 0; round < catchUpRounds; round++) {
    const journal = join(folder, `reader-${round}`, 'journal.db')
    const args = [String(relay.port), String(stored), token, journal]
    const reader = await start('../relay/feed-reader.ts', 1, args)
    const from = performance.now()
    await ask(reader, 'settle', 'settled')
    rates.push((stored * 1_000) / (performance.now() - from))
    reader.process.kill()
    await reader.exited
  }
  return {
    lines: [
      `catching up with ${stored}, into the journal: ${rates.map((rate) => rate.toFixed(0)).join(', ')}/s`,
    ],
    targets: [{ name: 'catching up, per second', value: median(rates), bound: { atLeast: 20_000 } }],
  }
}

/** Live events in a browser, whose console reads the relay. */
async function painting(folder: string, start: Starter): Promise<Omit<BenchResult, 'name'>> {
  const { dataDir, token } = await prepare(folder, 'painted')
  const relay = await start('../relay/relay-host.ts', 0, [dataDir])
  await using running = await startConsole()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    await connectForLoad(running)
    const url = `http://127.0.0.1:${relay.port}`
    await running.rpc.listener.setRelay({ mode: 'relay', url, inbox: 'main', token })
    const page = await openLiveEvents(browser, running)
    const send = (count: number) =>
      openLoad({ port: relay.port, connections: 16, count, perSecond: paintedPerSecond })
    await send(5 * paintedPerSecond)
    await page.locator('[role=grid] [role=row] time').first().waitFor()
    await page.evaluate(observe, lookEveryMs)
    const sinceMs = Date.now()
    const load = await send(paintedSeconds * paintedPerSecond)
    const ages = listAges((await takeSeen(page)).list, sinceMs)
    const p99Ms = percentile(ages, 0.99)
    return {
      lines: [
        `from delivery to painted row, ${paintedPerSecond}/s for ${paintedSeconds} s: median ${percentile(ages, 0.5).toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; ${load.wrong} not answered with 200`,
      ],
      targets: [
        { name: 'from delivery to painted row, p99, ms', value: p99Ms, bound: { below: 400 } },
        { name: 'not answered with 200', value: load.wrong, bound: { below: 1 } },
      ],
    }
  } finally {
    await browser.close()
  }
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-relay-'))
  const children: Child[] = []
  const starter: Starter = async (file, core, args) => {
    const child = await start(file, core, args)
    children.push(child)
    return child
  }
  try {
    const parts = [
      await acknowledging(folder, starter),
      await withNats(folder, starter),
      await catchingUp(folder, starter),
      await painting(folder, starter),
    ]
    return {
      name: `Relay, ${connections} connections`,
      lines: parts.flatMap(({ lines }) => lines),
      targets: parts.flatMap(({ targets }) => targets),
    }
  } finally {
    for (const { process } of children) process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#electron/lib/clock.ts'
import { openFolder } from '#electron/relay/documents.ts'
import { openJournalStore } from '#electron/relay/journal-store.ts'
import { addToken } from '#electron/relay/tokens.ts'
import { quietLog } from '../helpers/quiet-log.ts'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'
import {
  burstHead,
  burstRow,
  connections,
  createLoad,
  measureRounds,
  spread,
  type WarmUp,
} from './listener/bursts.ts'
import { ask, type Child, start } from './listener/processes.ts'
import { deliveries } from './relay/deliveries.ts'

/**
 * A relay beside the console’s own listener: durable acknowledgement, and catching up with what was stored while a console was away.
 * `RELAY_ROUNDS` and `RELAY_STORED` make it smaller.
 */
const rounds = Number(process.env['RELAY_ROUNDS'] ?? 6)
const stored = Number(process.env['RELAY_STORED'] ?? 200_000)
const catchUpRounds = 3
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

/** Stores what arrived while the console was away. */
async function fill(dataDir: string): Promise<void> {
  const inbox = join(dataDir, 'inboxes', 'main')
  mkdirSync(inbox, { recursive: true, mode: 0o700 })
  const store = openJournalStore({ folder: inbox, clock: systemClock, log: quietLog })
  for (let from = 1; from <= stored; from += 1_000)
    await store.append(deliveries(from, Math.min(1_000, stored - from + 1)))
  await store.close()
}

/** Deliveries per second of one reader, which starts before the time counts. */
async function reading(start: Starter, args: string[]): Promise<number> {
  const reader = await start('../relay/feed-reader.ts', 1, args)
  const from = performance.now()
  await ask(reader, 'settle', 'settled')
  const seconds = (performance.now() - from) / 1_000
  reader.process.kill()
  await reader.exited
  return stored / seconds
}

async function catchingUp(folder: string, start: Starter): Promise<Omit<BenchResult, 'name'>> {
  const { dataDir, token } = await prepare(folder, 'away')
  await fill(dataDir)
  const relay = await start('../relay/relay-host.ts', 0, [dataDir])
  const bare = await start('../relay/bare-socket.ts', 0, [String(stored)])
  const rates: { bare: number; console: number }[] = []
  for (let round = 0; round < catchUpRounds; round++)
    rates.push({
      bare: await reading(start, ['bare', String(bare.port)]),
      console: await reading(start, [
        'console',
        String(relay.port),
        String(stored),
        token,
        join(folder, `reader-${round}`, 'journal.db'),
      ]),
    })
  const rate = median(rates.map((one) => one.console))
  const ratios = rates.map((one) => one.console / one.bare)
  return {
    lines: [
      `catching up with ${stored}, into the journal: ${rate.toFixed(0)}/s; bare WebSocket ${median(rates.map((one) => one.bare)).toFixed(0)}/s; ratio ${spread(ratios)}`,
    ],
    targets: [
      {
        name: 'catching up, relative to 20,000/s or half of a bare WebSocket',
        value: Math.max(rate / 20_000, median(ratios) / 0.5),
        bound: { atLeast: 1 },
      },
    ],
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
    const parts = [await acknowledging(folder, starter), await catchingUp(folder, starter)]
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

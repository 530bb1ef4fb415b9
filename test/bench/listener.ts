import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'
import {
  type Burst,
  burstHead,
  burstRow,
  connections,
  createLoad,
  type Load,
  measureRounds,
  type Rounds,
  spread,
} from './listener/bursts.ts'
import { slowDiskEnvironment } from './listener/slow-disk.ts'
import { canPin, type Child, start } from './listener/processes.ts'

/**
 * Durable acknowledgement, compared with the machine’s limit (bare node:http) and the usual receiver (Express, one commit per event),
 * with one load generator. The servers share one core, the generator uses another. The median ratio of quiet rounds counts.
 */
const wanted = { atLeast: 6, quietWanted: 8, budgetMs: 50_000 }
/** A laptop’s disk takes 1 to 10 ms to make a commit durable; a virtual one may take none. */
const slowSyncMs = 2
const slowRounds = 3

type Kind = 'bare' | 'listener' | 'express'

const servers: Record<Kind, { file: string; warmUpAnswers: number; warmUpAtMostMs: number }> = {
  bare: { file: 'bare-server.ts', warmUpAnswers: 60_000, warmUpAtMostMs: 6_000 },
  listener: { file: 'listener-host.ts', warmUpAnswers: 60_000, warmUpAtMostMs: 8_000 },
  express: { file: 'express-server.ts', warmUpAnswers: 6_000, warmUpAtMostMs: 4_000 },
}

interface SlowDisk {
  listenerRate: number
  expressRate: number
  p99Ms: number
  ratio: number
}

/** Milliseconds of a small append with fdatasync: the minimum for any durable acknowledgement here. */
function fdatasyncP50Ms(folder: string): number {
  const fd = openSync(join(folder, 'sync'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: 200 }, () => {
    writeSync(fd, page)
    const from = performance.now()
    fdatasyncSync(fd)
    return performance.now() - from
  })
  closeSync(fd)
  return median(times)
}

/** Rates of listener and Express when every sync takes `slowSyncMs` longer; null if such a disk is not available. */
async function measureSlowDisk(
  folder: string,
  load: (kind: Kind, env: NodeJS.ProcessEnv) => Promise<Load>,
): Promise<SlowDisk | null> {
  const env = slowDiskEnvironment(folder, slowSyncMs)
  if (!env) return null
  const listener = await load('listener', env)
  const express = await load('express', env)
  await listener.warmUp()
  await express.warmUp()
  const bursts: Record<'listener' | 'express', Burst>[] = []
  for (let round = 0; round < slowRounds; round++)
    bursts.push({ listener: await listener.burst(), express: await express.burst() })
  await listener.finish()
  await express.finish()
  return {
    listenerRate: median(bursts.map((one) => one.listener.rate)),
    expressRate: median(bursts.map((one) => one.express.rate)),
    p99Ms: median(bursts.map((one) => one.listener.p99Ms)),
    ratio: median(bursts.map((one) => one.listener.rate / one.express.rate)),
  }
}

const slowDiskLine = (slow: SlowDisk | null) =>
  slow
    ? `with ${slowSyncMs} ms added to each sync: listener ${slow.listenerRate.toFixed(0)}/s (p99 ${slow.p99Ms.toFixed(1)} ms), Express ${slow.expressRate.toFixed(0)}/s, ratio ${slow.ratio.toFixed(1)}`
    : 'with a slower disk: not measured (no C compiler)'

function report(rounds: Rounds<Kind>, slow: SlowDisk | null, syncMs: number, events: number): BenchResult {
  const toBare = rounds.ratios('listener', 'bare')
  const toExpress = rounds.ratios('listener', 'express')
  return {
    name: `Durable acknowledgement, ${connections} connections`,
    lines: [
      burstHead,
      burstRow('node:http, only answers 200', 'bare', rounds),
      burstRow('listener, durable', 'listener', rounds),
      burstRow('Express, commit per event', 'express', rounds),
      `rate, listener / bare: ${spread(toBare)}`,
      `rate, listener / Express: ${spread(toExpress)}`,
      slowDiskLine(slow),
      `processor time per event, listener / bare: ${spread(rounds.ratios('listener', 'bare', (one) => one.cpuUsPerEvent))}`,
      `fdatasync p50 ${syncMs.toFixed(2)} ms; ${canPin ? 'servers on core 0, generator on core 1' : 'not pinned'}`,
      rounds.basis,
      `${events} events acknowledged, all of them stored; every answer was 200`,
    ],
    targets: [
      {
        name: 'acknowledged per second',
        value: rounds.figure('listener', (one) => one.rate),
        bound: { atLeast: 5_000 },
        or: { name: 'relative to bare node:http', value: median(toBare), bound: { atLeast: 0.3 } },
      },
      {
        name: 'rate relative to Express with a commit per event',
        value: median(toExpress),
        bound: { atLeast: 4 },
      },
      {
        name: 'listener p99, ms',
        value: rounds.figure('listener', (one) => one.p99Ms),
        bound: { below: 50 },
      },
    ],
  }
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'))
  const children: Child[] = []
  try {
    const syncMs = fdatasyncP50Ms(folder)
    const generator = await start('load-generator.ts', 1)
    children.push(generator)
    const load = async (kind: Kind, env: NodeJS.ProcessEnv = {}) => {
      const own = mkdtempSync(join(folder, `${kind}-`))
      const server = await start(servers[kind].file, 0, [join(own, 'events.db')], env)
      children.push(server)
      return createLoad(kind, server, generator, servers[kind])
    }
    const loads = {
      bare: await load('bare'),
      listener: await load('listener'),
      express: await load('express'),
    }
    for (const one of Object.values(loads)) await one.warmUp()
    const rounds = await measureRounds(loads, wanted)
    await loads.bare.finish()
    const events = (await loads.listener.finish()) + (await loads.express.finish())
    const slow = await measureSlowDisk(folder, load)
    return report(rounds, slow, syncMs, events)
  } finally {
    for (const child of children) child.process.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

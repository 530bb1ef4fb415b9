import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'
import type { LoadReport, ServerCpu, ServerStopped } from './listener/messages.ts'
import { slowDiskEnvironment } from './listener/slow-disk.ts'
import { ask, busyUs, canPin, type Child, processUs, start } from './listener/processes.ts'

/**
 * Durable acknowledgement, compared with the machine’s limit (bare node:http) and the usual receiver (Express, one commit per event),
 * with one load generator. The servers share one core, the generator uses another. Short bursts go to each in rotating order, so that
 * other load affects all alike. The median ratio of quiet rounds counts.
 */
const connections = 64
const burstMs = 900
const settleMs = 200
const minRounds = 6
const quietRoundsWanted = 8
const roundsBudgetMs = 50_000
/** A round is quiet when other programs used less than this share of a core in each burst. */
const quietCores = 0.15
const quietSampleMs = 300
const waitForQuietMs = 3_000
/** A laptop’s disk takes 1 to 10 ms to make a commit durable; a virtual one may take none. */
const slowSyncMs = 2
const slowRounds = 3

type Kind = 'bare' | 'listener' | 'express'
const kinds: readonly Kind[] = ['bare', 'listener', 'express']

/** Each server warms up until it gave this many answers (its code is compiled by then), or for this long. */
const servers: Record<Kind, { file: string; warmUpAnswers: number; warmUpAtMostMs: number }> = {
  bare: { file: 'bare-server.ts', warmUpAnswers: 60_000, warmUpAtMostMs: 6_000 },
  listener: { file: 'listener-host.ts', warmUpAnswers: 60_000, warmUpAtMostMs: 8_000 },
  express: { file: 'express-server.ts', warmUpAnswers: 6_000, warmUpAtMostMs: 4_000 },
}

interface Burst {
  rate: number
  p50Ms: number
  p99Ms: number
  cpuUsPerEvent: number
  /** Cores used by programs other than server and generator. */
  foreignCores: number
}

type Round = Record<Kind, Burst>

interface SlowDisk {
  listenerRate: number
  expressRate: number
  p99Ms: number
  ratio: number
}

/** One server, and how many events it must have stored. */
function createLoad(kind: Kind, server: Child & { port: number }, generator: Child) {
  let acknowledged = 0
  async function burst(warmUp: { warmUpAnswers: number; warmUpAtMostMs: number }): Promise<Burst> {
    generator.send({
      name: kind,
      port: server.port,
      path: '/webhooks',
      connections,
      warmUpMs: settleMs,
      measureMs: burstMs,
      ...warmUp,
    })
    await generator.reply('measuring')
    const oursUs = () => processUs(server.process.pid) + processUs(generator.process.pid)
    const machineBefore = busyUs()
    const oursBefore = oursUs()
    const before = await ask<ServerCpu>(server, 'cpu', 'cpu')
    const report = await generator.reply<LoadReport>('report')
    const after = await ask<ServerCpu>(server, 'cpu', 'cpu')
    const foreignUs = busyUs() - machineBefore - (oursUs() - oursBefore)
    if (report.wrong > 0) throw new Error(`${kind}: ${report.wrong} answers were not 200`)
    acknowledged += report.acknowledged
    return {
      rate: report.answers / report.seconds,
      p50Ms: report.p50Ms,
      p99Ms: report.p99Ms,
      cpuUsPerEvent: (after.cpuUs - before.cpuUs) / report.answers,
      foreignCores: Math.max(0, foreignUs) / 1e6 / report.seconds,
    }
  }
  return {
    warmUp: () => burst(servers[kind]),
    burst: () => burst({ warmUpAnswers: 0, warmUpAtMostMs: settleMs }),
    /** Stops the server and compares what it stored with what it acknowledged. */
    async finish() {
      const { stored } = await ask<ServerStopped>(server, 'stop', 'stopped')
      await server.exited
      if (stored !== null && stored !== acknowledged)
        throw new Error(`${kind}: ${acknowledged} acknowledged, but ${stored} stored`)
      return acknowledged
    },
  }
}

const isQuiet = (round: Round) => kinds.every((kind) => round[kind].foreignCores < quietCores)

/** Waits a little for other programs to pause; a disturbed round would not count. */
async function waitForQuiet(): Promise<void> {
  const endMs = performance.now() + waitForQuietMs
  while (performance.now() < endMs) {
    const before = busyUs()
    await setTimeout(quietSampleMs)
    if (busyUs() - before < quietSampleMs * 1_000 * 2 * quietCores) return
  }
}

async function measureRounds(loads: Record<Kind, ReturnType<typeof createLoad>>): Promise<Round[]> {
  const rounds: Round[] = []
  const endMs = performance.now() + roundsBudgetMs
  while (
    rounds.length < minRounds ||
    (rounds.filter(isQuiet).length < quietRoundsWanted && performance.now() < endMs)
  ) {
    await waitForQuiet()
    const order = rounds.length % 2 ? [...kinds].reverse() : kinds
    const round: Partial<Round> = {}
    for (const kind of order) round[kind] = await loads[kind].burst()
    rounds.push(round as Round)
  }
  return rounds
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

const row = (cells: string[]) =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(30) : cell.padStart(14))).join('')

/** Rates of listener and Express when every sync takes `slowSyncMs` longer; null if such a disk is not available. */
async function measureSlowDisk(
  folder: string,
  load: (kind: Kind, env: NodeJS.ProcessEnv) => Promise<ReturnType<typeof createLoad>>,
): Promise<SlowDisk | null> {
  const env = slowDiskEnvironment(folder, slowSyncMs)
  if (!env) return null
  const listener = await load('listener', env)
  const express = await load('express', env)
  await listener.warmUp()
  await express.warmUp()
  const bursts: Pick<Round, 'listener' | 'express'>[] = []
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

function report(rounds: Round[], slow: SlowDisk | null, syncMs: number, events: number): BenchResult {
  const quiet = rounds.filter(isQuiet)
  const judged = quiet.length >= 3 ? quiet : rounds
  const figure = (kind: Kind, pick: (burst: Burst) => number) =>
    median(judged.map((round) => pick(round[kind])))
  const ratios = (pick: (burst: Burst) => number, other: Kind) =>
    judged.map((round) => pick(round.listener) / pick(round[other]))
  const line = (name: string, kind: Kind) =>
    row([
      name,
      figure(kind, (one) => one.rate).toFixed(0),
      figure(kind, (one) => one.p50Ms).toFixed(2),
      figure(kind, (one) => one.p99Ms).toFixed(2),
      figure(kind, (one) => one.cpuUsPerEvent).toFixed(1),
      figure(kind, (one) => one.foreignCores).toFixed(2),
    ])
  const spread = (values: number[]) =>
    `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}, median ${median(values).toFixed(2)}`
  const toBare = ratios((one) => one.rate, 'bare')
  const toExpress = ratios((one) => one.rate, 'express')
  return {
    name: `Durable acknowledgement, ${connections} connections`,
    lines: [
      row(['', 'events/s', 'p50 ms', 'p99 ms', 'CPU us/event', 'foreign cores']),
      line('node:http, only answers 200', 'bare'),
      line('listener, durable', 'listener'),
      line('Express, commit per event', 'express'),
      `rate, listener / bare: ${spread(toBare)}`,
      `rate, listener / Express: ${spread(toExpress)}`,
      slowDiskLine(slow),
      `processor time per event, listener / bare: ${spread(ratios((one) => one.cpuUsPerEvent, 'bare'))}`,
      `fdatasync p50 ${syncMs.toFixed(2)} ms; ${canPin ? 'servers on core 0, generator on core 1' : 'not pinned'}`,
      judged === quiet
        ? `medians of ${quiet.length} quiet rounds of ${rounds.length}`
        : `other programs kept the machine busy: medians of all ${rounds.length} rounds, not conclusive`,
      `${events} events acknowledged, all of them stored; every answer was 200`,
    ],
    targets: [
      { name: 'rate relative to bare node:http', value: median(toBare), bound: { atLeast: 0.5 } },
      {
        name: 'rate relative to Express with a commit per event',
        value: median(toExpress),
        bound: { atLeast: 8 },
      },
      {
        name: 'listener p99, ms',
        value: figure('listener', (one) => one.p99Ms),
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
      return createLoad(kind, server, generator)
    }
    const loads = {
      bare: await load('bare'),
      listener: await load('listener'),
      express: await load('express'),
    }
    for (const kind of kinds) await loads[kind].warmUp()
    const rounds = await measureRounds(loads)
    await loads.bare.finish()
    const events = (await loads.listener.finish()) + (await loads.express.finish())
    const slow = await measureSlowDisk(folder, load)
    return report(rounds, slow, syncMs, events)
  } finally {
    for (const child of children) child.process.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

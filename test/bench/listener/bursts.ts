import { setTimeout } from 'node:timers/promises'
import { median } from '../figures.ts'
import type { LoadReport, ServerCpu, ServerStopped } from './messages.ts'
import { ask, busyUs, type Child, processUs } from './processes.ts'

/** Short bursts of load to several servers in rotating order, so that other load affects all alike. */
export const connections = 64
const burstMs = 900
const settleMs = 200
/** A round is quiet when other programs used less than this share of a core in each burst. */
const quietCores = 0.15
const quietSampleMs = 300
const waitForQuietMs = 3_000

export interface WarmUp {
  /** Until this many answers (the code is compiled by then)… */
  warmUpAnswers: number
  /** …or for this long. */
  warmUpAtMostMs: number
}

export interface Burst {
  rate: number
  p50Ms: number
  p99Ms: number
  cpuUsPerEvent: number
  /** Cores used by programs other than the measured ones. */
  foreignCores: number
}

export type Load = ReturnType<typeof createLoad>

/** One server, and how many events it must have stored. `beside` are other processes that work for it. */
export function createLoad(
  name: string,
  server: Child & { port: number },
  generator: Child,
  warmUp: WarmUp,
  beside: () => number[] = () => [],
) {
  let acknowledged = 0
  async function burst(warm: WarmUp): Promise<Burst> {
    generator.send({
      name,
      port: server.port,
      path: '/webhooks',
      connections,
      warmUpMs: settleMs,
      measureMs: burstMs,
      ...warm,
    })
    await generator.reply('measuring')
    const oursUs = () =>
      [server.process.pid, generator.process.pid, ...beside()].reduce<number>(
        (sum, pid) => sum + processUs(pid),
        0,
      )
    const machineBefore = busyUs()
    const oursBefore = oursUs()
    const before = await ask<ServerCpu>(server, 'cpu', 'cpu')
    const report = await generator.reply<LoadReport>('report')
    const after = await ask<ServerCpu>(server, 'cpu', 'cpu')
    const foreignUs = busyUs() - machineBefore - (oursUs() - oursBefore)
    if (report.wrong > 0) throw new Error(`${name}: ${report.wrong} answers were not 200`)
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
    warmUp: () => burst(warmUp),
    burst: () => burst({ warmUpAnswers: 0, warmUpAtMostMs: settleMs }),
    /** Stops the server and compares what it stored with what it acknowledged. */
    async finish() {
      const { stored } = await ask<ServerStopped>(server, 'stop', 'stopped')
      await server.exited
      if (stored !== null && stored !== acknowledged)
        throw new Error(`${name}: ${acknowledged} acknowledged, but ${stored} stored`)
      return acknowledged
    },
  }
}

/** Waits a little for other programs to pause; a disturbed round would not count. */
async function waitForQuiet(): Promise<void> {
  const endMs = performance.now() + waitForQuietMs
  while (performance.now() < endMs) {
    const before = busyUs()
    await setTimeout(quietSampleMs)
    if (busyUs() - before < quietSampleMs * 1_000 * 2 * quietCores) return
  }
}

/** One burst to each in turn, until enough rounds were quiet or time is up. */
export async function measureRounds<Kind extends string>(
  loads: Record<Kind, Pick<Load, 'burst'>>,
  { atLeast, quietWanted, budgetMs }: { atLeast: number; quietWanted: number; budgetMs: number },
) {
  type Round = Record<Kind, Burst>
  const kinds = Object.keys(loads) as Kind[]
  const isQuiet = (round: Round) => kinds.every((kind) => round[kind].foreignCores < quietCores)
  const rounds: Round[] = []
  const endMs = performance.now() + budgetMs
  while (
    rounds.length < atLeast ||
    (rounds.filter(isQuiet).length < quietWanted && performance.now() < endMs)
  ) {
    await waitForQuiet()
    const round: Partial<Round> = {}
    for (const kind of rounds.length % 2 ? kinds.toReversed() : kinds) round[kind] = await loads[kind].burst()
    rounds.push(round as Round)
  }
  const quiet = rounds.filter(isQuiet)
  const judged = quiet.length >= Math.min(3, atLeast) ? quiet : rounds
  return {
    figure: (kind: Kind, pick: (burst: Burst) => number) => median(judged.map((round) => pick(round[kind]))),
    ratios: (kind: Kind, other: Kind, pick: (burst: Burst) => number = ({ rate }) => rate) =>
      judged.map((round) => pick(round[kind]) / pick(round[other])),
    /** How much the figures are worth. */
    basis:
      judged === quiet
        ? `medians of ${quiet.length} quiet rounds of ${rounds.length}`
        : `other programs kept the machine busy: medians of all ${rounds.length} rounds, not conclusive`,
  }
}

export type Rounds<Kind extends string> = Awaited<ReturnType<typeof measureRounds<Kind>>>

export const row = (cells: string[]): string =>
  cells.map((cell, index) => (index === 0 ? cell.padEnd(34) : cell.padStart(14))).join('')

export const burstHead = row(['', 'events/s', 'p50 ms', 'p99 ms', 'CPU us/event', 'foreign cores'])

export const burstRow = <Kind extends string>(name: string, kind: Kind, { figure }: Rounds<Kind>): string =>
  row([
    name,
    figure(kind, (one) => one.rate).toFixed(0),
    figure(kind, (one) => one.p50Ms).toFixed(2),
    figure(kind, (one) => one.p99Ms).toFixed(2),
    figure(kind, (one) => one.cpuUsPerEvent).toFixed(1),
    figure(kind, (one) => one.foreignCores).toFixed(2),
  ])

export const spread = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}, median ${median(values).toFixed(2)}`

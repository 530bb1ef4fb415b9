import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  fdatasyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import type { LoadOrder, LoadReport, ServerCpu, ServerReady, ServerStopped } from './listener/messages.ts'

/**
 * Durable acknowledgement, measured against the machine itself (bare node:http) and against the usual receiver (Express, one
 * commit per event), all by the same generator in one run, interleaved so that what else the machine does hits all alike.
 * Method and its reasons: server on one core, generator on another; rates as ratios within a round; the median round counts.
 */
const connections = 64
const rounds = 3

type Kind = 'bare' | 'listener' | 'express'

const plans: Record<Kind, { file: string } & Omit<LoadOrder, 'port' | 'path' | 'connections'>> = {
  bare: {
    file: 'bare-server.ts',
    warmUpMs: 1_200,
    warmUpAnswers: 40_000,
    warmUpAtMostMs: 5_000,
    measureMs: 2_500,
  },
  listener: {
    file: 'listener-host.ts',
    warmUpMs: 1_500,
    warmUpAnswers: 40_000,
    warmUpAtMostMs: 7_000,
    measureMs: 3_000,
  },
  express: {
    file: 'express-server.ts',
    warmUpMs: 1_000,
    warmUpAnswers: 3_000,
    warmUpAtMostMs: 3_000,
    measureMs: 2_000,
  },
}

interface Run {
  rate: number
  p50Ms: number
  p99Ms: number
  cpuUsPerEvent: number
  /** Share of a core used by neither server nor generator nor this process. */
  foreignCores: number
}

const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0

interface Child {
  process: ChildProcess
  send(message: LoadOrder | 'cpu' | 'stop'): void
  /** The next message of a kind; rejects when the process ends before it. */
  reply<T extends { kind: string }>(kind: T['kind']): Promise<T>
  exited: Promise<void>
}

/** Starts a module of `listener/` in a process of its own, pinned to a core where the system can. */
async function start(file: string, core: number, args: string[] = []): Promise<Child & { port: number }> {
  const child = fork(join(import.meta.dirname, 'listener', file), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const waiting = new Map<string, { resolve(message: unknown): void; reject(error: Error): void }>()
  const received = new Map<string, unknown[]>()
  let ended: Error | undefined
  child.on('message', (message: { kind: string }) => {
    const waiter = waiting.get(message.kind)
    waiting.delete(message.kind)
    if (waiter) waiter.resolve(message)
    else received.set(message.kind, [...(received.get(message.kind) ?? []), message])
  })
  const exited = once(child, 'exit').then(([code]) => {
    ended = new Error(`${file} ended early (${String(code)})`)
    for (const { reject } of waiting.values()) reject(ended)
  })
  const reply = <T extends { kind: string }>(kind: T['kind']) =>
    new Promise<T>((resolve, reject) => {
      const message = received.get(kind)?.shift()
      if (message !== undefined) resolve(message as T)
      else if (ended) reject(ended)
      else waiting.set(kind, { resolve: resolve as (message: unknown) => void, reject })
    })
  const pin = () => canPin && spawnSync('taskset', ['-a', '-cp', String(core), String(child.pid)])
  pin()
  const { port } = await reply<ServerReady>('ready')
  // Threads inherit the core of the one that starts them; those older than the first pinning are moved now.
  pin()
  return { process: child, send: (message) => void child.send(message), reply, exited, port }
}

async function ask<T extends { kind: string }>(
  child: Child,
  question: 'cpu' | 'stop',
  kind: T['kind'],
): Promise<T> {
  const answer = child.reply<T>(kind)
  child.send(question)
  return answer
}

/** Busy time of the whole machine, microseconds. 0 where /proc is not there. */
function busyUs(): number {
  try {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = readFileSync('/proc/stat', 'latin1')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return (user + nice + system + irq + softirq) * 10_000
  } catch {
    return 0
  }
}

/** Processor time of a process, microseconds. */
function processUs(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return 0
  }
}

async function measure(kind: Kind, generator: Child, folder: string): Promise<Run> {
  const { file, ...plan } = plans[kind]
  const server = await start(file, 0, [join(folder, 'events.db')])
  generator.send({ port: server.port, path: '/webhooks', connections, ...plan })
  await generator.reply('measuring')
  const oursUs = () => processUs(server.process.pid) + processUs(generator.process.pid)
  const machineBefore = busyUs()
  const oursBefore = oursUs()
  const before = await ask<ServerCpu>(server, 'cpu', 'cpu')
  const report = await generator.reply<LoadReport>('report')
  const after = await ask<ServerCpu>(server, 'cpu', 'cpu')
  const foreignUs = busyUs() - machineBefore - (oursUs() - oursBefore)
  const { stored } = await ask<ServerStopped>(server, 'stop', 'stopped')
  await server.exited
  if (report.wrong > 0) throw new Error(`${kind}: ${report.wrong} answers were not 200`)
  if (stored !== null && stored !== report.acknowledged)
    throw new Error(`${kind}: ${report.acknowledged} acknowledged, but ${stored} stored`)
  return {
    rate: report.answers / report.seconds,
    p50Ms: report.p50Ms,
    p99Ms: report.p99Ms,
    cpuUsPerEvent: (after.cpuUs - before.cpuUs) / report.answers,
    foreignCores: Math.max(0, foreignUs) / 1e6 / report.seconds,
  }
}

/** Milliseconds of one small append with fdatasync, the floor of any durable acknowledgement here. */
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

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'))
  const runs: Record<Kind, Run[]> = { bare: [], listener: [], express: [] }
  const generator = await start('load-generator.ts', 1)
  try {
    const syncMs = fdatasyncP50Ms(folder)
    for (let round = 0; round < rounds; round++) {
      const kinds: Kind[] = ['bare', 'listener', 'express']
      if (round % 2) kinds.reverse()
      for (const kind of kinds) {
        const runFolder = join(folder, `${kind}-${round}`)
        mkdirSync(runFolder, { mode: 0o700 })
        runs[kind].push(await measure(kind, generator, runFolder))
        rmSync(runFolder, { recursive: true })
      }
    }
    const ratios = (other: Kind) => runs.listener.map((ours, round) => ours.rate / runs[other][round]!.rate)
    const toBare = ratios('bare')
    const toExpress = ratios('express')
    const cpuToBare = runs.listener.map((ours, round) => ours.cpuUsPerEvent / runs.bare[round]!.cpuUsPerEvent)
    const line = (name: string, kind: Kind) => {
      const of = (pick: (run: Run) => number) => median(runs[kind].map(pick))
      return row([
        name,
        of((one) => one.rate).toFixed(0),
        of((one) => one.p50Ms).toFixed(2),
        of((one) => one.p99Ms).toFixed(2),
        of((one) => one.cpuUsPerEvent).toFixed(1),
        of((one) => one.foreignCores).toFixed(2),
      ])
    }
    const rounded = (values: number[]) => values.map((value) => value.toFixed(2)).join(' ')
    return {
      name: `Durable acknowledgement, ${connections} connections, ${rounds} rounds`,
      lines: [
        row(['', 'events/s', 'p50 ms', 'p99 ms', 'CPU us/event', 'foreign CPU']),
        line('node:http, answers 200 only', 'bare'),
        line('listener, durable', 'listener'),
        line('Express, commit per event', 'express'),
        `listener / bare per round: ${rounded(toBare)}; listener / Express: ${rounded(toExpress)}`,
        `processor time per event, listener / bare: ${rounded(cpuToBare)} (steadier than rates when other programs run)`,
        `fdatasync p50 ${syncMs.toFixed(2)} ms; ${canPin ? 'server on core 0, generator on core 1' : 'not pinned'}; ` +
          'foreign CPU is the share of a core that other programs took',
        'every acknowledged event was found stored; no answer but 200',
      ],
      targets: [
        { name: 'rate against bare node:http', value: median(toBare), wanted: { atLeast: 0.5 } },
        {
          name: 'rate against Express with a commit per event',
          value: median(toExpress),
          wanted: { atLeast: 8 },
        },
        {
          name: 'p99 of the listener, ms',
          value: median(runs.listener.map((one) => one.p99Ms)),
          wanted: { below: 50 },
        },
      ],
    }
  } finally {
    generator.process.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

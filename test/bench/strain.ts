import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '#electron/lib/log.ts'
import { openJournal } from '#electron/listener/journal.ts'
import type { BenchResult } from './bench-result.ts'
import { median, percentile } from './figures.ts'
import type { LoadReport, ServerCpu, ServerSettled, ServerStopped } from './listener/messages.ts'
import { openLoad } from './listener/open-load.ts'
import { ask, type Child, start } from './listener/processes.ts'

/**
 * The listener under load: projecting meanwhile, with millions of stored deliveries, a burst, ten minutes of 1,000/s, and senders that
 * hold connections. Compared with bare `node:http` and Express with Svix, which store nothing.
 */
const stored = Number(process.env['STRAIN_STORED'] ?? 5_000_000)
const steadySeconds = Number(process.env['STRAIN_SECONDS'] ?? 600)
const rounds = Number(process.env['STRAIN_ROUNDS'] ?? 8)
const connections = 64
const burstMs = 900
const steadyPerSecond = 1_000
const burstCount = 10_000
const slowCount = 500

type Kind = 'bare' | 'svix' | 'listener' | 'full' | 'console'
const files: Record<Kind, string> = {
  bare: 'bare-server.ts',
  svix: 'svix-server.ts',
  listener: 'listener-host.ts',
  full: 'listener-host.ts',
  console: 'console-host.ts',
}
const kinds = Object.keys(files) as Kind[]

/** Millions of deliveries of 170 bytes, as the listener’s thread would store them. */
function fillJournal(file: string): void {
  const journal = openJournal({ file, log: createLog(() => {}, 'bench', Date.now), now: Date.now })
  const body = Buffer.alloc(170, 'x')
  const some = Array.from({ length: 5_000 }, () => ({
    receivedMs: Date.now(),
    verdict: 'signed' as const,
    secretId: 'bench',
    remote: '127.0.0.1',
    headersJson: '[["content-type","application/json"]]',
    body,
  }))
  for (let count = 0; count < stored; count += some.length) journal.append(some)
  journal.close()
}

async function burst(generator: Child, name: string, port: number, warmUp = false): Promise<LoadReport> {
  const answers = warmUp
    ? { warmUpAnswers: 20_000, warmUpAtMostMs: 6_000 }
    : { warmUpAnswers: 0, warmUpAtMostMs: 200 }
  generator.send({
    name,
    port,
    path: '/webhooks',
    connections,
    warmUpMs: 200,
    measureMs: burstMs,
    ...answers,
  })
  await generator.reply('measuring')
  const report = await generator.reply<LoadReport>('report')
  if (report.wrong > 0) throw new Error(`${name}: ${report.wrong} answers were not 200`)
  return report
}

/** Senders that send a little now and then and never finish. @returns when each was cut, milliseconds after it began. */
function slowSenders(port: number): Promise<number[]> {
  const startedAt = performance.now()
  const cutMs: number[] = []
  return new Promise((resolve) => {
    for (let index = 0; index < slowCount; index++) {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.write('POST /webhooks HTTP/1.1\r\nHost: a\r\n')
      if (index % 2) socket.write('Content-Length: 5000\r\n\r\n')
      const drip = setInterval(() => socket.write(index % 2 ? 'x' : 'X-A: b\r\n'), 300)
      socket.on('error', () => {})
      socket.on('data', () => {})
      socket.on('close', () => {
        clearInterval(drip)
        cutMs.push(performance.now() - startedAt)
        if (cutMs.length === slowCount) resolve(cutMs)
      })
    }
  })
}

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-strain-'))
  const children: Child[] = []
  const begin = async (file: string, core: number, args: string[] = []) => {
    const child = await start(file, core, args)
    children.push(child)
    return child
  }
  try {
    const generators = {
      spec: await begin('load-generator.ts', 1),
      svix: await begin('load-generator.ts', 1, ['svix']),
    }
    const servers = {} as Record<Kind, Child & { port: number }>
    for (const kind of kinds) {
      const file = join(mkdtempSync(join(folder, `${kind}-`)), 'data', 'journal.db')
      if (kind === 'full') fillJournal(file)
      servers[kind] = await begin(files[kind], 0, [file])
    }
    const generatorOf = (kind: Kind) => (kind === 'svix' ? generators.svix : generators.spec)
    const acknowledged: Partial<Record<Kind, number>> = {}
    const behindMs: number[] = []
    const rates = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
    for (let round = -1; round < rounds; round++) {
      for (const kind of round % 2 ? kinds : kinds.toReversed()) {
        const report = await burst(generatorOf(kind), kind, servers[kind].port, round < 0)
        acknowledged[kind] = (acknowledged[kind] ?? 0) + report.acknowledged
        if (round >= 0) rates[kind].push(report.answers / report.seconds)
        if (kind !== 'console') continue
        // The next run must not share the core with leftover work.
        const endMs = performance.now()
        await ask<ServerSettled>(servers.console, 'settle', 'settled')
        if (round >= 0) behindMs.push(performance.now() - endMs)
      }
    }
    const ratio = (kind: Kind, to: Kind) => median(rates[kind].map((rate, round) => rate / rates[to][round]!))

    const { port } = servers.console
    const burstAt = performance.now()
    const all = await openLoad({ port, connections: 400, count: burstCount })
    const burstTookMs = performance.now() - burstAt

    const count = steadySeconds * steadyPerSecond
    const memory = async () => (await ask<ServerCpu>(servers.console, 'cpu', 'cpu')).rssBytes
    const early = openLoad({ port, connections, count: count / 10, perSecond: steadyPerSecond })
    const first = await early
    const before = await memory()
    const rest = await openLoad({ port, connections, count: count - count / 10, perSecond: steadyPerSecond })
    const grownMiB = ((await memory()) - before) / 2 ** 20
    const steadyMs = [...first.tookMs, ...rest.tookMs]

    const slow = slowSenders(port)
    const honest = await openLoad({ port, connections: 8, count: 600, perSecond: 100 })
    const cutMs = await slow

    const { stored: made } = await ask<ServerStopped>(servers.console, 'stop', 'stopped')
    const loads = [all, first, rest, honest]
    const sent = acknowledged.console! + loads.reduce((sum, load) => sum + load.acknowledged, 0)
    const wrongOf = loads.map(({ wrong }) => wrong)
    const wrong = wrongOf.reduce((sum, count) => sum + count, 0)
    if ((made ?? 0) < sent) throw new Error(`${sent} acknowledged, but ${made} became events`)
    const rate = (kind: Kind) => median(rates[kind]).toFixed(0).padStart(7)
    return {
      name: `The listener under load, ${connections} connections`,
      lines: [
        `${rate('bare')}/s  node:http, answers 200 only`,
        `${rate('svix')}/s  Express and Svix, verifying only`,
        `${rate('listener')}/s  listener, durable`,
        `${rate('full')}/s  listener, durable, ${stored.toLocaleString('en')} deliveries already stored`,
        `${rate('console')}/s  listener, durable, projecting on the same core; done ${median(behindMs).toFixed(0)} ms after its burst`,
        `${burstCount.toLocaleString('en')} at once over 400 connections: ${burstTookMs.toFixed(0)} ms until all were acknowledged`,
        `${steadyPerSecond}/s for ${steadySeconds} s: ${median(steadyMs).toFixed(1)} ms median, ${percentile(steadyMs, 0.99).toFixed(1)} ms p99, ${percentile(steadyMs, 1).toFixed(1)} ms maximum; process memory grew by ${grownMiB.toFixed(0)} MiB after the first tenth`,
        `with ${slowCount} slow senders: honest p99 ${percentile(honest.tookMs, 0.99).toFixed(1)} ms; the last of them cut after ${(Math.max(...cutMs) / 1_000).toFixed(1)} s`,
        `${sent.toLocaleString('en')} acknowledged, ${made?.toLocaleString('en')} in the events; ${wrong} not answered with 200 (${wrongOf.join(', ')} in the burst, the first tenth, the rest, with slow senders)`,
      ],
      targets: [
        {
          name: 'durable and projected, per second',
          value: median(rates.console),
          bound: { atLeast: 5_000 },
          or: {
            name: 'relative to bare node:http',
            value: ratio('console', 'bare'),
            bound: { atLeast: 0.3 },
          },
        },
        {
          name: 'events current after a burst, ms',
          value: median(behindMs),
          bound: { below: 250 },
        },
        {
          name: 'with millions stored, relative to its own rate',
          value: ratio('full', 'listener'),
          bound: { atLeast: 0.9 },
        },
        { name: 'a burst of 10,000, s', value: burstTookMs / 1_000, bound: { below: 5 } },
        { name: '1,000/s, p99, ms', value: percentile(steadyMs, 0.99), bound: { below: 50 } },
        { name: '1,000/s, longest, ms', value: percentile(steadyMs, 1), bound: { below: 1_000 } },
        { name: '1,000/s, growth, MiB', value: grownMiB, bound: { below: 50 } },
        {
          name: 'honest p99 with slow senders, ms',
          value: percentile(honest.tookMs, 0.99),
          bound: { below: 100 },
        },
        { name: 'last slow sender cut, s', value: Math.max(...cutMs) / 1_000, bound: { below: 8 } },
        { name: 'not answered with 200', value: wrong, bound: { below: 1 } },
      ],
    }
  } finally {
    for (const child of children) child.process.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

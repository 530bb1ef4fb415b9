import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult, Target } from './bench-result.ts'
import { median } from './figures.ts'
import { ask, start } from './listener/processes.ts'
import type { ServerStopped } from './listener/messages.ts'
import { makeNumbers, makePeople } from './people/make-people.ts'
import { prepareConnection } from './people/prepare.ts'
import { type ImportRun, measure } from './people/runs.ts'
import { startSteadyLoad, type SteadyReport } from './people/steady-load.ts'

/**
 * Imports a large table as the console does. Compared with the fastest way to store the file at all (`sqlite3 .import` into a table
 * without index or checks) and with the usual way. Each runs in its own process, in turns.
 */
const rows = 1_000_000
const rounds = 3
const deliveriesPerSecond = 500

function importBySqlite(folder: string, file: string): number {
  const target = join(folder, 'plain.db')
  rmSync(target, { force: true })
  const began = performance.now()
  const { status, stderr } = spawnSync(
    'sqlite3',
    [target, 'CREATE TABLE people (a, b, c, d)', '.mode csv', `.import --skip 1 ${file} people`],
    { encoding: 'utf8' },
  )
  const ms = performance.now() - began
  if (status !== 0)
    throw new Error(`sqlite3, which this benchmark compares with, failed or is missing: ${stderr}`)
  return ms
}

const check = (name: string, a: number | null, b: number) => {
  if (a !== b) throw new Error(`${name}: the console has ${a}, expected ${b}`)
}

const line = (name: string, { ms, cpuMs, rssMiB }: { ms: number; cpuMs?: number; rssMiB?: number }) =>
  [
    name.padEnd(46),
    `${(ms / 1_000).toFixed(2)} s`.padStart(9),
    (cpuMs === undefined ? '' : `${(cpuMs / 1_000).toFixed(1)} s of CPU`).padStart(16),
    (rssMiB === undefined ? '' : `${rssMiB.toFixed(0)} MiB`).padStart(10),
  ].join('')

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'))
  try {
    const [file, before] = [join(folder, 'people.csv'), join(folder, 'before.csv')]
    makePeople(file, rows, 7)
    makePeople(before, rows, 8)
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    prepareConnection(empty, makeNumbers(rows, 99))
    const filled = join(folder, 'filled')
    cpSync(empty, filled, { recursive: true })
    await measure<ImportRun>('import-ours.ts', [filled, before])

    let copies = 0
    const copyOf = (from: string): string => {
      const own = join(folder, `run-${copies++}`)
      cpSync(from, own, { recursive: true })
      return own
    }
    const importInto = (own: string) =>
      measure<ImportRun>('import-ours.ts', [own, file]).finally(() => rmSync(own, { recursive: true }))
    const ours = (from: string) => importInto(copyOf(from))
    const plainMs: number[] = []
    const intoEmpty: ImportRun[] = []
    const intoFilled: ImportRun[] = []
    for (let round = 0; round < rounds; round++) {
      plainMs.push(importBySqlite(folder, file))
      intoEmpty.push(await ours(empty))
      intoFilled.push(await ours(filled))
    }
    const usual = await measure<ImportRun>('import-usual.ts', [empty, file, join(folder, 'usual.db')])
    check('contacts stored', intoEmpty[0]!.stored, usual.stored)
    check('rows rejected', intoEmpty[0]!.invalid, usual.invalid)
    check('contacts on the list', intoEmpty[0]!.marked, usual.marked)
    check('contacts found by a search', intoEmpty[0]!.found, usual.found)

    // Copied beforehand: this process sends the deliveries and would pause them.
    const own = copyOf(empty)
    const listener = await start('listener-host.ts', 0, [join(folder, 'events.db')])
    const stop = startSteadyLoad(listener.port, deliveriesPerSecond)
    await importInto(own)
    const acknowledged: SteadyReport = await stop()
    const { stored } = await ask<ServerStopped>(listener, 'stop', 'stopped')
    check('deliveries stored', stored, acknowledged.answers)

    const all = [...intoEmpty, ...intoFilled]
    const middle = (runs: ImportRun[]) => runs.toSorted((a, b) => a.ms - b.ms)[runs.length >> 1]!
    const plain = median(plainMs)
    const budget = (name: string, runs: ImportRun[]): Target => ({
      name: `${name}, s`,
      value: middle(runs).ms / 1_000,
      bound: { below: 30 },
      or: {
        name: 'relative to sqlite3 .import',
        value: median(runs.map(({ ms }, at) => ms / plainMs[at]!)),
        bound: { below: 20 },
      },
    })
    return {
      name: `Import of ${rows.toLocaleString('en')} rows (${intoEmpty[0]!.stored.toLocaleString('en')} contacts, ${intoEmpty[0]!.invalid.toLocaleString('en')} rejected)`,
      lines: [
        line('sqlite3 .import, no index, no checks', { ms: plain }),
        line('the console, into empty contacts', middle(intoEmpty)),
        line('the console, into as many contacts', middle(intoFilled)),
        line('the usual way', usual),
        `meanwhile, at ${deliveriesPerSecond} deliveries/s: p99 ${acknowledged.p99Ms.toFixed(1)} ms, longest ${acknowledged.maxMs.toFixed(0)} ms; failed: ${acknowledged.failures.join(', ') || 'none'}`,
        `meanwhile, in the core: longest stall ${Math.max(...all.map((one) => one.longestStallMs)).toFixed(0)} ms`,
      ],
      targets: [
        budget('into empty contacts', intoEmpty),
        budget('into as many contacts', intoFilled),
        {
          name: 'slowest page of the list meanwhile, ms',
          value: Math.max(...all.map(({ pageMaxMs }) => pageMaxMs)),
          bound: { below: 100 },
        },
        { name: 'acknowledgements meanwhile, p99, ms', value: acknowledged.p99Ms, bound: { below: 50 } },
        { name: 'not answered with 200', value: acknowledged.failures.length, bound: { below: 1 } },
        {
          name: 'core thread heap, MiB',
          value: Math.max(...all.map(({ coreHeapMiB }) => coreHeapMiB)),
          bound: { below: 400 },
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

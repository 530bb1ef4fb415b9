import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'
import { ask, start } from './listener/processes.ts'
import type { ServerStopped } from './listener/messages.ts'
import { makeNumbers, makePeople } from './people/make-people.ts'
import { prepareConnection } from './people/prepare.ts'
import { type ImportRun, measure } from './people/runs.ts'
import { startSteadyLoad, type SteadyReport } from './people/steady-load.ts'

/**
 * The import of a large table as the console does it, beside the fastest that stores the same file at all (`sqlite3 .import` into a table
 * without an index, nothing checked) and the way it is usually done. Each in a process of its own, one after the other in turns.
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
    throw new Error(`sqlite3, the yardstick of this benchmark, failed or is not there: ${stderr}`)
  return ms
}

const check = (name: string, a: number, b: number) => {
  if (a !== b) throw new Error(`${name}: the console has ${a}, the usual way ${b}`)
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
    check('rows refused', intoEmpty[0]!.invalid, usual.invalid)
    check('contacts on the list', intoEmpty[0]!.marked, usual.marked)
    check('contacts that a search finds', intoEmpty[0]!.found, usual.found)

    // Copied beforehand: this process sends the deliveries, and would send none meanwhile.
    const own = copyOf(empty)
    const listener = await start('listener-host.ts', 0, [join(folder, 'events.db')])
    const stop = startSteadyLoad(listener.port, deliveriesPerSecond)
    await importInto(own)
    const acknowledged: SteadyReport = await stop()
    const { stored } = await ask<ServerStopped>(listener, 'stop', 'stopped')
    if (stored !== acknowledged.answers || acknowledged.wrong > 0)
      throw new Error(
        `${acknowledged.answers} acknowledged, ${stored} stored, ${acknowledged.wrong} not answered`,
      )

    const all = [...intoEmpty, ...intoFilled]
    const middle = (runs: ImportRun[]) => runs.toSorted((a, b) => a.ms - b.ms)[runs.length >> 1]!
    const plain = median(plainMs)
    return {
      name: `Import of ${rows.toLocaleString('en')} rows (${intoEmpty[0]!.stored.toLocaleString('en')} contacts, ${intoEmpty[0]!.invalid.toLocaleString('en')} refused)`,
      lines: [
        line('sqlite3 .import, no index, nothing checked', { ms: plain }),
        line('the console, into an empty book', middle(intoEmpty)),
        line('the console, into a book of as many', middle(intoFilled)),
        line('the usual way', usual),
        `meanwhile, at ${deliveriesPerSecond} deliveries/s: p99 ${acknowledged.p99Ms.toFixed(1)} ms, longest ${acknowledged.maxMs.toFixed(0)} ms, all stored`,
        `meanwhile, in the core: longest stall ${Math.max(...all.map((one) => one.longestStallMs)).toFixed(0)} ms`,
      ],
      targets: [
        {
          name: 'into an empty book, against sqlite3 .import',
          value: median(intoEmpty.map(({ ms }, at) => ms / plainMs[at]!)),
          wanted: { below: 5.5 },
        },
        {
          name: 'into a book of as many, against sqlite3 .import',
          value: median(intoFilled.map(({ ms }, at) => ms / plainMs[at]!)),
          wanted: { below: 9 },
        },
        {
          name: 'the usual way, against the console',
          value: usual.ms / middle(intoEmpty).ms,
          wanted: { atLeast: 8 },
        },
        {
          name: 'slowest page of the list meanwhile, ms',
          value: Math.max(...all.map(({ pageMaxMs }) => pageMaxMs)),
          wanted: { below: 100 },
        },
        { name: 'p99 of acknowledgements meanwhile, ms', value: acknowledged.p99Ms, wanted: { below: 50 } },
        {
          name: 'heap of the core’s thread, MiB',
          value: Math.max(...all.map(({ coreHeapMiB }) => coreHeapMiB)),
          wanted: { below: 400 },
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

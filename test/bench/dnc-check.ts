import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import { median } from './figures.ts'
import { makeNumbers, makePeople } from './people/make-people.ts'
import { prepareConnection } from './people/prepare.ts'
import { measure } from './people/runs.ts'
import type { CheckRun } from './people/check-ours.ts'

/**
 * Checks a table of numbers against the DNC list, into three files. Compared with only reading the table and its numbers; the comparison
 * itself with a text join in SQLite.
 */
const rows = 1_000_000
const rounds = 3

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-check-'))
  try {
    const file = join(folder, 'people.csv')
    makePeople(file, rows, 7)
    const connection = join(folder, 'connection')
    mkdirSync(connection)
    prepareConnection(connection, makeNumbers(rows, 99))
    const runs: CheckRun[] = []
    for (let round = 0; round < rounds; round++)
      runs.push(await measure<CheckRun>('check-ours.ts', [connection, file]))
    const middle = (pick: (one: CheckRun) => number) => median(runs.map(pick))
    const { blocked, joined, asWritten, unparsable } = runs[0]!
    if (blocked !== joined + asWritten)
      throw new Error(
        `${blocked} numbers are blocked, the join finds ${joined}, and ${asWritten} are listed as written or with a plus`,
      )
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
    return {
      name: `Check of ${rows.toLocaleString('en')} numbers against ${rows.toLocaleString('en')} entries`,
      lines: [
        `reading table and numbers only: ${seconds(middle((one) => one.readMs))}`,
        `whole check with three files written: ${seconds(middle((one) => one.checkMs))} (${blocked.toLocaleString('en')} blocked, ${unparsable.toLocaleString('en')} unparsable)`,
        `comparing: ${seconds(middle((one) => one.matchMs))}; text join: ${seconds(middle((one) => one.joinMs))}; loading the list beforehand: ${seconds(middle((one) => one.loadMs))}`,
      ],
      targets: [
        {
          name: 'whole check, s',
          value: middle((one) => one.checkMs) / 1_000,
          bound: { below: 12 },
          or: {
            name: 'relative to reading only',
            value: middle((one) => one.checkMs / one.readMs),
            bound: { below: 4 },
          },
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

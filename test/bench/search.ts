import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchResult } from './bench-result.ts'
import { makePeople } from './people/make-people.ts'
import { prepareConnection } from './people/prepare.ts'
import { measurePainted, type PaintedRun } from './people/painted.ts'
import { type ImportRun, measure } from './people/runs.ts'
import type { SearchRun } from './people/search-ours.ts'

/** Search while typing in many contacts: a page of 50 and a count per key. Compared with a LIKE count over the same contacts. */
const rows = 1_200_000

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-search-'))
  try {
    const file = join(folder, 'people.csv')
    makePeople(file, rows, 7)
    const connection = join(folder, 'connection')
    mkdirSync(connection)
    prepareConnection(connection, [])
    const { stored } = await measure<ImportRun>('import-ours.ts', [connection, file])
    const found = await measure<SearchRun>('search-ours.ts', [connection])
    const { ours, bare } = await measurePainted(connection)
    const line = (what: string, { keys, inDocument, painted }: PaintedRun) => {
      const text = ({ p50Ms, p99Ms, maxMs }: typeof painted) =>
        `p50 ${p50Ms.toFixed(0)}, p99 ${p99Ms.toFixed(0)}, longest ${maxMs.toFixed(0)} ms`
      return `${what}, key to first row in the document: ${text(inDocument)}; painted: ${text(painted)} (${keys} keys that changed it)`
    }
    return {
      name: `Search while typing, ${stored.toLocaleString('en')} contacts`,
      lines: [
        ...found.byLength.map(
          ({ length, keys, p50Ms, p99Ms, maxMs }) =>
            `${String(length).padStart(2)} characters: p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}, longest ${maxMs.toFixed(1)} ms (${keys} keys)`,
        ),
        `two words, or a number with spaces: p50 ${found.words.p50Ms.toFixed(2)}, p99 ${found.words.p99Ms.toFixed(2)}, longest ${found.words.maxMs.toFixed(1)} ms (${found.words.keys} keys)`,
        `all: p50 ${found.p50Ms.toFixed(2)}, p99 ${found.p99Ms.toFixed(2)} ms; count by LIKE: median ${found.likeP50Ms.toFixed(0)} ms`,
        line('in the browser', ours),
        line('bare page', bare),
        `${found.checked} answers compared with a search without an index, all equal`,
      ],
      targets: [
        {
          name: 'key to painted row, p99, ms',
          value: ours.painted.p99Ms,
          bound: { below: 100 },
          or: {
            name: 'relative to a page without a framework',
            value: ours.painted.p99Ms / bare.painted.p99Ms,
            bound: { below: 4 },
          },
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

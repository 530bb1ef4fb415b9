import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeXlsxStream } from 'hucre/xlsx'
import { readTable } from '#electron/jobs/table/read-table.ts'
import type { BenchResult } from './bench-result.ts'
import { makeNumbers, makePeople } from './people/make-people.ts'
import { choices, prepareConnection } from './people/prepare.ts'
import { type ImportRun, measure } from './people/runs.ts'

/** Imports a large workbook as the console does, with its strings shared, as Excel writes them, and inline. Compared with the same CSV file. */
const rows = 1_000_000

async function rowsOf(file: string): Promise<string[][]> {
  const all: string[][] = []
  await readTable(
    file,
    { ...choices.format, ...wholeFile },
    ({ cells }) => all.push(cells),
    async () => {},
  )
  return all
}
const wholeFile = { headerRow: 0 }

const writeWorkbook = (file: string, table: string[][], inlineStrings: boolean) =>
  pipeline(
    writeXlsxStream(table, { name: 'People', inlineStrings }) as unknown as AsyncIterable<Uint8Array>,
    createWriteStream(file),
  )

const line = (name: string, { ms, openMs, openRssMiB, cpuMs, rssMiB }: ImportRun) =>
  `${name.padEnd(24)}${(ms / 1_000).toFixed(1)} s, of it opening ${(openMs / 1_000).toFixed(1)} s and at most ${openRssMiB.toFixed(0)} MiB; ${(cpuMs / 1_000).toFixed(1)} s of CPU, at most ${rssMiB.toFixed(0)} MiB`

export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-sheets-'))
  try {
    const file = (name: string) => join(folder, name)
    makePeople(file('people.csv'), rows, 7)
    const table = await rowsOf(file('people.csv'))
    await writeWorkbook(file('shared.xlsx'), table, false)
    await writeWorkbook(file('inline.xlsx'), table, true)
    const importOf = async (name: string) => {
      const own = file(`${name}-connection`)
      mkdirSync(own)
      prepareConnection(own, makeNumbers(rows, 99))
      return measure<ImportRun>('import-ours.ts', [own, file(name)])
    }
    const csv = await importOf('people.csv')
    const shared = await importOf('shared.xlsx')
    const inline = await importOf('inline.xlsx')
    for (const { stored, invalid, marked } of [shared, inline])
      if (stored !== csv.stored || invalid !== csv.invalid || marked !== csv.marked)
        throw new Error(`stored ${stored}, rejected ${invalid}; from CSV ${csv.stored} and ${csv.invalid}`)
    const size = (name: string) => `${(statSync(file(name)).size / 2 ** 20).toFixed(0)} MiB`
    return {
      name: `Import of a workbook with ${rows.toLocaleString('en')} rows (${size('shared.xlsx')} shared, ${size('inline.xlsx')} inline)`,
      lines: [line('CSV', csv), line('.xlsx, shared strings', shared), line('.xlsx, inline strings', inline)],
      targets: [
        {
          name: 'opening and importing, s',
          value: Math.max(shared.ms, inline.ms) / 1_000,
          bound: { below: 120 },
          or: {
            name: 'relative to the CSV',
            value: Math.max(shared.ms, inline.ms) / csv.ms,
            bound: { below: 6 },
          },
        },
        {
          name: 'memory, MiB',
          value: Math.max(shared.rssMiB, inline.rssMiB),
          bound: { below: 600 },
        },
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

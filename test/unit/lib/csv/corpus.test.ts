import type { CsvFormat } from '#electron/contract/people/imports.ts'
import { englishText } from '#electron/contract/phrases.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectTable } from '#electron/jobs/table/inspect-table.ts'
import { readTable } from '#electron/jobs/table/read-table.ts'
import { ownColumns } from '#electron/jobs/table/rejected-rows.ts'
import { createDecoder } from '#electron/lib/csv/encoding.ts'
import { type CsvRow, createRowReader } from '#electron/lib/csv/row-reader.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { emptyFiles, notTables, oddFiles } from './corpus.ts'

function fileOf(bytes: Buffer): string {
  const file = join(tempFolder(), 'some.csv')
  writeFileSync(file, bytes)
  return file
}

async function rowsOf(file: string, format: CsvFormat): Promise<CsvRow[]> {
  const rows: CsvRow[] = []
  await readTable(
    file,
    format,
    (row) => rows.push(row),
    () => Promise.resolve(),
  )
  return rows
}

/** Rows of a text that arrives in pieces. */
function rowsOfPieces(pieces: Iterable<string>, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = []
  const reader = createRowReader(delimiter, (row) => rows.push(row))
  for (const piece of pieces) reader.push(piece)
  reader.end()
  return rows
}

describe('an odd file', () => {
  test.each(oddFiles)('$name', async ({ bytes, format, header, rows, problems = [], warns }) => {
    const file = fileOf(bytes)
    const found = inspectTable(file)
    expect(found.format).toEqual({ encoding: 'utf-8', delimiter: ',', headerRow: 1, ...format })
    expect(found.binary).toBe(false)
    expect(found.header).toEqual(header)
    const warnings = found.warnings.map(englishText).join(' ')
    if (warns) expect(warnings).toMatch(warns)
    else expect(warnings).toBe('')
    const read = await rowsOf(file, found.format)
    expect(read.filter(({ problem }) => problem === null).map(({ cells }) => cells)).toEqual(rows)
    const wrong = read.filter(({ problem }) => problem !== null)
    expect(wrong.map(({ rowNumber, line }) => [rowNumber, line])).toEqual(
      problems.map(([row, line]) => [row, line]),
    )
    for (const [at, [, , why]] of problems.entries())
      expect(englishText({ key: wrong[at]!.problem! })).toMatch(why)
    expect(read.map(({ rowNumber }) => rowNumber)).toEqual(read.map((_, at) => at + 1))
  })
})

describe('a file that isn’t a table', () => {
  test.each(notTables)('$name', ({ bytes }) => {
    expect(inspectTable(fileOf(bytes)).binary).toBe(true)
  })
  test.each(emptyFiles)('$name has no columns', ({ bytes }) => {
    const { header, sample, binary } = inspectTable(fileOf(bytes))
    expect({ header, sample, binary }).toEqual({ header: [], sample: [], binary: false })
  })
})

describe('the result does not depend on chunking', () => {
  const short = oddFiles.filter(({ bytes }) => bytes.length < 400)
  const long = oddFiles.filter(({ bytes }) => bytes.length >= 400)
  const decoded = (encoding: string, ...pieces: readonly Uint8Array[]) => {
    const decoder = createDecoder(encoding)
    return pieces.map((piece) => decoder.decode(piece)).join('') + decoder.end()
  }
  const textOf = (bytes: Buffer) => {
    const { encoding, delimiter } = inspectTable(fileOf(bytes)).format
    return { text: decoded(encoding, bytes), delimiter, encoding }
  }

  test.each(short)('$name, at every place and at every character', ({ bytes }) => {
    const { text, delimiter } = textOf(bytes)
    const whole = rowsOfPieces([text], delimiter)
    for (let at = 1; at < text.length; at++)
      expect(rowsOfPieces([text.slice(0, at), text.slice(at)], delimiter)).toEqual(whole)
    expect(rowsOfPieces(text.split(''), delimiter)).toEqual(whole)
  })

  test.each(long)('$name, in pieces of many sizes', ({ bytes }) => {
    const { text, delimiter } = textOf(bytes)
    const whole = rowsOfPieces([text], delimiter)
    for (const size of [1_048_576, 65_537, 4_099])
      expect(rowsOfPieces(piecesOf(text, size), delimiter)).toEqual(whole)
  })

  test.each(short)('$name, its bytes at every place', ({ bytes }) => {
    const { text: whole, encoding } = textOf(bytes)
    for (let at = 1; at < bytes.length; at++)
      expect(decoded(encoding, bytes.subarray(0, at), bytes.subarray(at))).toBe(whole)
    expect(decoded(encoding, ...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe(whole)
  })
})

function* piecesOf(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

describe('a line of a gigabyte', () => {
  test('is skipped in bounded memory, and later rows are read', () => {
    const rows: CsvRow[] = []
    const reader = createRowReader(',', (row) => rows.push(row))
    const piece = 'x'.repeat(1_048_576)
    reader.push('Ada,1\n"')
    const before = process.memoryUsage().rss
    let most = 0
    for (let at = 0; at < 1_024; at++) {
      reader.push(piece)
      if (at % 64 === 0) most = Math.max(most, process.memoryUsage().rss)
    }
    reader.push('\r\nBob,2')
    reader.end()
    expect(rows.map(({ rowNumber, line, problem }) => [rowNumber, line, problem])).toEqual([
      [1, 1, null],
      [2, 2, 'csv.long'],
      [3, 3, null],
    ])
    expect(rows[1]!.cells.join('').length).toBeLessThan(10_000)
    expect(most - before).toBeLessThan(200 * 1_048_576)
  })
})

test('names columns without a title in the chosen language and knows them in any', () => {
  const file = fileOf(Buffer.from('nombre,,\nAda,1,2\nBob,3,4\n'))
  const { header } = inspectTable(file, { headerRow: 1 }, 'es')
  expect(header).toEqual(['nombre', 'Columna 2', 'Columna 3'])
  const report = ['nombre', 'fila', 'resultado', 'motivo']
  expect(ownColumns([...report, 'Columna 5'])).toEqual([0, 4])
  expect(ownColumns([...report, 'Column 5'])).toEqual([0, 4])
  expect(ownColumns([...report, 'Columna 6'])).toHaveLength(5)
})

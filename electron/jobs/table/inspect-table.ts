import type { CsvFormat } from '../../contract/people/imports.ts'
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import type { Phrase } from '../../contract/phrases.ts'
import type { Language } from '../../contract/texts.ts'
import {
  createDecoder,
  cutBytes,
  looksBinary,
  markBytesFor,
  sniffEncoding,
  unreadable,
} from '../../lib/csv/encoding.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { likelyEncoding } from '../../lib/csv/likely-encoding.ts'
import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { firstRows, sniffDelimiter } from '../../lib/csv/sniff-table.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { columnName } from '../run/csv-headers.ts'
import { titleMeaning } from './column-titles.ts'
import { findHeader, titleLinesMax } from './find-header.ts'
import { chunkBytes, readHead } from './read-table.ts'

/** The parts of a format that are given; the rest is detected. */
export type GivenFormat = { [Part in keyof CsvFormat]?: CsvFormat[Part] | undefined }

/** An even sample of a file: so many pieces, of so many bytes. */
const [pieces, pieceBytes] = [64, 16 * 1024]
/** Bytes checked for invalid UTF-8. */
const checkedBytes = 128 * 1024 * 1024
/** UTF-8 that another program read as Western European, such as `Ã¼`. */
const garbled = /Ã[\u0080-\u009f\u00a1-\u00bf]|â€/
/** Most columns of the sample; a header or first row may have more. */
const widthMax = 500

/** What the start of a file shows. */
export interface InspectedTable {
  format: CsvFormat
  /** Column names, or `Column 1` without a header. */
  header: string[]
  sample: string[][]
  warnings: Phrase[]
  sizeBytes: number
  /** True for a file that isn't text. */
  binary: boolean
}

/** Pieces of a file, evenly, each with where it begins. Two bytes a character stay whole. */
function evenPieces(file: string, sizeBytes: number): { bytes: Buffer; position: number }[] {
  const fd = openSync(file, 'r')
  try {
    const step = Math.max(pieceBytes, Math.floor(sizeBytes / pieces / 2) * 2)
    return Array.from({ length: Math.ceil(sizeBytes / step) }, (_, at) => {
      const bytes = Buffer.alloc(pieceBytes)
      return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, pieceBytes, at * step)), position: at * step }
    })
  } finally {
    closeSync(fd)
  }
}

/** The first piece of the rest of a file that is not UTF-8, as far as it is checked. */
function otherBehind(file: string, head: Buffer): Buffer | null {
  const fd = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let position = head.length - cutBytes(head); position < checkedBytes;) {
      const bytes = chunk.subarray(0, readSync(fd, chunk, 0, chunkBytes, position))
      const whole = bytes.subarray(0, bytes.length - cutBytes(bytes))
      if (whole.length === 0) return bytes.length === 0 ? null : bytes
      if (!isUtf8(whole)) return whole
      position += whole.length
    }
    return null
  } finally {
    closeSync(fd)
  }
}

/** The detected encoding. `isBroken`: UTF-8 with bad bytes. Text that starts with ASCII may show it later. */
function encodingOf(file: string, head: Buffer, sizeBytes: number) {
  const { encoding, markBytes } = sniffEncoding(head)
  const likely = (piece: Buffer) => ({
    ...likelyEncoding([piece, ...evenPieces(file, sizeBytes).map(({ bytes }) => bytes)]),
    isBroken: false,
  })
  if (encoding === 'windows-1252') return likely(head)
  if (encoding !== 'utf-8') return { encoding, isSure: true, isBroken: false }
  const isHeadUtf8 = isUtf8(head.subarray(0, head.length - cutBytes(head)))
  const other = isHeadUtf8 && sizeBytes > head.length ? otherBehind(file, head) : null
  const saysNothing = markBytes === 0 && head.every((byte) => byte < 0x80)
  return other && saysNothing
    ? likely(other)
    : { encoding, isSure: true, isBroken: !isHeadUtf8 || other !== null }
}

/** The rows below the header. */
const below = (rows: readonly CsvRow[], headerRow: number): CsvRow[] =>
  headerRow === 0
    ? [...rows]
    : rows.slice(rows.findIndex(({ sheetRow }) => sheetRow >= headerRow) + 1 || rows.length)

/** The start of a file as text. */
function decodeHead(head: Buffer, encoding: string) {
  const decoder = createDecoder(encoding)
  const text = decoder.decode(head.subarray(markBytesFor(head, encoding))).replaceAll(unreadable, '\ufffd')
  return { text, foundUnreadable: decoder.foundUnreadable }
}

/** The first rows, with the header and those above it. */
const startRows = (text: string, delimiter: string, headerRow: number, isWhole: boolean): CsvRow[] =>
  firstRows(text, delimiter, 21 + headerRow, isWhole)

/** The cells of the header. A title that spans two rows is in the first. The mark of a workbook's refusals is above each row of titles. */
function titlesAt(first: readonly CsvRow[], headerRow: number): string[] {
  const at = first.findIndex(({ sheetRow }) => sheetRow >= headerRow)
  const [above, row] = [first[at - 1], first[at]]
  const isTitle = (cell: string, column: number) =>
    cell.trim() !== '' && (column > 0 || cell !== row?.cells[0])
  const isDirect = above?.sheetRow === headerRow - 1 && above.cells.filter(isTitle).length > 1
  const upper = isDirect ? above.cells : []
  return (row?.cells ?? []).map((cell, column) => (cell.trim() ? cell : (upper[column] ?? '')))
}

/** Whether a header has no title for the first column, as R writes it: the numbers are one column behind their title in each row. */
const lackFirst = (titles: readonly string[], rows: readonly string[][]): boolean =>
  titles.some(
    (title, at) =>
      titleMeaning(title)?.to === 'phone' &&
      rows.some((cells) => numberShapeDigits(cells[at + 1] ?? '') > 0) &&
      rows.every((cells) => cells.length === titles.length + 1 && numberShapeDigits(cells[at]!) === 0) &&
      // Else each row ends with a delimiter.
      rows.some((cells) => cells.at(-1) !== ''),
  )

/** The columns that the first rows show, and rows below the header after `others`. */
function columnsOf(first: readonly CsvRow[], headerRow: number, others: string[][], language?: Language) {
  const sample = [...others, ...below(first, headerRow).map(({ cells }) => cells)].slice(0, 20)
  const given = headerRow === 0 ? [] : titlesAt(first, headerRow)
  const titles = lackFirst(given, sample) ? ['', ...given] : given
  const firstWidth = (headerRow === 0 ? first[0]?.cells : titles)?.length ?? 0
  const width = Math.max(firstWidth, Math.min(widthMax, Math.max(0, ...sample.map((cells) => cells.length))))
  const names = titles.map(readCell)
  const header = Array.from({ length: width }, (_, at) =>
    names[at]?.trim() ? names[at] : columnName(at, language),
  )
  return { header, sample }
}

/** The start of a file in a known encoding. */
export const readStartText = (file: string, { encoding }: CsvFormat): string =>
  decodeHead(readHead(file).head, encoding).text

/** The first rows of a file in a known format: reads only its start. */
function readStart(file: string, { encoding, delimiter, headerRow }: CsvFormat): CsvRow[] {
  const { head, sizeBytes } = readHead(file)
  return startRows(decodeHead(head, encoding).text, delimiter, headerRow, head.length === sizeBytes)
}

/** The column names of a file in a known format. */
export const readHeader = (file: string, format: CsvFormat, language?: Language): string[] =>
  columnsOf(readStart(file, format), format.headerRow, [], language).header

/** The texts of the title lines above a file's table. */
export function readTitles(file: string, format: CsvFormat): string[] {
  const rows = readStart(file, format)
  const header = titlesAt(rows, format.headerRow)
  return rows.flatMap(({ sheetRow, cells }) =>
    sheetRow < format.headerRow
      ? cells.filter((cell) => cell.trim() !== '' && !header.includes(cell)).map(readCell)
      : [],
  )
}

/**
 * Detects a file's format, except what `given` gives. Columns without a title are named in `language`. Reads up to 128 MiB, so the core
 * leaves it to a job.
 */
export function inspectTable(file: string, given: GivenFormat = {}, language?: Language): InspectedTable {
  const { head, sizeBytes } = readHead(file)
  const shown = encodingOf(file, head, sizeBytes)
  const encoding = given.encoding ?? shown.encoding
  const { text, foundUnreadable } = decodeHead(head, encoding)
  const delimiter = given.delimiter ?? sniffDelimiter(text)
  const first = startRows(text, delimiter, given.headerRow ?? titleLinesMax, head.length === sizeBytes)
  const headerRow = given.headerRow ?? findHeader(first)
  const isGuess = given.encoding === undefined && !shown.isSure
  const format = { encoding, delimiter, headerRow }
  /** Rows that show whether a guessed encoding is right. */
  const telling = isGuess ? evenRows(file, format).filter((cells) => /[^\0-\x7f]/.test(cells.join(''))) : []
  const { header, sample } = columnsOf(first, headerRow, telling.slice(0, 3), language)
  const warnings: Phrase[] = []
  if (new Set(header).size < header.length) warnings.push({ key: 'table.duplicateColumns' })
  if (sample.some((cells) => cells.length !== header.length)) warnings.push({ key: 'table.uneven' })
  if (foundUnreadable || (encoding === 'utf-8' && shown.isBroken)) warnings.push({ key: 'table.encoding' })
  else if (isGuess) warnings.push({ key: 'table.checkNames' })
  if (garbled.test(text)) warnings.push({ key: 'table.garbled' })
  if (text.includes('\u0000')) warnings.push({ key: 'table.nul' })
  return {
    format,
    header,
    sample,
    warnings,
    sizeBytes,
    binary: given.encoding === undefined && looksBinary(head, encoding),
  }
}

export interface InspectOrder {
  file: string
  given?: GivenFormat | undefined
  language?: Language | undefined
}

/** `inspectTable` as a job, with an even sample of the rows. */
export async function inspectWithRows({ file, given, language }: InspectOrder) {
  const found = inspectTable(file, given, language)
  return { ...found, rows: found.binary ? [] : evenRows(file, found.format) }
}

/** Most rows and cells of an even sample. */
const [spreadRows, spreadCells] = [1_000, 50_000]

/**
 * Rows from all over a file, without the header: an even sample that costs the same for a file of any size. A piece that begins within
 * a quoted cell may give a wrong row.
 */
export function evenRows(file: string, format: CsvFormat): string[][] {
  const { head, sizeBytes } = readHead(file)
  const isWhole = sizeBytes <= head.length
  const parts = isWhole ? [{ bytes: head, position: 0 }] : evenPieces(file, sizeBytes)
  const rows = parts.flatMap(({ bytes, position }) => {
    const decoder = createDecoder(format.encoding)
    const start = position === 0 ? markBytesFor(head, format.encoding) : 0
    const text = decoder.decode(bytes.subarray(start)).replaceAll(unreadable, '\ufffd')
    // The first line of a later piece is cut.
    const whole = position === 0 ? text : text.slice(text.search(/[\r\n]/) + 1 || text.length)
    const read = firstRows(whole, format.delimiter, spreadRows * pieces, isWhole)
    return (position === 0 ? below(read, format.headerRow) : read).map(({ cells }) => cells)
  })
  const width = Math.max(1, ...rows.slice(0, 20).map((cells) => cells.length))
  const step = Math.ceil(rows.length / Math.min(spreadRows, Math.max(20, spreadCells / width)))
  return rows.filter((_, at) => at % step === 0)
}

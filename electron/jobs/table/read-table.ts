import type { Phrase } from '../../contract/phrases.ts'
import type { Language } from '../../contract/texts.ts'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { analyse } from 'chardet'
import {
  createDecoder,
  cutBytes,
  looksBinary,
  markBytesFor,
  sniffEncoding,
  unreadable,
} from '../../lib/csv/encoding.ts'
import { type CsvRow, createRowReader } from '../../lib/csv/row-reader.ts'
import { findHeader, firstRows, sniffDelimiter } from '../../lib/csv/sniff-table.ts'
import { readCell } from '../../lib/csv/formula-guard.ts'
import { columnName } from '../run/csv-headers.ts'

/** How a file's bytes become rows and cells. */
export interface TableFormat {
  /** A WHATWG label. */
  encoding: string
  delimiter: string
  /** The row that names the columns, as a spreadsheet numbers it; 0 without one. Rows above it are skipped. */
  headerRow: number
}

/** The parts of a format that are given; the rest is detected. */
export type GivenFormat = { [Part in keyof TableFormat]?: TableFormat[Part] | undefined }

const chunkBytes = 1 << 20
/** Bytes used to detect the format. */
const headBytes = 256 * 1024
/** Bytes checked for invalid UTF-8. */
const checkedBytes = 128 * 1024 * 1024
/** Most columns of the sample; a header or first row may have more. */
const widthMax = 500

/** What the start of a file shows. */
export interface InspectedTable {
  format: TableFormat
  /** Column names, or `Column 1` without a header. */
  header: string[]
  sample: string[][]
  warnings: Phrase[]
  sizeBytes: number
  /** True for a file that isn't text. */
  binary: boolean
}

function readHead(file: string): { head: Buffer; sizeBytes: number } {
  const fd = openSync(file, 'r')
  try {
    const head = Buffer.alloc(headBytes)
    const length = readSync(fd, head, 0, headBytes, 0)
    return { head: head.subarray(0, length), sizeBytes: fstatSync(fd).size }
  } finally {
    closeSync(fd)
  }
}

/** True when the rest of a file is UTF-8, as far as it is checked. */
function isUtf8Behind(file: string, head: Buffer): boolean {
  const fd = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let position = head.length - cutBytes(head); position < checkedBytes;) {
      const bytes = chunk.subarray(0, readSync(fd, chunk, 0, chunkBytes, position))
      const whole = bytes.subarray(0, bytes.length - cutBytes(bytes))
      if (whole.length === 0) return bytes.length === 0
      if (!isUtf8(whole)) return false
      position += whole.length
    }
    return true
  } finally {
    closeSync(fd)
  }
}

/** Below this, a detected encoding is a bad guess. */
const leastConfidence = 20

/** The encoding that a text in no form of Unicode is likely in, as a WHATWG name. */
function likelyEncoding(head: Buffer): string {
  const best = analyse(head).find(({ name }) => isLabel(name))
  return best && best.confidence >= leastConfidence ? new TextDecoder(best.name).encoding : 'windows-1252'
}

function isLabel(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== ''
  } catch {
    return false
  }
}

/** The detected encoding. Text that starts with ASCII may show it later. */
function encodingOf(file: string, head: Buffer, sizeBytes: number): { encoding: string; broken: boolean } {
  const { encoding, markBytes } = sniffEncoding(head)
  if (encoding === 'windows-1252') return { encoding: likelyEncoding(head), broken: false }
  if (encoding !== 'utf-8') return { encoding, broken: false }
  const broken =
    !isUtf8(head.subarray(0, head.length - cutBytes(head))) ||
    (sizeBytes > head.length && !isUtf8Behind(file, head))
  const saysNothing = markBytes === 0 && head.every((byte) => byte < 0x80)
  return broken && saysNothing ? { encoding: 'windows-1252', broken: false } : { encoding, broken }
}

/** The rows below the header. */
const below = (rows: readonly CsvRow[], headerRow: number): CsvRow[] =>
  headerRow === 0
    ? [...rows]
    : rows.slice(rows.findIndex(({ sheetRow }) => sheetRow >= headerRow) + 1 || rows.length)

/** Detects a file's format, except what `given` gives. Columns without a title are named in `language`. */
export function inspectTable(file: string, given: GivenFormat = {}, language?: Language): InspectedTable {
  const { head, sizeBytes } = readHead(file)
  const shown = encodingOf(file, head, sizeBytes)
  const encoding = given.encoding ?? shown.encoding
  const decoder = createDecoder(encoding)
  const text = decoder.decode(head.subarray(markBytesFor(head, encoding))).replaceAll(unreadable, '\ufffd')
  const delimiter = given.delimiter ?? sniffDelimiter(text)
  const isWhole = head.length === sizeBytes
  const first = firstRows(text, delimiter, 21 + (given.headerRow ?? 0), isWhole)
  const headerRow = given.headerRow ?? findHeader(first)
  const sample = below(first, headerRow)
    .slice(0, 20)
    .map(({ cells }) => cells)
  const titles = headerRow === 0 ? [] : (first.find(({ sheetRow }) => sheetRow >= headerRow)?.cells ?? [])
  const firstWidth = (headerRow === 0 ? first[0]?.cells : titles)?.length ?? 0
  const width = Math.max(firstWidth, Math.min(widthMax, Math.max(0, ...sample.map((cells) => cells.length))))
  const names = titles.map(readCell)
  const header = Array.from({ length: width }, (_, at) =>
    names[at]?.trim() ? names[at] : columnName(at, language),
  )
  const warnings: Phrase[] = []
  if (new Set(header).size < header.length) warnings.push({ key: 'table.duplicateColumns' })
  if (sample.some((cells) => cells.length !== width)) warnings.push({ key: 'table.uneven' })
  if (decoder.foundUnreadable || (encoding === 'utf-8' && shown.broken))
    warnings.push({ key: 'table.encoding' })
  if (text.includes('\u0000')) warnings.push({ key: 'table.nul' })
  return {
    format: { encoding, delimiter, headerRow },
    header,
    sample,
    warnings,
    sizeBytes,
    binary: given.encoding === undefined && looksBinary(head, encoding),
  }
}

/** Marks a row with invalid characters. */
function markUnreadable(row: CsvRow): void {
  if (!row.cells.some((cell) => cell.includes(unreadable))) return
  row.cells = row.cells.map((cell) => cell.replaceAll(unreadable, '\ufffd'))
  row.problem ??= 'csv.encoding'
}

/**
 * Reads a file's rows without the header. `between` is awaited after each megabyte with the bytes done; it may throw
 * to stop. `onRow` gets the bytes read at that row.
 */
export async function readTable(
  file: string,
  format: TableFormat,
  onRow: (row: CsvRow, readBytes: number) => void,
  between: (doneBytes: number, totalBytes: number) => Promise<void>,
): Promise<void> {
  const fd = openSync(file, 'r')
  try {
    const totalBytes = fstatSync(fd).size
    const { head } = readHead(file)
    const decoder = createDecoder(format.encoding)
    let position = markBytesFor(head, format.encoding)
    let isBelow = format.headerRow === 0
    let rowsAbove = 0
    const reader = createRowReader(format.delimiter, (row) => {
      if (!isBelow) {
        isBelow = row.sheetRow >= format.headerRow
        rowsAbove = row.rowNumber
        return
      }
      row.rowNumber -= rowsAbove
      if (decoder.foundUnreadable) markUnreadable(row)
      onRow(row, position)
    })
    const chunk = Buffer.alloc(chunkBytes)
    for (;;) {
      const length = readSync(fd, chunk, 0, chunkBytes, position)
      if (length === 0) break
      position += length
      reader.push(decoder.decode(chunk.subarray(0, length)))
      await between(position, totalBytes)
    }
    reader.push(decoder.end())
    reader.end()
    await between(totalBytes, totalBytes)
  } finally {
    closeSync(fd)
  }
}

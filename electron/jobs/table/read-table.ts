import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createDecoder, looksBinary, sniffEncoding, type TextEncoding } from '../../lib/csv/encoding.ts'
import { type CsvRow, createRowReader } from '../../lib/csv/row-reader.ts'
import { firstRows, looksLikeHeader, sniffDelimiter } from '../../lib/csv/sniff-table.ts'

/** How the bytes of a file become rows and cells. */
export interface TableFormat {
  encoding: TextEncoding
  delimiter: string
  hasHeader: boolean
}

const chunkBytes = 1 << 20
/** What is looked at to know the form of a file. */
const headBytes = 256 * 1024

/** What the beginning of a file shows. */
export interface InspectedTable {
  format: TableFormat
  /** Names of the columns, or `Column 1` where the file has none. */
  header: string[]
  sample: string[][]
  warnings: string[]
  sizeBytes: number
  /** True for what is no table of text at all. */
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

/** Looks into a file. What `wanted` says is taken as it stands; the rest is guessed. */
export function inspectTable(file: string, wanted: Partial<TableFormat> = {}): InspectedTable {
  const { head, sizeBytes } = readHead(file)
  const sniffed = sniffEncoding(head)
  const encoding = wanted.encoding ?? sniffed.encoding
  const text = createDecoder(encoding).decode(
    head.subarray(encoding === sniffed.encoding ? sniffed.markBytes : 0),
  )
  const delimiter = wanted.delimiter ?? sniffDelimiter(text)
  const isWhole = head.length === sizeBytes
  const rows = firstRows(text, delimiter, 21, isWhole)
  const hasHeader = wanted.hasHeader ?? looksLikeHeader(rows)
  const width = Math.max(0, ...rows.map((cells) => cells.length))
  const names = hasHeader ? (rows[0] ?? []) : []
  const header = Array.from({ length: width }, (_, at) => names[at]?.trim() || `Column ${at + 1}`)
  const sample = rows.slice(hasHeader ? 1 : 0, (hasHeader ? 1 : 0) + 20)
  const warnings: string[] = []
  if (new Set(header).size < header.length) warnings.push('Some columns have the same name.')
  if (sample.some((cells) => cells.length !== width))
    warnings.push('Some rows have fewer or more cells than others.')
  if (text.includes('\ufffd')) warnings.push('Some characters cannot be read in this encoding.')
  if (text.includes('\u0000')) warnings.push('Some rows hold NUL characters and will be rejected.')
  return {
    format: { encoding, delimiter, hasHeader },
    header,
    sample,
    warnings,
    sizeBytes,
    binary: wanted.encoding === undefined && looksBinary(head, encoding),
  }
}

/**
 * Reads a file's rows, the header left out and not counted. Between two pieces of a megabyte `between` is awaited with how many bytes
 * are done; it may throw to end the reading. `onRow` may answer a promise, which holds the next piece back.
 */
export async function readTable(
  file: string,
  format: TableFormat,
  onRow: (row: CsvRow) => void,
  between: (doneBytes: number, totalBytes: number) => Promise<void>,
): Promise<void> {
  const fd = openSync(file, 'r')
  try {
    const totalBytes = fstatSync(fd).size
    const { head } = readHead(file)
    const sniffed = sniffEncoding(head)
    const decoder = createDecoder(format.encoding)
    const headerRows = format.hasHeader ? 1 : 0
    const reader = createRowReader(format.delimiter, (row) => {
      if (row.rowNumber > headerRows) onRow({ ...row, rowNumber: row.rowNumber - headerRows })
    })
    let position = sniffed.encoding === format.encoding ? sniffed.markBytes : 0
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

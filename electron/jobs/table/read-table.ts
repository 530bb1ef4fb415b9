import type { CsvFormat } from '../../contract/people/imports.ts'
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createDecoder, markBytesFor, unreadable } from '../../lib/csv/encoding.ts'
import { type CsvRow, createRowReader } from '../../lib/csv/row-reader.ts'

export const chunkBytes = 1 << 20
/** Bytes used to detect the format. */
const headBytes = 256 * 1024
/** The start of a file, which shows its format. */
export function readHead(file: string): { head: Buffer; sizeBytes: number } {
  const fd = openSync(file, 'r')
  try {
    const head = Buffer.alloc(headBytes)
    const length = readSync(fd, head, 0, headBytes, 0)
    return { head: head.subarray(0, length), sizeBytes: fstatSync(fd).size }
  } finally {
    closeSync(fd)
  }
}

/** Marks a row with invalid characters. */
function markUnreadable(row: CsvRow): void {
  if (!row.cells.some((cell) => cell.includes(unreadable))) return
  row.cells = row.cells.map((cell) => cell.replaceAll(unreadable, '\ufffd'))
  row.problem ??= 'csv.encoding'
}

/** Ending of a file with the rows of a table, one JSON line each. */
export const rowsEnding = '.rows'

async function readRows(
  file: string,
  onRow: (row: CsvRow, readBytes: number) => void,
  between: (doneBytes: number, totalBytes: number) => Promise<void>,
): Promise<void> {
  const { size: totalBytes } = statSync(file)
  let readBytes = 0
  let toldBytes = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    readBytes += Buffer.byteLength(line) + 1
    onRow(JSON.parse(line) as CsvRow, readBytes)
    if (readBytes - toldBytes < chunkBytes) continue
    toldBytes = readBytes
    await between(readBytes, totalBytes)
  }
  await between(totalBytes, totalBytes)
}

/**
 * Reads a file's rows without the header. `between` is awaited after each megabyte with the bytes done; it may throw
 * to stop. `onRow` gets the bytes read at that row.
 */
export async function readTable(
  file: string,
  format: CsvFormat,
  onRow: (row: CsvRow, readBytes: number) => void,
  between: (doneBytes: number, totalBytes: number) => Promise<void>,
): Promise<void> {
  if (file.endsWith(rowsEnding)) return readRows(file, onRow, between)
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

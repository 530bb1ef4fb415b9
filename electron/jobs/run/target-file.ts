import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import type { TableTarget } from './sheet-target.ts'
import { byteOrderMark, createRowWriter } from '../../lib/csv/row-writer.ts'

/** Characters buffered before a write. */
const pieceLength = 1 << 20

/** JSON on one line, also for readers that end lines at Unicode separators. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`)

export type TableKind = 'csv' | 'xlsx'

/** A table as CSV or as a workbook. */
export async function createTable(file: string, kind: TableKind = 'csv'): Promise<TableTarget> {
  if (kind === 'xlsx') return (await import('./sheet-target.ts')).createSheetTarget(file)
  const { row, finish, abandon } = createTarget(file)
  return { row, drained: async () => {}, finish: async () => finish(), abandon }
}

/** A file that gets its name when complete, of CSV rows after a byte order mark or of lines. Until then: `.part`. */
export function createTarget(file: string, delimiter = ',') {
  const fd = openSync(`${file}.part`, 'w', 0o600)
  const writer = createRowWriter(write, { delimiter })
  let lines: string[] = []
  let length = 0
  let isEmpty = true
  let isOpen = true

  function write(bytes: Uint8Array): void {
    // A call may write only part.
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(writeSync(fd, rest))
  }

  function flushLines(): void {
    if (lines.length > 0) write(Buffer.from(lines.join('')))
    lines = []
    length = 0
  }

  return {
    row(cells: readonly (string | number)[]) {
      if (isEmpty) write(byteOrderMark)
      isEmpty = false
      writer.row(cells)
    },
    /** A line without its LF. Don't mix with rows. */
    line(text: string) {
      lines.push(text, '\n')
      length += text.length
      if (length >= pieceLength) flushLines()
    },
    finish() {
      writer.flush()
      flushLines()
      // The task's end is stored durably, so the file must be, too.
      fsyncSync(fd)
      closeSync(fd)
      isOpen = false
      renameSync(`${file}.part`, file)
    },
    /** Deletes an incomplete file. No effect after `finish`. */
    abandon() {
      if (!isOpen) return
      isOpen = false
      closeSync(fd)
      rmSync(`${file}.part`, { force: true })
    },
  }
}

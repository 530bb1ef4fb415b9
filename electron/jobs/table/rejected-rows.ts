import type { ImportRow, RowOutcome, RowProblem } from '../../contract/people/imports.ts'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type CsvColumn, isColumnName, isTitleOf } from '../run/csv-headers.ts'

/** `problem`: what rejected an `invalid` row. */
export type JudgedRow = Omit<ImportRow, 'name'> & { problem?: RowProblem }

/** Rows of a file of rejected rows, as JSON; empty without a file. Skips an incomplete last line. */
export async function* rejectedLines(file: string): AsyncGenerator<string, void> {
  if (!existsSync(file)) return
  let last: string | null = null
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (last !== null) yield last
    last = line
  }
  if (last !== null && isJson(last)) yield last
}

/** Parses such a line. */
export const rejectedRow = (line: string): JudgedRow => JSON.parse(line) as JudgedRow

/** Columns that a list of rejected rows adds. */
export const reportColumns: readonly CsvColumn[] = ['row', 'outcome', 'reason']

/**
 * Columns of the original file. In a saved list of rejected rows, skips report columns, even repeated or followed by
 * unnamed ones. `isUsed` columns always count.
 */
export function ownColumns(
  header: readonly string[],
  isUsed: (at: number) => boolean = () => false,
): number[] {
  const own = header.map((_, at) => at)
  for (let end = header.length; end > 0;) {
    const start = end - reportColumns.length
    const isReport = reportColumns.every(
      (column, at) => isTitleOf(header[start + at], column) && !isUsed(start + at),
    )
    if (isReport) own.splice(start, reportColumns.length)
    else if (!isColumnName(header[end - 1], end - 1)) break
    end = isReport ? start : end - 1
  }
  return own
}

/** Index of the outcome column in a saved list of rejected rows; null for other files. A column that the import uses does not count. */
export function outcomeColumn(header: readonly string[], isUsed: (at: number) => boolean): number | null {
  const own = new Set(ownColumns(header, isUsed))
  const at = header.findLastIndex((title, place) => isTitleOf(title, 'outcome') && !own.has(place))
  return at < 0 ? null : at
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const lineFeed = 10
/** First read of a page: over a hundred ordinary rows. */
const pieceBytes = 65_536
/** A page ends after this many bytes, because rows may be a million characters long. */
const pageBytes = 1_048_576
const countedBytes = 1_048_576

/** Opens a file for `read`; `none` if it doesn't exist. */
async function withFile<T>(file: string, none: T, read: (handle: FileHandle) => Promise<T>): Promise<T> {
  let handle
  try {
    handle = await open(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none
    throw error
  }
  try {
    return await read(handle)
  } finally {
    await handle.close()
  }
}

/** A page of rejected rows. `nextByte` is null at the end. */
export interface RejectedPage {
  lines: string[]
  nextByte: number | null
}

/** A row's outcome or problem as its line spells it. No cell matches: quotes in cells are escaped. */
const markOf = (only: RowOutcome | RowProblem): string =>
  `"${outcomes.has(only) ? 'outcome' : 'problem'}":"${only}"`
const outcomes: ReadonlySet<string> = new Set<RowOutcome>([
  'duplicate-in-file',
  'duplicate-in-contacts',
  'dnc',
])

/**
 * Reads at most `limit` whole rows that start at or after `fromByte`, and little more of the file; with `only`, those
 * with that outcome or problem. Empty without a file or rows.
 */
export async function readRejected(
  file: string,
  fromByte: number,
  limit: number,
  only?: RowOutcome | RowProblem,
): Promise<RejectedPage> {
  const mark = only === undefined ? null : markOf(only)
  return withFile(file, { lines: [], nextByte: null }, async (handle) => {
    const lines: string[] = []
    // Reads from the byte before, to skip a partial row.
    let isWithin = fromByte > 0
    let lineAt = Math.max(0, fromByte - 1)
    let rest = Buffer.alloc(0)
    const isFull = () => lines.length >= limit || (lines.length > 0 && lineAt - fromByte >= pageBytes)
    while (!isFull()) {
      // Doubles for a row longer than what was read.
      const piece = Buffer.allocUnsafe(Math.max(pieceBytes, rest.length))
      const { bytesRead, buffer } = await handle.read(piece, 0, piece.length, lineAt + rest.length)
      if (bytesRead === 0) break
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
      let from = 0
      for (let end; !isFull() && (end = rest.indexOf(lineFeed, from)) >= 0; from = end + 1) {
        if (isWithin) isWithin = false
        else if (mark === null || rest.subarray(from, end).includes(mark))
          lines.push(rest.toString('utf8', from, end))
        lineAt += end + 1 - from
      }
      rest = rest.subarray(from)
    }
    const { size } = await handle.stat()
    return { lines, nextByte: lineAt < size && lines.length > 0 ? lineAt : null }
  })
}

/** Counts rows of such files; in a growing one only the new ones. */
export function createLineCount() {
  const known = new Map<string, { bytes: number; lines: number }>()

  return {
    of: (file: string): Promise<number> =>
      withFile(file, 0, async (handle) => {
        const { size } = await handle.stat()
        const before = known.get(file)
        const count = before && before.bytes <= size ? { ...before } : { bytes: 0, lines: 0 }
        const piece = Buffer.allocUnsafe(countedBytes)
        while (count.bytes < size) {
          const { bytesRead } = await handle.read(piece, 0, piece.length, count.bytes)
          if (bytesRead === 0) break
          const read = piece.subarray(0, bytesRead)
          for (let at = -1; (at = read.indexOf(lineFeed, at + 1)) >= 0;) count.lines++
          count.bytes += bytesRead
        }
        known.set(file, count)
        return count.lines
      }),
    /** Call when counted rows may have changed. */
    forget: (file: string) => void known.delete(file),
  }
}

import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { JudgedRow, RowOutcome, RowProblem } from './protocol.ts'

/**
 * The rows of a file of rejected rows, each as the JSON of a `JudgedRow`; none where there is no file. A last one that an import is
 * still writing, or that a crash cut off, is left out.
 */
export async function* rejectedLines(file: string): AsyncGenerator<string, void> {
  if (!existsSync(file)) return
  let last: string | null = null
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (last !== null) yield last
    last = line
  }
  if (last !== null && isJson(last)) yield last
}

/**
 * A line of such a file as a row. An earlier version wrote none of their places in a spreadsheet: they are told as if no line before them
 * were blank, behind so many `headerRows`.
 */
export function rejectedRow(line: string, headerRows: number): JudgedRow {
  const row = JSON.parse(line) as Omit<JudgedRow, 'sheetRow'> & { sheetRow?: number }
  return { ...row, sheetRow: row.sheetRow ?? row.rowNumber + headerRows }
}

/** What a saved list of rejected rows has behind the columns of its file: where a row was, what became of it, and why. */
export const reportColumns: readonly string[] = ['row', 'outcome', 'reason']

/**
 * Places of the columns that are a file's own: of one that is a saved list of rejected rows, all but those of the report, however often
 * they were put there. Columns without a name may stand behind them. What `isUsed` says is brought into the book is its own.
 */
export function ownColumns(
  header: readonly string[],
  isUsed: (at: number) => boolean = () => false,
): number[] {
  const own = header.map((_, at) => at)
  for (let end = header.length; end > 0;) {
    const start = end - reportColumns.length
    const isReport = reportColumns.every((name, at) => header[start + at] === name && !isUsed(start + at))
    if (isReport) own.splice(start, reportColumns.length)
    else if (header[end - 1] !== `Column ${end}`) break
    end = isReport ? start : end - 1
  }
  return own
}

/** Index of the outcome column in a saved list of rejected rows; null for other files. A column that the import uses does not count. */
export function outcomeColumn(header: readonly string[], isUsed: (at: number) => boolean): number | null {
  const own = new Set(ownColumns(header, isUsed))
  const at = header.findLastIndex((name, place) => name === 'outcome' && !own.has(place))
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
/** Read at once for a page: more than a hundred rows of an ordinary file. */
const pieceBytes = 65_536
/** A page ends behind the row with which it has read so much: rows may be a million characters long. */
const pageBytes = 1_048_576
const countedBytes = 1_048_576

/** Opens the file for what `read` gives; `none` where there is no file. */
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

/** A page of a file of rejected rows. `nextByte`: where the next one begins, null at the end of what is written. */
export interface RejectedPage {
  lines: string[]
  nextByte: number | null
}

/** A row's outcome or problem as its line has it. No cell matches: quotes in cells are escaped. */
const markOf = (only: RowOutcome | RowProblem): string =>
  `"${outcomes.has(only) ? 'outcome' : 'problem'}":"${only}"`
const outcomes: ReadonlySet<string> = new Set<RowOutcome>(['duplicate-in-file', 'duplicate-in-book', 'dnc'])

/**
 * Reads at most `limit` whole rows from the first at or after `fromByte`, and no more of the file than they need. With `only`, rows with
 * that outcome or problem. None without a file or past its end.
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
    // A place within a row begins with the row behind it: its line is read from the byte before, and passed over.
    let isWithin = fromByte > 0
    let lineAt = Math.max(0, fromByte - 1)
    let rest = Buffer.alloc(0)
    const isFull = () => lines.length >= limit || (lines.length > 0 && lineAt - fromByte >= pageBytes)
    while (!isFull()) {
      // As much again for a row that is longer than what was read of it.
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

/** Counts the rows of files of rejected rows; of one that grew, only what is new. */
export interface LineCount {
  of(file: string): Promise<number>
  /** To be said when rows that were counted may be others now. */
  forget(file: string): void
}

export function createLineCount(): LineCount {
  const known = new Map<string, { bytes: number; lines: number }>()

  return {
    of: (file) =>
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
    forget: (file) => void known.delete(file),
  }
}

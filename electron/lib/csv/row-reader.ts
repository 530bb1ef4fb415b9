/** A row of a table as it stands in the file. */
export interface CsvRow {
  cells: string[]
  /** From 1, the first row of the file; empty lines are not counted. */
  rowNumber: number
  /** The line it begins on, from 1. */
  line: number
  /** What is wrong with its form; its cells are then what could be read. */
  problem: string | null
}

/** Longest row, characters. One that is longer is no row of contacts; the rest of its line is passed over. */
export const rowMax = 1_048_576
/** A quoted cell that goes on for more lines than this was not meant to: its quote is taken as it stands. */
const quotedLinesMax = 100

/** Reads rows out of text that comes in pieces, in bounded memory whatever comes. */
export interface RowReader {
  /** Takes a piece and calls `onRow` for each row that is whole. */
  push(text: string): void
  end(): void
}

/**
 * Splits CSV into rows (RFC 4180, and what spreadsheets make of it): any delimiter, quotes doubled within quotes, line ends LF, CRLF or
 * CR. A row whose quote is never closed costs that row and no other: it is read again as plain text up to its line's end.
 *
 * 2026-11-21: not a library, because none gives back the rows behind an unclosed quote, numbers rows and lines, and holds a bound
 * on a line without end.
 */
export function createRowReader(delimiter: string, onRow: (row: CsvRow) => void): RowReader {
  /** Text from the start of the present row on. */
  let pending = ''
  /** Where the scan of the present row goes on, and what it knows. */
  let at = 0
  let cellStart = 0
  let cells: string[] = []
  let quoted = false
  let inQuotes = false
  let quoteLines = 0
  let stray = false
  let rowNumber = 0
  let line = 1
  let lineOfRow = 1
  /** True while the rest of an overlong line is passed over. */
  let skipping = false
  let plain = false

  function startRow(): void {
    pending = pending.slice(at)
    at = 0
    cellStart = 0
    cells = []
    quoted = false
    inQuotes = false
    quoteLines = 0
    stray = false
    plain = false
    lineOfRow = line
  }

  function cellText(end: number): string {
    const raw = pending.slice(cellStart, end)
    if (!quoted) return raw
    const open = raw.indexOf('"')
    const close = raw.lastIndexOf('"')
    return (raw.slice(open + 1, close) + raw.slice(close + 1)).replaceAll('""', '"')
  }

  function endCell(end: number): void {
    cells.push(cellText(end))
    quoted = false
  }

  function emit(problem: string | null): void {
    if (cells.length === 1 && cells[0] === '' && problem === null) return
    rowNumber++
    onRow({ cells, rowNumber, line: lineOfRow, problem })
  }

  /** Reads the present row again without quotes having a meaning. */
  function rereadPlain(): void {
    at = 0
    cellStart = 0
    cells = []
    quoted = false
    inQuotes = false
    line = lineOfRow
    plain = true
  }

  function endRow(newlineLength: number): void {
    endCell(at)
    emit(plain ? 'a quote is opened and not closed' : stray ? 'there is text behind a closing quote' : null)
    at += newlineLength
    line++
    startRow()
  }

  /** `isLast`: nothing comes behind what is pending. */
  function scan(isLast: boolean): void {
    while (at < pending.length) {
      const char = pending.charCodeAt(at)
      if (skipping) {
        if (char === 10 || char === 13) {
          skipping = false
          if (char === 13 && pending.charCodeAt(at + 1) === 10) at++
          at++
          line++
          startRow()
        } else at++
        continue
      }
      if (inQuotes) {
        if (char === 34) {
          if (at + 1 === pending.length && !isLast) return
          if (pending.charCodeAt(at + 1) === 34) at += 2
          else {
            inQuotes = false
            at++
          }
          continue
        }
        if (char === 10 || (char === 13 && pending.charCodeAt(at + 1) !== 10)) {
          line++
          if (++quoteLines > quotedLinesMax) {
            rereadPlain()
            continue
          }
        }
        at++
        continue
      }
      if (char === 34 && !plain && !quoted && pending.slice(cellStart, at).trim() === '') {
        quoted = true
        inQuotes = true
        at++
      } else if (char === 10) endRow(1)
      else if (char === 13) {
        // Whether it is CR or CRLF shows with the next piece.
        if (at + 1 === pending.length && !isLast) return
        endRow(pending.charCodeAt(at + 1) === 10 ? 2 : 1)
      } else if (pending.startsWith(delimiter, at)) {
        endCell(at)
        at += delimiter.length
        cellStart = at
      } else {
        if (quoted && char !== 32 && char !== 9) stray = true
        at++
      }
    }
    if (skipping) {
      pending = ''
      at = 0
      return
    }
    if (at > rowMax) {
      if (inQuotes) {
        rereadPlain()
        scan(isLast)
        return
      }
      endCell(Math.min(at, cellStart + 1_000))
      emit('the row is longer than 1 MiB')
      skipping = true
      pending = ''
      at = 0
    }
  }

  return {
    push(text) {
      pending += text
      scan(false)
    },
    end() {
      scan(true)
      if (skipping) return
      if (inQuotes) {
        rereadPlain()
        scan(true)
      }
      if (pending.length > 0 || cells.length > 0) {
        endCell(at)
        emit(
          plain ? 'a quote is opened and not closed' : stray ? 'there is text behind a closing quote' : null,
        )
      }
    },
  }
}

/** A row of a table as it stands in the file. */
export interface CsvRow {
  cells: string[]
  /** From 1, the first row of the file; blank lines are not counted. */
  rowNumber: number
  /** As a spreadsheet numbers it: from 1, blank lines counted. */
  sheetRow: number
  /** The line it begins on, from 1. */
  line: number
  /** What is wrong with its form; its cells are then what could be read. */
  problem: string | null
}

/** Longest row, characters. One that is longer is no row of contacts; the rest of its line is passed over. */
export const rowMax = 1_048_576
/**
 * A quoted cell with line breaks that goes on for more characters than this was not meant to: its quote is taken as it stands. A cell of a
 * spreadsheet holds at most 32,767 characters (Excel's limit), twice that if all of them are quotes.
 */
const quotedMax = 65_536
/** Of a row that is too long, so many cells and characters of each are told. */
const longRowCells = 100
const longCellChars = 1_000

const unclosed = 'a quote is opened and not closed'
const strayText = 'there is text behind a closing quote'

/** Reads rows out of text that comes in pieces, in bounded memory whatever comes. */
export interface RowReader {
  /** Takes a piece and calls `onRow` for each row that is whole. */
  push(text: string): void
  end(): void
}

const quote = 34
const lineFeed = 10
const carriageReturn = 13
/** Excel's own line before a table, which names its delimiter. */
const sepLine = /^"?sep=[^\r\n]?"?$/i

/**
 * Splits CSV into rows (RFC 4180, and what spreadsheets make of it): any delimiter of one character, quotes doubled within quotes,
 * spaces around them, line ends LF, CRLF or CR, a first line `sep=;`. A row whose quote is never closed costs its line and no other:
 * it is read again as plain text. What comes out does not depend on how the text was cut into pieces.
 *
 * 2026-11-21: not a library, because none gives back the rows behind an unclosed quote, numbers rows and lines, and holds a bound
 * on a line without end.
 */
export function createRowReader(delimiter: string, onRow: (row: CsvRow) => void): RowReader {
  const delimiterCode = delimiter.charCodeAt(0)
  /** Text that is not done with; the present row begins at `start`, its scan goes on at `at`. */
  let pending = ''
  let start = 0
  let at = 0
  let cells: string[] = []
  let cellStart = 0
  /** Where the present cell's quotes stand; -1 where it has none. */
  let openAt = -1
  let closeAt = -1
  let doubled = false
  let spansLines = false
  let inQuotes = false
  let stray = false
  /** The present row is read again, quotes having no meaning. */
  let plain = false
  /** The rest of an overlong line is passed over. */
  let skipping = false
  let rowNumber = 0
  let blankRows = 0
  let line = 1
  let lineOfRow = 1

  function startCell(): void {
    cellStart = at
    openAt = -1
    closeAt = -1
    doubled = false
    spansLines = false
    inQuotes = false
  }

  function startRow(): void {
    start = at
    cells = []
    stray = false
    lineOfRow = line
    startCell()
  }

  function endCell(): void {
    if (openAt < 0) {
      cells.push(pending.slice(cellStart, at))
      return
    }
    const inner = pending.slice(openAt, closeAt)
    const behind = stray ? pending.slice(closeAt + 1, at) : ''
    cells.push((doubled ? inner.replaceAll('""', '"') : inner) + behind)
  }

  /** Reads the present row again, up to the end of its line. */
  function rereadPlain(): void {
    at = start
    line = lineOfRow
    plain = true
    startRow()
  }

  function isBlank(): boolean {
    if (at === start) return true
    const only = cells.length === 1 ? cells[0]! : null
    if (only === null || pending.charCodeAt(start) === quote) return false
    return only.trim() === ''
  }

  function emit(): void {
    endCell()
    const isNote =
      rowNumber === 0 && lineOfRow === 1 && at - start < 8 && sepLine.test(pending.slice(start, at))
    if (isBlank()) blankRows++
    else if (!isNote)
      onRow({
        cells,
        rowNumber: ++rowNumber,
        sheetRow: rowNumber + blankRows,
        line: lineOfRow,
        problem: plain ? unclosed : stray ? strayText : null,
      })
    plain = false
  }

  function endRow(newlineLength: number): void {
    emit()
    at += newlineLength
    line++
    startRow()
  }

  function emitTooLong(): void {
    endCell()
    const told = cells.slice(0, longRowCells).map((cell) => cell.slice(0, longCellChars))
    onRow({
      cells: told,
      rowNumber: ++rowNumber,
      sheetRow: rowNumber + blankRows,
      line: lineOfRow,
      problem: 'the row is longer than 1 MiB',
    })
    plain = false
    skipping = true
  }

  /** Goes to the end of the line. False when that is not here yet. */
  function skipLine(isLast: boolean): boolean {
    const ends = [pending.indexOf('\n', at), pending.indexOf('\r', at)].filter((end) => end >= 0)
    at = ends.length === 0 ? pending.length : Math.min(...ends)
    if (ends.length === 0) return false
    if (pending.charCodeAt(at) === carriageReturn) {
      if (at + 1 === pending.length && !isLast) return false
      if (pending.charCodeAt(at + 1) === lineFeed) at++
    }
    at++
    line++
    skipping = false
    startRow()
    return true
  }

  /** One step within quotes. False when the character behind must be known first. */
  function stepQuoted(isLast: boolean): boolean {
    const char = pending.charCodeAt(at)
    if (char === quote || char === carriageReturn) {
      if (at + 1 === pending.length && !isLast) return false
      const next = pending.charCodeAt(at + 1)
      if (char === quote) {
        if (next === quote) {
          doubled = true
          at++
        } else {
          closeAt = at
          inQuotes = false
        }
      } else if (next !== lineFeed) return countQuotedLine()
    } else if (char === lineFeed) return countQuotedLine()
    at++
    return true
  }

  function countQuotedLine(): true {
    line++
    spansLines = true
    if (at - openAt > quotedMax) rereadPlain()
    else at++
    return true
  }

  /** The next place that may mean something, outside of quotes. */
  function nextSign(text: string, from: number, limit: number): number {
    for (let place = from; place < limit; place++) {
      const char = text.charCodeAt(place)
      if (char === delimiterCode || char === quote || char === lineFeed || char === carriageReturn)
        return place
    }
    return limit
  }

  /** `isLast`: nothing comes behind what is pending. */
  function scan(isLast: boolean): void {
    for (;;) {
      if (skipping && !skipLine(isLast)) return
      const limit = Math.min(pending.length, start + rowMax + 1)
      while (at < limit) {
        if (inQuotes) {
          if (!stepQuoted(isLast)) return
          continue
        }
        if (openAt < 0) at = nextSign(pending, at, limit)
        if (at === limit) break
        const char = pending.charCodeAt(at)
        if (char === delimiterCode) {
          endCell()
          at++
          startCell()
        } else if (char === lineFeed || char === carriageReturn) {
          // Whether it is CR or CRLF shows with the next piece.
          if (char === carriageReturn && at + 1 === pending.length && !isLast) return
          endRow(char === carriageReturn && pending.charCodeAt(at + 1) === lineFeed ? 2 : 1)
          break
        } else if (char === quote && !plain && openAt < 0 && isSpace(cellStart, at)) {
          inQuotes = true
          openAt = ++at
        } else if (openAt >= 0 && char !== 32 && char !== 9) {
          // A quote that closes lines further down and is no end of a cell was not meant to close anything.
          if (spansLines) {
            rereadPlain()
            break
          }
          stray = true
          at++
        } else at++
      }
      if (at > start + rowMax) {
        if (inQuotes) rereadPlain()
        else emitTooLong()
      } else if (at >= pending.length) return
    }
  }

  const isSpace = (from: number, to: number): boolean => from === to || pending.slice(from, to).trim() === ''

  function dropDone(): void {
    const done = skipping ? at : start
    if (done === 0) return
    pending = pending.slice(done)
    at -= done
    start -= done
    cellStart -= done
    openAt -= openAt < 0 ? 0 : done
    closeAt -= closeAt < 0 ? 0 : done
  }

  return {
    push(text) {
      pending += text
      scan(false)
      dropDone()
    },
    end() {
      scan(true)
      if (inQuotes) {
        rereadPlain()
        scan(true)
      }
      if (!skipping && at > start) emit()
    },
  }
}

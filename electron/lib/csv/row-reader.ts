const faults = ['csv.unclosed', 'csv.stray', 'csv.long', 'csv.encoding', 'csv.cells'] as const
/** Why a row is malformed: the key of a phrase. */
type RowFault = (typeof faults)[number]

export interface CsvRow {
  cells: string[]
  /** From 1; blank lines don't count. */
  rowNumber: number
  /** From 1, as a spreadsheet numbers it; blank lines count. */
  sheetRow: number
  /** First line of the row, from 1. */
  line: number
  /** What is malformed; `cells` then holds what could be read. */
  problem: RowFault | null
  /** Positions of cells whose point is surely a decimal mark, because a workbook stores them as numbers. */
  numeric?: number[]
}

/** Behind a cell of a converted workbook that is stored as a number with decimals. Unicode reserves it for use inside a program. */
export const numericMark = '\ufdd0'
const numericMarkCode = numericMark.charCodeAt(0)

/** Around the fault of a converted row, before its first cell. */
const faultMark = '\ufdd1'
const faultMarkCode = faultMark.charCodeAt(0)

/** The cells of a converted row, so that the row reader tells its fault. */
export const withFault = ([first = '', ...cells]: string[], fault: RowFault): string[] => [
  faultMark + fault + faultMark + first,
  ...cells,
]

/** Longest row, in characters. The rest of a longer line is skipped. */
const rowMax = 1_048_576
/**
 * A quoted cell that spans lines for more characters than this has a stray quote. Excel allows 32,767
 * characters, twice that if all are quotes.
 */
const quotedMax = 65_536
/** How much of a row that is too long is reported. */
const longRowCells = 100
const longCellChars = 1_000

/** An unquoted and a quoted cell in one, because the line end between them is missing: `Newark"Dan ""D"" Poe"`. Not `="0151 1"`. */
const joinedCells = /^(?!=")[^"]*[^"\s]"(?=[^"]*(?:""|\s))[^"]+(?:""[^"]*)*"$/

const quote = 34
const lineFeed = 10
const carriageReturn = 13
/** Excel's optional first line, which names the delimiter. */
const sepLine = /^"?sep=[^\r\n]?"?$/i

/**
 * Splits CSV chunks into rows in bounded memory: RFC 4180 and what spreadsheets add to it (any one-character
 * delimiter, spaces around quotes, LF, CRLF or CR, a first line `sep=;`). A row with an unclosed quote is
 * read again as plain text, so it costs one line. The result doesn't depend on how the text was cut.
 * Why not a library: see `lib/README.md`.
 */
export function createRowReader(delimiter: string, onRow: (row: CsvRow) => void) {
  const delimiterCode = delimiter.charCodeAt(0)
  /** Unfinished text: the current row begins at `start`, its scan continues at `at`. */
  let pending = ''
  let start = 0
  let at = 0
  let cells: string[] = []
  let numeric: number[] | null = null
  let cellStart = 0
  /** Positions of the cell's quotes, -1 for none. */
  let openAt = -1
  let closeAt = -1
  let doubled = false
  let spansLines = false
  let inQuotes = false
  let stray = false
  /** A quote within a cell that has none at its start. */
  let hasInnerQuote = false
  /** Rereading the row without quote handling. */
  let plain = false
  /** Skipping the rest of an overlong line. */
  let skipping = false
  let rowNumber = 0
  let blankRows = 0
  /** Cells of the last row with several. */
  let width = 0
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
    numeric = null
    stray = false
    hasInnerQuote = false
    lineOfRow = line
    startCell()
  }

  function endCell(): void {
    if (openAt < 0) {
      cells.push(pending.slice(cellStart, at))
      return
    }
    if (pending.charCodeAt(closeAt - 1) === numericMarkCode) {
      closeAt--
      ;(numeric ??= []).push(cells.length)
    }
    const inner = pending.slice(openAt, closeAt)
    const behind = stray ? pending.slice(closeAt + 1, at) : ''
    cells.push((doubled ? inner.replaceAll('""', '"') : inner) + behind)
  }

  /** Reads the row again as plain text, to the end of its line. */
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

  /** A row that a program put in quotes as a whole, among rows that it didn't: it has as many cells as they. */
  function unwrap(): void {
    const text = cells.length === 1 && openAt >= 0 && !stray && !plain ? cells[0]! : ''
    if (width < 2 || !text.includes(delimiter)) return
    createRowReader(delimiter, ({ cells: found, problem }) => {
      if (found.length === width && problem === null) cells = found
    }).end(text)
  }

  /** Takes the fault off a converted row. */
  function takeFault(): RowFault | undefined {
    const first = cells[0]!
    if (first.charCodeAt(0) !== faultMarkCode) return undefined
    const fault = faults.find((one) => first.startsWith(faultMark + one + faultMark))
    if (fault) cells[0] = first.slice(fault.length + 2)
    return fault
  }

  function emit(): void {
    endCell()
    const fault = takeFault()
    if (!fault) unwrap()
    if (cells.length > 1) width = cells.length
    if (hasInnerQuote && !plain && cells.some((cell) => joinedCells.test(cell))) stray = true
    const isNote =
      rowNumber === 0 && lineOfRow === 1 && at - start < 8 && sepLine.test(pending.slice(start, at))
    if (isBlank()) blankRows++
    else if (!isNote)
      onRow({
        cells,
        rowNumber: ++rowNumber,
        sheetRow: rowNumber + blankRows,
        line: lineOfRow,
        problem: fault ?? (plain ? 'csv.unclosed' : stray ? 'csv.stray' : null),
        ...(numeric && { numeric }),
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
    const shown = cells.slice(0, longRowCells).map((cell) => cell.slice(0, longCellChars))
    onRow({
      cells: shown,
      rowNumber: ++rowNumber,
      sheetRow: rowNumber + blankRows,
      line: lineOfRow,
      problem: 'csv.long',
    })
    plain = false
    skipping = true
  }

  /** False when the line's end has not arrived yet. */
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

  /** One step within quotes. False when it needs the next character first. */
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

  /** Next delimiter, quote or line end outside quotes. */
  function nextSign(text: string, from: number, limit: number): number {
    for (let place = from; place < limit; place++) {
      const char = text.charCodeAt(place)
      if (char === delimiterCode || char === quote || char === lineFeed || char === carriageReturn)
        return place
    }
    return limit
  }

  /** `isLast`: no more text follows. */
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
          // The next chunk shows whether it is CR or CRLF.
          if (char === carriageReturn && at + 1 === pending.length && !isLast) return
          endRow(char === carriageReturn && pending.charCodeAt(at + 1) === lineFeed ? 2 : 1)
          break
        } else if (char === quote && !plain && openAt < 0 && isSpace(cellStart, at)) {
          inQuotes = true
          openAt = ++at
        } else if (openAt >= 0 && char !== 32 && char !== 9) {
          // A quote that closes lines later, but not at a cell's end, was a stray one.
          if (spansLines) {
            rereadPlain()
            break
          }
          stray = true
          at++
        } else {
          if (char === quote) hasInnerQuote = true
          at++
        }
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
    push(text: string): void {
      pending += text
      scan(false)
      dropDone()
    },
    /** `text`: the last one. */
    end(text = ''): void {
      pending += text
      scan(true)
      if (inQuotes) {
        rereadPlain()
        scan(true)
      }
      if (!skipping && at > start) emit()
    },
  }
}

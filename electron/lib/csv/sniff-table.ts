import { type CsvRow, createRowReader } from './row-reader.ts'

const delimiters = [',', ';', '\t', '|']

/** First rows of a text. Drops a last row that may be cut, unless it is the only one. */
export function firstRows(text: string, delimiter: string, limit: number, isWhole: boolean): CsvRow[] {
  const rows: CsvRow[] = []
  const reader = createRowReader(delimiter, (row) => rows.push(row))
  reader.push(text)
  const whole = rows.length
  reader.end()
  return (isWhole || whole === 0 ? rows : rows.slice(0, whole)).slice(0, limit)
}

const sniffedChars = 65_536

/** The delimiter that gives the most cells, most consistently. A first line `sep=;` decides alone. */
export function sniffDelimiter(text: string): string {
  const named = /^\ufeff?"?sep=([^\r\n"])"?[\r\n]/i.exec(text)?.[1]
  if (named) return named
  const head = text.slice(0, sniffedChars)
  let best = ','
  let bestScore = 0
  for (const delimiter of delimiters) {
    const counts: number[] = []
    let broken = 0
    const reader = createRowReader(delimiter, ({ cells, problem }) => {
      // A stray quote speaks against the delimiter.
      if (problem === null) counts.push(cells.length)
      else broken++
    })
    reader.push(head)
    if (counts.length === 0) reader.end()
    const median = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 1
    if (median < 2) continue
    const consistency = counts.filter((count) => count === median).length / (counts.length + broken)
    const score = consistency * Math.min(median, 20)
    if (score > bestScore) {
      best = delimiter
      bestScore = score
    }
  }
  return best
}

/** Most title lines above a header. */
const titleLinesMax = 15

/**
 * The row that names the columns, as a spreadsheet numbers it; 0 without one. Title lines above it fill at most two thirds as many cells
 * as the table below.
 */
export function findHeader(rows: readonly CsvRow[]): number {
  const filled = rows.map(({ cells }) => cells.filter((cell) => cell.trim() !== '').length)
  const median = filled.toSorted((a, b) => a - b)[filled.length >> 1] ?? 0
  const widest = Math.max(0, ...filled)
  const isTitle = (at: number) => filled[at]! <= 1 && (median > 1 || widest > 2)
  let from = 0
  while (from < Math.min(titleLinesMax, rows.length) && isTitle(from)) from++
  const start = rows[from] ? from : 0
  const isHeader = (at: number) => looksLikeHeader(rows.slice(at).map(({ cells }) => cells))
  if (rows[start] && isHeader(start)) return rows[start].sheetRow
  // Title lines may hold a date or a count beside their text, so they are narrower than the table.
  const isAbove = (row: number, header: number) =>
    filled[row]! * 3 <= filled[header]! * 2 && !rows[row]!.cells.some(holdsNumber)
  const header = rows.findIndex(
    (_, at) =>
      at > start &&
      at < titleLinesMax &&
      filled[at]! >= Math.max(2, median) &&
      rows.slice(start, at).every((_row, above) => isAbove(start + above, at)) &&
      isHeader(at),
  )
  return rows[header]?.sheetRow ?? 0
}

/** A date has fewer digits than a phone number. */
const holdsNumber = (cell: string): boolean =>
  /^\+?[\d\s().\-/]+$/.test(cell.trim()) && cell.replace(/\D/g, '').length > 8

/** True when the first row names columns: no cell looks like a value, and the next row differs. */
function looksLikeHeader(rows: readonly string[][]): boolean {
  const [first, second] = rows
  if (!first) return false
  // Tag columns may contain anything.
  const isValue = (cell: string) =>
    /^\+?[\d\s().\-/]{5,}$/.test(cell.trim()) || (/@/.test(cell) && !cell.startsWith('tag.'))
  if (first.some(isValue)) return false
  return second === undefined || second.some(isValue) || first.every((cell) => cell.trim() !== '')
}

import { type CsvRow, createRowReader } from './row-reader.ts'

const delimiters = [',', ';', '\t', '|', '~']

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

/** Colons that are between the cells of every line, and not within times. */
function areColons(text: string): boolean {
  const lines = text.split(/[\r\n]+/).filter((line) => line !== '')
  // The last one may be cut.
  if (text.length === sniffedChars) lines.pop()
  const counts = new Set(lines.map((line) => line.split(':').length))
  return (
    lines.length > 1 && counts.size === 1 && !counts.has(1) && !counts.has(2) && !/\d:\d|:\/\//.test(text)
  )
}

/** The delimiter that gives the most cells, most consistently; a colon only without another. A first line `sep=;` decides alone. */
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
  return bestScore === 0 && areColons(head) ? ':' : best
}

import { createRowReader } from './row-reader.ts'

const delimiters = [',', ';', '\t', '|']

/** Rows of a text's beginning; a last one that may be cut is left out where there are others. */
export function firstRows(text: string, delimiter: string, limit: number, isWhole: boolean): string[][] {
  const rows: string[][] = []
  const reader = createRowReader(delimiter, ({ cells }) => rows.push(cells))
  reader.push(text)
  const whole = rows.length
  reader.end()
  return (isWhole || whole === 0 ? rows : rows.slice(0, whole)).slice(0, limit)
}

/** Characters of the beginning that are looked at for the delimiter. */
const sniffedChars = 65_536

/**
 * The delimiter under which the rows of a text's beginning have most cells, and most often the same number of them. A first line `sep=;`
 * says it outright.
 */
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
      // A quote in the middle of what would be a cell speaks against the delimiter.
      if (problem === null) counts.push(cells.length)
      else broken++
    })
    reader.push(head)
    if (counts.length === 0) reader.end()
    const usual = counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 1
    if (usual < 2) continue
    const alike = counts.filter((count) => count === usual).length / (counts.length + broken)
    const score = alike * Math.min(usual, 20)
    if (score > bestScore) {
      best = delimiter
      bestScore = score
    }
  }
  return best
}

/** True when the first row names the columns: none of it looks like a value, and it differs from those below. */
export function looksLikeHeader(rows: readonly string[][]): boolean {
  const [first, second] = rows
  if (!first) return false
  // A column of a tag is called after it, and a tag may be called anything.
  const isValue = (cell: string) =>
    /^\+?[\d\s().\-/]{5,}$/.test(cell.trim()) || (/@/.test(cell) && !cell.startsWith('tag.'))
  if (first.some(isValue)) return false
  return second === undefined || second.some(isValue) || first.every((cell) => cell.trim() !== '')
}

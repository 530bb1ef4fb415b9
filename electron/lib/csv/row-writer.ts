import { guardCell } from './formula-guard.ts'

/** Excel reads a CSV without it as Latin-1. */
export const byteOrderMark = Buffer.from('\ufeff')

/** Characters collected before they are written. */
const pieceLength = 1 << 20

/**
 * Writes CSV rows and passes them to `take` in large pieces. Cells are quoted and formula-safe, rows end in CRLF (RFC 4180). A number is
 * written as a phone, with a plus. Call `flush` after the last row.
 */
export function createRowWriter(
  take: (bytes: Uint8Array) => void,
  {
    delimiter = ',',
    isGuarded = true,
  }: {
    delimiter?: string
    /** False for files that only Switchboard opens: only cells that would be read as guarded are. */
    isGuarded?: boolean
  } = {},
) {
  let text = ''

  function quoted(value: string | number): string {
    const cell = typeof value === 'number' ? `+${value}` : value
    const guarded = isGuarded || cell.startsWith("'") ? guardCell(cell) : cell
    return `"${guarded.replaceAll('"', '""')}"`
  }

  function flush(): void {
    if (text !== '') take(Buffer.from(text))
    text = ''
  }

  return {
    row(cells: readonly (string | number)[]): void {
      text += `${cells.map(quoted).join(delimiter)}\r\n`
      if (text.length >= pieceLength) flush()
    },
    flush,
  }
}

/** A whole CSV with a byte order mark, for a few rows. */
export function writeCsv(rows: Iterable<readonly string[]>): Buffer {
  const pieces: Uint8Array[] = [byteOrderMark]
  const writer = createRowWriter((bytes) => pieces.push(bytes))
  for (const row of rows) writer.row(row)
  writer.flush()
  return Buffer.concat(pieces)
}

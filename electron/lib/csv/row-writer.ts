import { guardCell } from './formula-guard.ts'

const quote = 34
const comma = 44
/** A UTF-16 unit takes at most three bytes of UTF-8; a quote, doubled, two. */
const bytesPerUnit = 3

/** Rows as the bytes of a CSV: every cell quoted and safe to open in a spreadsheet, CRLF at the end of a row as RFC 4180 has it. */
export interface RowWriter {
  row(cells: readonly string[]): void
  /** Hands on what waits; after the last row it is to be called. */
  flush(): void
}

/**
 * Writes rows into one buffer of `size` bytes and hands it to `take` whenever it is full, which must be done with it when it returns.
 * Texts are not joined first and encoded then; each is copied by Node itself, which costs less than looking at its letters one by one.
 */
export function createRowWriter(take: (bytes: Uint8Array) => void, size = 1 << 20): RowWriter {
  let buffer = Buffer.allocUnsafe(size)
  let end = 0

  function flush(): void {
    if (end > 0) take(buffer.subarray(0, end))
    end = 0
  }

  function makeRoom(bytes: number): void {
    if (end + bytes <= buffer.length) return
    flush()
    if (bytes > buffer.length) buffer = Buffer.allocUnsafe(bytes)
  }

  function cell(text: string): void {
    const guarded = guardCell(text)
    const whole = guarded.includes('"') ? guarded.replaceAll('"', '""') : guarded
    makeRoom(whole.length * bytesPerUnit + 2)
    buffer[end++] = quote
    if (whole !== '') end += buffer.write(whole, end)
    buffer[end++] = quote
  }

  return {
    row(cells) {
      for (let index = 0; index < cells.length; index++) {
        if (index > 0) {
          makeRoom(1)
          buffer[end++] = comma
        }
        cell(cells[index]!)
      }
      makeRoom(2)
      buffer[end++] = 13
      buffer[end++] = 10
    },
    flush,
  }
}

/** A whole CSV, for a few rows. */
export function writeCsv(rows: Iterable<readonly string[]>): Buffer {
  const pieces: Buffer[] = []
  const writer = createRowWriter((bytes) => pieces.push(Buffer.from(bytes)), 4_096)
  for (const row of rows) writer.row(row)
  writer.flush()
  return Buffer.concat(pieces)
}

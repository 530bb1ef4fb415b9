import { guardCell } from './formula-guard.ts'

const quote = 34
/** A UTF-16 unit takes at most three bytes of UTF-8; a quote, doubled, two. */
const bytesPerUnit = 3
const plus = 43
const zero = 48
/** Phones of 6 to 15 digits, which with their plus are no formula and need no guard. */
const phoneFrom = 1e5
const phoneBelow = 1e15
/** They are written in halves, each of which is a whole number of 32 bits. */
const halfLength = 8
const half = 10 ** halfLength
const asciiMax = 0x7f
/** Up to so many characters, looking at each letter costs less than a call of Node's own copying. */
const shortMax = 32

function writeDigits(bytes: Uint8Array, value: number, from: number, to: number): void {
  let rest = value | 0
  for (let place = to - 1; place >= from; place--) {
    bytes[place] = zero + (rest % 10)
    rest = (rest / 10) | 0
  }
}

/** Rows as the bytes of a CSV: every cell quoted and safe to open in a spreadsheet, CRLF at the end of a row as RFC 4180 has it. */
export interface RowWriter {
  /** A number in place of a text stands for a phone: its digits, written with a plus before them. */
  row(cells: readonly (string | number)[]): void
  /** Hands on what waits; after the last row it is to be called. */
  flush(): void
}

/**
 * Writes rows into one buffer of `size` bytes and hands it to `take` whenever it is full, which must be done with it when it returns.
 * Texts are not joined first and encoded then. Short ones of plain letters, most by far, are copied by hand: a call of Node's own copying
 * costs more than that (135 ns against 50 for 14 letters of a longer text, 2026-11-22). All others are copied by Node.
 */
export function createRowWriter(
  take: (bytes: Uint8Array) => void,
  { size = 1 << 20, delimiter = ',' }: { size?: number; delimiter?: string } = {},
): RowWriter {
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

  /** Writes a cell of plain ASCII letter by letter. False, and nothing is written, for one that is long or holds anything else. */
  function shortCell(text: string): boolean {
    const { length } = text
    if (length > shortMax) return false
    makeRoom(length + 2)
    const bytes = buffer
    let place = end
    bytes[place++] = quote
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code > asciiMax || code === quote) return false
      bytes[place++] = code
    }
    bytes[place++] = quote
    end = place
    return true
  }

  /** As `cell` of the number's text, which is not made for it. */
  function phone(digits: number): void {
    if (digits < phoneFrom || digits >= phoneBelow) return cell(`+${digits}`)
    let length = 1
    for (let least = 10; least <= digits; least *= 10) length++
    makeRoom(length + 3)
    buffer[end] = quote
    buffer[end + 1] = plus
    const first = end + 2
    end = first + length
    const high = Math.floor(digits / half)
    const middle = Math.max(first, end - halfLength)
    writeDigits(buffer, high, first, middle)
    writeDigits(buffer, digits - high * half, middle, end)
    buffer[end++] = quote
  }

  function cell(text: string): void {
    const guarded = guardCell(text)
    if (shortCell(guarded)) return
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
          makeRoom(bytesPerUnit)
          end += buffer.write(delimiter, end)
        }
        const one = cells[index]!
        if (typeof one === 'number') phone(one)
        else cell(one)
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
  const writer = createRowWriter((bytes) => pieces.push(Buffer.from(bytes)), { size: 4_096 })
  for (const row of rows) writer.row(row)
  writer.flush()
  return Buffer.concat(pieces)
}

import { guardCell } from './formula-guard.ts'

/** Excel reads a CSV without it as Latin-1. */
export const byteOrderMark = Buffer.from('\ufeff')

const quote = 34
const apostrophe = 39
/** Most UTF-8 bytes of a UTF-16 unit or a doubled quote. */
const bytesPerUnit = 3
const plus = 43
const zero = 48
/** Phones of 6 to 15 digits, which need no guard. */
const phoneFrom = 1e5
const phoneBelow = 1e15
/** Written in halves, so each fits 32-bit arithmetic. */
const halfLength = 8
const half = 10 ** halfLength
const asciiMax = 0x7f
/** Up to this length, copying letter by letter beats Node's `write`. */
const shortMax = 32

function writeDigits(bytes: Uint8Array, value: number, from: number, to: number): void {
  let rest = value | 0
  for (let place = to - 1; place >= from; place--) {
    bytes[place] = zero + (rest % 10)
    rest = (rest / 10) | 0
  }
}

/**
 * Writes CSV rows into one buffer of `size` bytes and passes it to `take` when full; `take` must be done with
 * it on return. Cells are quoted and formula-safe, rows end in CRLF (RFC 4180). A number is written as a
 * phone, with a plus. Call `flush` after the last row.
 * Short ASCII cells are copied by hand: 50 ns instead of 135 ns for 14 letters (2026-11-22).
 */
export function createRowWriter(
  take: (bytes: Uint8Array) => void,
  {
    size = 1 << 20,
    delimiter = ',',
    isGuarded = true,
  }: {
    size?: number
    delimiter?: string
    /** False for files that only Switchboard opens: only cells that would be read as guarded are. */
    isGuarded?: boolean
  } = {},
) {
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

  /** Writes a short plain ASCII cell. False, with nothing written, for any other. */
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

  /** Same result as `cell('+…')`, without building the text. */
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
    const guarded = isGuarded || text.charCodeAt(0) === apostrophe ? guardCell(text) : text
    if (shortCell(guarded)) return
    const whole = guarded.includes('"') ? guarded.replaceAll('"', '""') : guarded
    makeRoom(whole.length * bytesPerUnit + 2)
    buffer[end++] = quote
    if (whole !== '') end += buffer.write(whole, end)
    buffer[end++] = quote
  }

  return {
    row(cells: readonly (string | number)[]): void {
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

/** A whole CSV with a byte order mark, for a few rows. */
export function writeCsv(rows: Iterable<readonly string[]>): Buffer {
  const pieces: Buffer[] = [byteOrderMark]
  const writer = createRowWriter((bytes) => pieces.push(Buffer.from(bytes)), { size: 4_096 })
  for (const row of rows) writer.row(row)
  writer.flush()
  return Buffer.concat(pieces)
}

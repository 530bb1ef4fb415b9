import { isUtf8 } from 'node:buffer'

/** Share of characters with a zero byte in UTF-16, also of Cyrillic names with numbers. */
const leastZeros = 0.2

/** Guesses the encoding from the first bytes of a file, as a WHATWG name. `markBytes` is the length of its byte order mark. */
export function sniffEncoding(head: Uint8Array): { encoding: string; markBytes: number } {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', markBytes: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', markBytes: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', markBytes: 2 }
  // In UTF-16, digits, blanks and Latin letters have a zero in every other byte.
  const sample = head.subarray(0, 2_000)
  let even = 0
  let odd = 0
  for (let at = 0; at + 1 < sample.length; at += 2) {
    if (sample[at] === 0) even++
    if (sample[at + 1] === 0) odd++
  }
  const pairs = sample.length / 2
  if (pairs > 4 && odd > pairs * leastZeros && even < odd * 0.1) return { encoding: 'utf-16le', markBytes: 0 }
  if (pairs > 4 && even > pairs * leastZeros && odd < even * 0.1)
    return { encoding: 'utf-16be', markBytes: 0 }
  return { encoding: isMostlyUtf8(head) ? 'utf-8' : 'windows-1252', markBytes: 0 }
}

/** The name that stands for a label: `latin1` is `windows-1252`. */
const encodingName = (label: string): string => new TextDecoder(label).encoding

/** Bytes to skip at the start of a file when it is read in this encoding. */
export function markBytesFor(head: Uint8Array, encoding: string): number {
  const sniffed = sniffEncoding(head)
  return sniffed.encoding === encodingName(encoding) ? sniffed.markBytes : 0
}

/** True for UTF-8 with a few bad bytes too: one of them must not garble every umlaut of a file. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  const whole = bytes.subarray(0, bytes.length - cutBytes(bytes))
  if (isUtf8(whole)) return true
  let good = 0
  let bad = 0
  for (const char of new TextDecoder().decode(whole)) {
    if (char === '\ufffd') bad++
    else if (char > '\u007f') good++
  }
  return good > bad
}

/** Bytes of an incomplete UTF-8 character at the end. */
export function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? back : 0
  }
  return 0
}

const magics = [
  // Archives, spreadsheets, PDF, images.
  ...['504b0304', '504b0506', '25504446', 'd0cf11e0', '1f8b08', '89504e47', 'ffd8ff', '47494638'],
  // UTF-32, which no spreadsheet writes.
  ...['fffe0000', '0000feff'],
]

/** True for images, archives, spreadsheets and other bytes that aren't text. */
export function looksBinary(head: Uint8Array, encoding: string): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString('hex')
  if (magics.some((magic) => start.startsWith(magic))) return true
  if (encoding.startsWith('utf-16') || head.length === 0) return false
  // Some programs fill up the last block with zeros.
  const text = head.subarray(0, head.findLastIndex((byte) => byte !== 0) + 1)
  let odd = 0
  for (const byte of text) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127) odd++
  return odd >= text.length * 0.1
}

/** Replaces undecodable bytes. A lone surrogate, which no decoder yields. */
export const unreadable = '\udfff'

/**
 * Decodes text in chunks cut anywhere; undecodable bytes become `unreadable` and set `foundUnreadable`. Throws a RangeError
 * for an unknown encoding.
 */
export function createDecoder(encoding: string) {
  let foundUnreadable = false
  const mark = (text: string): string => {
    if (!text.includes('\ufffd')) return text
    foundUnreadable = true
    return text.replaceAll('\ufffd', unreadable)
  }
  const parts = encodingName(encoding) === 'utf-8' ? utf8(mark) : byDecoder(encoding, mark)
  return {
    ...parts,
    get foundUnreadable() {
      return foundUnreadable
    },
  }
}

function byDecoder(encoding: string, mark: (text: string) => string) {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true })
  return {
    decode: (chunk: Uint8Array) => mark(decoder.decode(chunk, { stream: true })),
    end: () => mark(decoder.decode()),
  }
}

/** Several times faster than a streaming `TextDecoder`. */
function utf8(mark: (text: string) => string) {
  let rest = Buffer.alloc(0)

  /** By line, so a U+FFFD that was already in the file isn't mistaken for a bad byte. */
  function byLines(bytes: Buffer): string {
    let text = ''
    for (let from = 0; from < bytes.length;) {
      const newline = bytes.indexOf(10, from)
      const to = newline < 0 ? bytes.length : newline + 1
      const line = bytes.subarray(from, to)
      text += isUtf8(line) ? line.toString() : mark(line.toString())
      from = to
    }
    return text
  }

  return {
    decode(chunk: Uint8Array): string {
      const bytes = Buffer.concat([rest, chunk])
      const whole = bytes.subarray(0, bytes.length - cutBytes(bytes))
      rest = bytes.subarray(whole.length)
      return isUtf8(whole) ? whole.toString() : byLines(whole)
    },
    end: () => mark(rest.toString()),
  }
}

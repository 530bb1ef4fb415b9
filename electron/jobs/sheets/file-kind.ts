import { closeSync, openSync, readSync } from 'node:fs'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'

/** What a file is, by its bytes: names may be wrong. `line`: numbers in one line, as chat programs copy a group. `text` is everything else. */
export type FileKind = 'zip' | 'ole' | 'cards' | 'web-page' | 'json' | 'ldif' | 'line' | 'text'

/** Also the longest line that is a group. */
const headBytes = 256 * 1_024

/** Between the members of a group in one line. */
export const lineSeparator = /[,;\t]/
const leastNumbers = 3

function isLine(text: string): boolean {
  const line = text.trim()
  if (/[\r\n"]/.test(line)) return false
  const cells = line.split(lineSeparator)
  const numbers = cells.filter((cell) => numberShapeDigits(cell) > 0).length
  // Without blanks, a name and its numbers are one row of a table.
  const isGroup = numbers === cells.length || cells.slice(1).every((cell) => cell.startsWith(' '))
  return isGroup && numbers >= leastNumbers && numbers * 2 >= cells.length
}

export function kindOfFile(file: string): FileKind {
  const head = Buffer.alloc(headBytes)
  const fd = openSync(file, 'r')
  try {
    const length = readSync(fd, head, 0, headBytes, 0)
    const bytes = head.subarray(0, length)
    const start = bytes.subarray(0, 4).toString('latin1')
    if (start === 'PK\u0003\u0004' || start === 'PK\u0005\u0006') return 'zip'
    if (bytes.subarray(0, 8).toString('hex') === 'd0cf11e0a1b11ae1') return 'ole'
    const text = bytes
      .toString('latin1')
      .replaceAll('\0', '')
      .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*/, '')
    if (/^BEGIN\s*:\s*VCARD/i.test(text)) return 'cards'
    if (/^<(?:\?xml|!doctype html|html|head|meta|table)\b/i.test(text)) return 'web-page'
    if (/^(?:\[\s*)?\{\s*"[^"]*"\s*:/.test(text)) return 'json'
    if (/^(?:version: 1\s+)?dn::? /i.test(text)) return 'ldif'
    return length < headBytes && !bytes.includes(0) && isLine(text) ? 'line' : 'text'
  } finally {
    closeSync(fd)
  }
}

import { closeSync, openSync, readSync } from 'node:fs'
import { sniffEncoding } from '../../lib/csv/encoding.ts'
import { firstRows, sniffDelimiter } from '../../lib/csv/sniff-table.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { titleMeaning } from '../table/column-titles.ts'
import { createPeopleOfRow } from '../table/people-of-row.ts'

/**
 * What a file is, by its bytes: names may be wrong. `line`: numbers in one line, as chat programs copy a group. `wrapped`: a table with
 * each line in quotes, as a spreadsheet saves it that took it for one column. `people`: a table with several in a row. `text` is everything
 * else.
 */
export type FileKind =
  | 'zip'
  | 'ole'
  | 'cards'
  | 'web-page'
  | 'json'
  | 'ldif'
  | 'line'
  | 'wrapped'
  | 'people'
  | 'text'

/** What is known of a table that is no workbook's. */
export const plainTable = {
  sheets: [],
  sheet: 0,
  refusing: [],
  unmatched: { rows: 0, sheets: [], texts: [] },
  hiddenRows: 0,
  uncalculated: 0,
  people: 'one' as const,
  sharedConsents: [],
}

/** Bytes read to tell the kind. A group on one line must be shorter. */
const headBytes = 256 * 1_024

/** Between the members of a group in one line. */
export const lineSeparator = /[,;\t]/
const leastNumbers = 3

function isLine(text: string): boolean {
  const line = text.trim()
  if (/[\r\n"]/.test(line)) return false
  const all = line.split(lineSeparator)
  const cells = all.slice(0, all.findLastIndex((cell) => cell.trim() !== '') + 1)
  const numbers = cells.filter((cell) => numberShapeDigits(cell) > 0).length
  // A name and numbers with no blank after the separators are a table row, not a group.
  const isGroup = numbers === cells.length || cells.slice(1).every((cell) => cell.startsWith(' '))
  return isGroup && numbers >= leastNumbers && numbers * 2 >= cells.length
}

const wrappedLine = /^"((?:[^"\r\n]|"")*)"(?=\r?$)/gm

/** A wrapped table without the quotes around its lines. */
export const unwrapped = (text: string): string =>
  text.replace(wrappedLine, (_, line: string) => line.replaceAll('""', '"'))

function isWrapped(text: string): boolean {
  const [titles = '', row = ''] = text.split(/\r?\n/)
  if (unwrapped(titles) === titles || unwrapped(row) === row) return false
  const [header] = firstRows(unwrapped(titles), sniffDelimiter(unwrapped(titles)), 1, true)
  return header !== undefined && header.cells.length > 1 && header.cells.some((cell) => titleMeaning(cell))
}

/** First rows that show what a table is. */
const firstChars = 65_536
export const sampleRows = 200

/** See `createPeopleOfRow`. */
export const peopleIn = (text: string) => {
  const head = text.slice(0, firstChars)
  return createPeopleOfRow(firstRows(head, sniffDelimiter(head), sampleRows, head.length === text.length))
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
    const text = new TextDecoder(sniffEncoding(bytes).encoding).decode(bytes).trimStart()
    if (/^BEGIN\s*:\s*VCARD/i.test(text)) return 'cards'
    if (/^<(?:\?xml|!doctype html|html|head|meta|table)\b/i.test(text)) return 'web-page'
    if (/^(?:\[\s*)?\{\s*"[^"]*"\s*:/.test(text)) return 'json'
    // LDIF, DIF, SYLK and xDT: a field on each line.
    if (/^(?:(?:version: 1\s+)?dn::? |TABLE\r?\n0,1\r?\n|ID;P|\d{3}8000\d{4}\r?\n)/i.test(text)) return 'ldif'
    if (isWrapped(text)) return 'wrapped'
    if (length < headBytes && isLine(text)) return 'line'
    return peopleIn(text) ? 'people' : 'text'
  } finally {
    closeSync(fd)
  }
}

import type { CsvRow } from '../../lib/csv/row-reader.ts'
import { numberShapeDigits } from '../../lib/phone/number-shape.ts'
import { isTitleOf } from '../run/csv-headers.ts'
import { titleMeaning } from './column-titles.ts'
import { isConsentTitle } from './consent-words.ts'

/** Most title lines above a header. */
export const titleLinesMax = 30
const longestTitle = 100

const bare = (cell: string): string => cell.replace(/\p{Cf}/gu, '').trim()
const isNumber = (cell: string): boolean => numberShapeDigits(bare(cell)) > 0
const isEmail = (cell: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(bare(cell))
/** A number beside a word, which is no title: `mobile: 0151 5550123`, `0151 5550123 Ann`. */
const hasNumber = (cell: string): boolean =>
  /\p{L}.*\d{7}|\d{7}.*\p{L}/u.test(cell.replace(/[\s().\-/]/g, ''))
/** Our exports' columns of tags, whose keys may look like anything. */
const isTagTitle = (cell: string): boolean => isTitleOf(cell.split('.', 1)[0], 'tag')
/** A cell that is no title. */
const isContact = (cell: string): boolean =>
  !isTagTitle(cell) && (isNumber(cell) || isEmail(cell) || hasNumber(cell))
const isFilled = (cell: string): boolean => cell.trim() !== ''

/** A row whose cells may be titles. */
interface Titles {
  at: number
  /** How many cells are titles that we know and that fit the values below. */
  fits: number
  /** The column of a phone title with numbers below; -1 without one. */
  phone: number
  /** Whether they are most of the row. */
  isMost: boolean
}

/**
 * The row that names the columns, as a spreadsheet numbers it; 0 without one. What is above it are title lines. The row with the most titles
 * that we know is the header, of a number if one has it, else one that looks like it.
 */
export function findHeader(rows: readonly CsvRow[]): number {
  const filled = rows.map(({ cells }) => cells.filter(isFilled).length)
  const median = filled.toSorted((a, b) => a - b)[filled.length >> 1] ?? 0
  const best = rows
    .slice(0, titleLinesMax)
    .map((_, at) => titlesOf(rows, at, median))
    .filter((one) => (one.phone >= 0 || one.isMost) && !isBelowContacts(rows, filled, one))
    .toSorted((a, b) => Number(b.phone >= 0) - Number(a.phone >= 0) || b.fits - a.fits)[0]
  return best ? rows[best.at]!.sheetRow : findUnknownTitles(rows, filled, median)
}

function titlesOf(rows: readonly CsvRow[], at: number, median: number): Titles {
  const { cells } = rows[at]!
  const found: Titles = { at, fits: 0, phone: -1, isMost: false }
  if (cells.some(isContact)) return found
  let hasField = false
  for (const [column, title] of cells.entries()) {
    if (title.length > longestTitle) continue
    const meaning = titleMeaning(title)
    if (meaning === null || meaning.to === 'other' || meaning.to === 'tags' || meaning.to === 'note') {
      if (meaning !== null || isConsentTitle(title)) found.fits++
      continue
    }
    const values = rows.slice(at + 1).flatMap((row) => bare(row.cells[column] ?? '') || [])
    const shape =
      meaning.to === 'email' ? isEmail : meaning.to === 'phone' && !meaning.isWeak ? isNumber : null
    const right = shape === null ? values.length : values.filter(shape).length
    if (shape === isNumber && right * 2 > values.length) found.phone = column
    if (values.length > 0 && right === 0) {
      // "SMS OK" holds no numbers.
      if (isConsentTitle(title)) found.fits++
      continue
    }
    found.fits++
    hasField = true
  }
  const filled = cells.filter(isFilled).length
  found.isMost = hasField && found.fits * 2 >= filled && (found.fits > 1 || filled * 2 >= median)
  return found
}

/** Whether contacts come directly before a row of titles, as in several exports in one file. One of them may be a title line. */
function isBelowContacts(rows: readonly CsvRow[], filled: readonly number[], titles: Titles): boolean {
  const { at, fits, phone, isMost } = titles
  let contacts = 0
  for (let row = at - 1; row >= 0 && rows[row + 1]!.sheetRow === rows[row]!.sheetRow + 1; row--) {
    const { cells } = rows[row]!
    const hasNumber = phone < 0 ? cells.some(isNumber) : isNumber(cells[phone] ?? '')
    if (hasNumber && filled[row]! >= filled[at]!) contacts++
  }
  return contacts > (phone >= 0 && isMost && fits > 1 ? 1 : 0)
}

/** A header by its shape. Title lines above it fill at most two thirds as many cells as the table below. */
function findUnknownTitles(rows: readonly CsvRow[], filled: readonly number[], median: number): number {
  const widest = Math.max(0, ...filled)
  const isTitle = (at: number) => filled[at]! <= 1 && (median > 1 || widest > 2)
  let from = 0
  while (from < Math.min(titleLinesMax, rows.length) && isTitle(from)) from++
  const start = rows[from] ? from : 0
  const isHeader = (at: number) => looksLikeHeader(rows.slice(at).map(({ cells }) => cells))
  if (rows[start] && isHeader(start)) return rows[start].sheetRow
  // Title lines may hold a date or a count beside their text, so they are narrower than the table.
  const isAbove = (row: number, header: number) =>
    filled[row]! * 3 <= filled[header]! * 2 && !rows[row]!.cells.some(isNumber)
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

/** True when the first row names columns: no cell looks like a value, and the next row differs. */
function looksLikeHeader(rows: readonly string[][]): boolean {
  const [first, second] = rows
  if (!first) return false
  const isValue = (cell: string) =>
    !isTagTitle(cell) && (/^\+?[\d\s().\-/]{5,}$/.test(cell.trim()) || hasNumber(cell) || cell.includes('@'))
  if (first.some(isValue)) return false
  return second === undefined || second.some(isValue) || first.every(isFilled)
}

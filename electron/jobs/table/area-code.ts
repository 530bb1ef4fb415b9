import { readCell } from '../../lib/csv/formula-guard.ts'
import { callingCodeOf } from '../../lib/phone/numbering-plans.ts'
import { isAreaTitle } from './column-titles.ts'

const callingCode = /^['=" ]{0,3}(?:\+|00)\d{1,3}"?$/
/** Digits of the longest numbers without an area code. */
const localMax = 8
const areaCode = /^['=" ]{0,3}\(?0?\d{1,5}\)?"?$/

/** The area code in the column before a number that lacks it; null for any other. */
function areaBefore(cells: readonly string[], at: number, number: string): string | null {
  const area = readCell(cells[at - 1] ?? '').trim()
  const digits = area.replace(/\D/g, '').replace(/^0/, '')
  const own = number.replace(/\D/g, '').replace(/^0+/, '')
  // A short one is local, even if it begins with a calling code.
  const code = own.length > localMax ? (callingCodeOf(own)?.code ?? '') : ''
  const hasArea = [digits, code + digits, `${code}0${digits}`].some((start) => own.startsWith(start))
  const isApart = areaCode.test(area) && !callingCode.test(area) && /^[^\d+]*\d/.test(number) && !hasArea
  return isApart ? area : null
}

/** Reads a number's text in a row, with its area code where a column of them comes before. */
export function createNumberText(header: readonly string[]) {
  const hasArea = header.map((_, at) => at > 0 && isAreaTitle(header[at - 1]!))
  return (cells: readonly string[], at: number): string => {
    const text = readCell(cells[at] ?? '')
    const area = hasArea[at] ? areaBefore(cells, at, text) : null
    return area === null ? text : `${area} ${text}`
  }
}

/** Columns of numbers whose area codes are in the column before, in these rows. */
export const columnsWithArea = (header: readonly string[], rows: readonly string[][]): number[] =>
  header.flatMap((_, at) => {
    const isArea = at > 0 && isAreaTitle(header[at - 1]!)
    const filled = isArea ? rows.filter((cells) => cells[at - 1]?.trim() && cells[at]?.trim()) : []
    const apart = filled.filter((cells) => areaBefore(cells, at, cells[at]!) !== null)
    return apart.length * 2 > filled.length ? [at] : []
  })

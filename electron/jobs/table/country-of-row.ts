import { readCell } from '../../lib/csv/formula-guard.ts'
import { regionOfCountry, unknownCountry } from '../../lib/phone/country-names.ts'
import { isBlank } from './consent-words.ts'

/** The region that a row names in a column; `unknownCountry` if it names another text, null if nothing. */
export function countryOfRow(cells: readonly string[], column?: number | null): string | null {
  const cell = readCell(typeof column === 'number' ? (cells[column] ?? '') : '')
  if (cell === '') return null
  return regionOfCountry(cell) ?? (isBlank(cell) ? null : unknownCountry)
}

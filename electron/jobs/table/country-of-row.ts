import { readCell } from '../../lib/csv/formula-guard.ts'
import { regionOfCountry } from '../../lib/phone/country-names.ts'

/** The region that a row names in a column, if there is one; null if none. */
export const countryOfRow = (cells: readonly string[], column?: number | null): string | null =>
  regionOfCountry(readCell(typeof column === 'number' ? (cells[column] ?? '') : ''))

import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { callingCodeOf } from './numbering-plans.ts'

/** The country (ISO 3166) of a number in E.164 digits; null for a number of no country, or of one of several. */
export function countryOf(digits: string): string | null {
  const code = callingCodeOf(digits)
  if (code === null) return null
  // Only these need the slow library.
  if (code.regions.length > 1) return parsePhoneNumberFromString(`+${digits}`)?.country ?? null
  return code.regions[0] ?? null
}

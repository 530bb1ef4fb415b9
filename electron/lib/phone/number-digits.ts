import { cleanNumber } from './clean-number.ts'
import { planOf } from './numbering-plans.ts'
import { longestText, possibleNumbers } from './possible-numbers.ts'

const plain = /^\+?([1-9]\d{6,14})$/

/** The digits by which a number from outside is found: with its country code where it has one, however it is written. */
export function digitsToFind(text: string): string {
  const [, digits] = plain.exec(text) ?? []
  if (digits !== undefined) return digits
  if (text.length > longestText) return text.replace(/\D/g, '')
  const read = possibleNumbers(text, null).digits
  return read === null ? cleanNumber(text).text.replace(/\D/g, '') : String(read)
}

/** Dialled before a national number in some country. */
const trunkPrefixes = ['', '0', '1', '8', '01', '06']

/** The digits of a number in national form, as dialled in `country`; none for a number of another country. */
export function nationalForms(digits: number, country: string): string[] {
  const { callingCode } = planOf(country)
  const text = String(digits)
  if (!text.startsWith(callingCode)) return []
  const national = text.slice(callingCode.length)
  return trunkPrefixes
    .map((prefix) => prefix + national)
    .filter((form) => form !== text && possibleNumbers(form, country).all.includes(digits))
}

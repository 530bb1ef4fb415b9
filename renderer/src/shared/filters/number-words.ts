import { hasCountry, isNumberLike } from '#contract/number-text.ts'
import { regionName } from '../format/regions.ts'

/** A number as one is written to be found, for a sentence: with its country, its digits parted as one likes. */
export const numberSample = '+49 151 23456789'

/** Fewer digits are the beginning of typing, or the figures of anything. */
const digitsMin = 4

const digitsOf = (typed: string) => typed.replace(/\D/g, '')

/** Whether a text that is looked for may be meant as a number. */
export const mayBeNumber = (typed: string): boolean =>
  isNumberLike(typed) && digitsOf(typed).length >= digitsMin

/** How a number with the zero of a national one is looked for; null for any other text. */
export function dialledNote(typed: string, region: string): string | null {
  const digits = digitsOf(typed)
  if (!mayBeNumber(typed) || hasCountry(typed) || !digits.startsWith('0')) return null
  return `The number is looked for as dialled in the region ${regionName(region)}, and with ${digits.replace(/^0+(?=.)/, '')} anywhere. With its country, such as ${numberSample}, it is one number.`
}

/** What to write where nothing was found for a number that does not say its country; null for any other text. */
export function notFoundNote(typed: string): string | null {
  if (!mayBeNumber(typed) || hasCountry(typed)) return null
  return `Numbers are stored with their country. If this one is written without it, write it as in ${numberSample}.`
}

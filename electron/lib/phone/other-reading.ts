import { parseIncompletePhoneNumber } from 'libphonenumber-js/max'
import { writtenDigits } from './written-digits.ts'

/** What a number with its plus, or one that is dialled with a prefix, begins with. */
const plus = 43
const zero = 48
/** Digits with what is commonly put between them. */
const plain = /^[0-9 ().\-/]+$/
/** What is no number, or has its plus. */
const other = /[\p{L}+＋]/u

/**
 * The digits that a number without a plus has when they are taken for an international number; 0 where that is `read`, as which it was
 * read, or where it has its plus or begins with a zero. Lists of whom not to contact are asked for both: the plus may have been lost.
 */
export function otherReading(text: string, read: number): number {
  const first = text.charCodeAt(0)
  if (first === plus || first === zero) return 0
  const digits = plain.test(text) ? text : other.test(text) ? '' : parseIncompletePhoneNumber(text)
  const found = digits === '' ? 0 : writtenDigits(`+${digits}`)
  return found === read ? 0 : found
}

/** Why a number is blocked whose other reading is on the list, or held here; no text that a spreadsheet takes for a formula. */
export const otherReadingReason = (digits: number, source: 'dnc' | 'hold'): string =>
  `the number was written without its plus, and +${digits} is ${source === 'dnc' ? 'on the list' : 'held here'}`

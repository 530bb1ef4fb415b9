import { parseIncompletePhoneNumber } from 'libphonenumber-js/max'
import { writtenDigits } from './written-digits.ts'

const plus = 43
const zero = 48
/** Digits and common separators. */
const plain = /^[0-9 ().\-/]+$/
/** Letters or a plus. */
const other = /[\p{L}+＋]/u

/**
 * The other reading of a number without a plus: as international digits. 0 when that equals `read`, or when
 * it begins with a plus or zero. DNC checks look up both, because the plus may have been lost.
 */
export function otherReading(text: string, read: number): number {
  const first = text.charCodeAt(0)
  if (first === plus || first === zero) return 0
  const digits = plain.test(text) ? text : other.test(text) ? '' : parseIncompletePhoneNumber(text)
  const found = digits === '' ? 0 : writtenDigits(`+${digits}`)
  return found === read ? 0 : found
}

/** Why a number is blocked by its other reading. */
export const otherReadingReason = (digits: number, source: 'dnc' | 'hold') =>
  ({ key: source === 'dnc' ? 'phone.otherOnDnc' : 'phone.otherOnHold', digits: String(digits) }) as const

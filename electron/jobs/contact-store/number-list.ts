import { callingCodes } from '../../lib/phone/numbering-plans.ts'

/** For a character class: separators in numbers, and direction marks of copied ones. */
export const betweenDigits = String.raw`\s().\-/\u2010-\u2015\u2212\u200e\u200f\u202a-\u202e\u2066-\u2069`

/** A number as stored: plus and digits, without leading zeros or a `(0)` after the country code. */
export function storedNumber(written: string): { plus: '+' | ''; digits: string } {
  const digits = written
    .replace(/(?<=\d\s*)\(0\)/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
  return { plus: /^\D*\+/.test(written) ? '+' : '', digits }
}

/** Digits of a complete number: fewer are part of one, more are several. */
const digitsMin = 7
const digitsMax = 15
/** Separators of a list; a plus starts another number. */
const parting = /[,;|\t\r\n]+|\s+(?=\(?\+)/
const digitsAndBetween = new RegExp(`^[+${betweenDigits}]*\\d[\\d${betweenDigits}]*$`)

function isWholeNumber(text: string): boolean {
  const { length } = storedNumber(text).digits
  return digitsAndBetween.test(text) && length >= digitsMin && length <= digitsMax
}

/** Unique complete numbers of a text that contains two or more and nothing else, as pasted from a list; otherwise empty. */
export function readNumberList(typed: string | undefined): string[] {
  const parts = (typed ?? '').split(parting).flatMap((part) => part.trim() || [])
  const numbers = parts.flatMap((part) => {
    const words = part.split(/\s+/)
    return words.every(isWholeNumber) ? words : [part]
  })
  if (numbers.length < 2 || !numbers.every(isWholeNumber)) return []
  return [
    ...new Map(
      numbers.map((written) => [prefixOf(written) + storedNumber(written).digits, written]),
    ).values(),
  ]
}

/** How a number is dialled: with country, a leading zero, or as written. Dialled otherwise it is another number. */
function prefixOf(written: string): '+' | '0' | '' {
  if (storedNumber(written).plus === '+' || /^\D*00/.test(written)) return '+'
  return /^\D*0/.test(written) ? '0' : ''
}

/**
 * E.164 digits a complete number may mean: itself with a plus or double zero; otherwise also a national number of any country, with and
 * without its leading zero.
 */
export function numbersMeant(written: string): number[] {
  const { digits } = storedNumber(written)
  const prefix = prefixOf(written)
  if (prefix === '+') return [Number(digits)]
  const national = prefix === '0' ? [digits, `0${digits}`] : [digits]
  const abroad = callingCodes.flatMap((code) => national.map((one) => code + one))
  return [digits, ...abroad].filter(({ length }) => length <= digitsMax).map(Number)
}

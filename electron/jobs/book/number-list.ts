import { callingCodes } from '../../lib/phone/numbering-plans.ts'

/** What people put between the digits of a number, and marks of direction that come with a copied one. Of a character class. */
export const betweenDigits = String.raw`\s().\-/\u2010-\u2015\u2212\u200e\u200f\u202a-\u202e\u2066-\u2069`

/**
 * A number as it is stored, as far as it is written: its plus, if any, and its digits. The zeros that are dialled before it, and the one in
 * brackets behind its country, are no part of it.
 */
export function storedNumber(written: string): { plus: '+' | ''; digits: string } {
  const digits = written
    .replace(/(?<=\d\s*)\(0\)/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '')
  return { plus: /^\D*\+/.test(written) ? '+' : '', digits }
}

/** Digits of a whole number: fewer are a part of one, more are several. */
const digitsMin = 7
const digitsMax = 15
/** What parts the numbers of a list; where a plus stands, another one begins. */
const parting = /[,;|\t\r\n]+|\s+(?=\(?\+)/
const digitsAndBetween = new RegExp(`^[+${betweenDigits}]*\\d[\\d${betweenDigits}]*$`)

function isWholeNumber(text: string): boolean {
  const { length } = storedNumber(text).digits
  return digitsAndBetween.test(text) && length >= digitsMin && length <= digitsMax
}

/** Whole numbers, each once, of a text that holds two or more and nothing else, as they are pasted out of a list; none of any other text. */
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

/** How a number is dialled, by which the same digits are others: with its country, with a zero within it, or as it stands. */
function prefixOf(written: string): '+' | '0' | '' {
  if (storedNumber(written).plus === '+' || /^\D*00/.test(written)) return '+'
  return /^\D*0/.test(written) ? '0' : ''
}

/**
 * The numbers, as E.164 digits, that a whole number may be: itself with a plus or a double zero; else also a national one of any country,
 * with and without the zero that it is dialled with.
 */
export function numbersMeant(written: string): number[] {
  const { digits } = storedNumber(written)
  const prefix = prefixOf(written)
  if (prefix === '+') return [Number(digits)]
  const national = prefix === '0' ? [digits, `0${digits}`] : [digits]
  const abroad = callingCodes.flatMap((code) => national.map((one) => code + one))
  return [digits, ...abroad].filter(({ length }) => length <= digitsMax).map(Number)
}

import { hasCountry } from '../../../contract/number-text.ts'
import { isPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'

/** Digits that a number begins with, or that stand anywhere in it. A number is its digits with its country, without its plus. */
export interface NumberReading {
  digits: string
  atStart: boolean
}

/** The zero in brackets that is dialled only within the country whose code stands before it. */
const innerZero = /(?<=\d\D*)\(0\)/
/** What is dialled before a number and stored with none: of one with its country, and of any other. */
const dialled = { international: /^00(?=[1-9])/, national: /^0+(?=.)/ }

/**
 * What is looked for with a number as somebody types it; a number that one of the readings fits is found. With its plus, or the 00 dialled
 * in its place, it is a beginning; digits alone are a part, without the zeros that are dialled before them, and what they are as dialled in
 * `region` (two letters of ISO 3166; none where it is not known). Empty for a text without digits.
 */
export function readSoughtNumber(typed: string, region: string | undefined): NumberReading[] {
  const written = typed.replace(innerZero, '').replace(/\D/g, '')
  if (written === '') return []
  const atStart = hasCountry(typed)
  const digits = written.replace(atStart ? dialled.international : dialled.national, '')
  const called = calledDigits(typed, atStart ? 'US' : region)
  const isCovered = called === null || (atStart ? called.startsWith(digits) : called.includes(digits))
  return [{ digits, atStart }, ...(isCovered ? [] : [{ digits: called, atStart: true }])]
}

/** The number that is called with a whole one; null for any other. One with its country is the same in every region. */
function calledDigits(typed: string, region: string | undefined): string | null {
  if (region === undefined || !isPhoneRegion(region)) return null
  const parsed = parsePhone(typed, { region, doubleZeroIsPlus: true })
  return parsed.ok ? String(parsed.digits) : null
}

import { hasCountry } from '../../../contract/number-text.ts'
import { nationalForms } from '../../../lib/phone/number-digits.ts'
import { isPhoneRegion, parsePhone } from '../../../lib/phone/parse-phone.ts'

/** Digits to find at the start of a number, or anywhere in it. Stored numbers have a country code and no plus. */
export interface NumberReading {
  digits: string
  atStart: boolean
  /** The digits are the whole number, in national form. */
  isWhole?: true
}

/** The bracketed zero that is dialled only inside the country, as in +44 (0)20. */
const innerZero = /(?<=\d\D*)\(0\)/
/** Dialling prefixes that stored numbers lack. */
const dialled = { international: /^00(?=[1-9])/, national: /^0+(?=.)/ }

/**
 * Readings of a number as typed; a stored number matches if any of them fits. With a plus or 00, the digits
 * match at the start. Otherwise they match anywhere, without leading zeros, or at the start as dialled in
 * `region` (ISO 3166, two letters; optional). A complete number of the region also matches one stored in national form. Empty without digits.
 */
export function readTypedNumber(typed: string, region: string | undefined): NumberReading[] {
  const written = typed.replace(innerZero, '').replace(/\D/g, '')
  if (written === '') return []
  const atStart = hasCountry(typed)
  const digits = written.replace(atStart ? dialled.international : dialled.national, '')
  const called = calledDigits(typed, atStart ? 'US' : region)
  const isCovered = called === null || (atStart ? called.startsWith(digits) : called.includes(digits))
  const isHome = called !== null && region !== undefined && isPhoneRegion(region)
  const national = isHome ? nationalForms(Number(called), region) : []
  return [
    { digits, atStart },
    ...(isCovered ? [] : [{ digits: called, atStart: true }]),
    ...national.map((form) => ({ digits: form, atStart: true, isWhole: true as const })),
  ]
}

/** The full number that a complete typed one dials; null if incomplete. The region is for national ones. */
function calledDigits(typed: string, region: string | undefined): string | null {
  if (region === undefined || !isPhoneRegion(region)) return null
  const parsed = parsePhone(typed, { region })
  return parsed.ok ? String(parsed.digits) : null
}

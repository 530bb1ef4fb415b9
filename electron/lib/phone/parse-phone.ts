import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max'
import { isMobile, planOf } from './numbering-plans.ts'
import { isRare } from './plan-chances.ts'
import { cleanNumber } from './clean-number.ts'
import { dateShape } from './number-shape.ts'
import { type PhoneFault, readDigits } from './read-digits.ts'
import { severalNumbers } from './several-numbers.ts'

/**
 * A callable number, or why the text isn't one. `digits` is E.164 without plus, at most 15, so it fits a double. `other`: another number
 * that the same digits may be, valid or not, because a plus may be missing or the plan changed; 0 if none. `twoWays`: the other number is valid, and nothing
 * shows which one is meant. `numbers`: those that a refused text holds; with `several`, its first comes first. `possible`: those of the right length that no plan knows.
 */
export type ParsedPhone =
  | { ok: true; digits: number; e164: string; other: number; twoWays?: true }
  | {
      ok: false
      fault: NumberFault
      reason: PhoneReason
      numbers?: readonly number[]
      possible?: readonly number[]
    }

/**
 * Why a text is no number. `region`: without a plus, it is no number of the region it was read in. `country`: its row's country is unknown. `unknown`: no country has it.
 * `possible`: as these two, but of a right length.
 */
export type NumberFault =
  | 'empty'
  | 'none'
  | 'short'
  | 'long'
  | 'letters'
  | 'extension'
  | 'several'
  | 'rounded'
  | 'region'
  | 'country'
  | 'unknown'
  | 'possible'

/** Why, as a phrase for people. */
export type PhoneReason =
  | {
      key: `phone.${'empty' | 'none' | 'unreadable' | 'short' | 'long' | 'code' | 'unused' | 'several' | 'extension' | 'rounded' | 'fraction' | 'date' | 'noCountry' | 'rowCountry' | 'fax'}`
    }
  | { key: 'phone.digits'; max: number }
  | { key: 'phone.region'; region: string }
  | { key: 'phone.letters'; letters: string }

type Refused = ParsedPhone & { ok: false }
const failed = (fault: NumberFault, reason: PhoneReason): Refused => ({ ok: false, fault, reason })

export interface PhoneOptions {
  /** ISO 3166, two letters. Numbers without a plus are read as dialled there. Null: they need their country code. */
  region: string | null
  /** Every number carries its country code, also without a plus. Only those with a leading zero are read as dialled. */
  hasCountryCodes?: boolean
}

export const isPhoneRegion = (region: string): boolean => isSupportedCountry(region)

/** A region with a numbering plan; null for any other. */
export const toPhoneRegion = (region: string | null | undefined): string | null =>
  region && isPhoneRegion(region) ? region : null

const tooLong = failed('long', { key: 'phone.long' })
const date = failed('none', { key: 'phone.date' })
const several = failed('several', { key: 'phone.several' })
const faults: Record<Exclude<PhoneFault, 'NOT_VALID'> | 'NOT_A_NUMBER', Refused> = {
  NOT_A_NUMBER: failed('none', { key: 'phone.none' }),
  TOO_SHORT: failed('short', { key: 'phone.short' }),
  TOO_LONG: tooLong,
  INVALID_COUNTRY: failed('unknown', { key: 'phone.code' }),
}

/** Digits of a valid length that are no number: without a plus, the region may be wrong. */
const notValid = (text: string, region: string | null): Refused =>
  /^[^\d]*[+＋]/.test(text) || region === null
    ? failed('unknown', { key: 'phone.unused' })
    : failed('region', { key: 'phone.region', region })

const faultOf = (fault: keyof typeof faults | 'NOT_VALID', text: string, region: string | null): Refused =>
  fault === 'NOT_VALID'
    ? notValid(text, region)
    : (faults[fault] ?? failed('none', { key: 'phone.unreadable' }))

/** The first letters of a text, with the colon of a URI. */
const letters = /\p{L}[\p{L}\p{M}]*:?/u
const quotedMax = 16

function letterReason([piece]: RegExpExecArray): PhoneReason {
  const chars = [...piece]
  const letters = chars.length > quotedMax ? `${chars.slice(0, quotedMax).join('')}…` : piece
  return { key: 'phone.letters', letters }
}

/** Longest text of one number, and of several. */
const textMax = 64
export const severalMax = 400

/** Digits and common separators after at most one plus. Everything else is cleaned, and read by the library. */
const plain = /^[ ().\-/]*\+?[0-9 ().\-/]*$/
const digitsOnly = /^\+?[0-9]+$/
const between = /[ ().\-/]/g
/** A decimal point, a bracketed zero, an ending behind a slash, or the mark of a list or a footnote: plain, but not only separators. */
const notation = /\d{6}\.(?:\d{1,3}|0{4,6})$|\(0\)|\/ ?-?\d{1,6}$|\)$|^\(?\d{1,3} ?[.)]+ +[+0]|^- /
/** With fewer digits, a plain text holds one number. */
const severalFrom = 14
/** No calling code begins with these. */
const noCode = /^[ ().\-/]*[+0]/
/** The library refuses fewer digits, with a reason that depends on more than the digits. */
const plainMin = 3
/** Digits that may be an international number without its plus. */
const otherMin = 7
const otherMax = 15

/** Without zero and country code, no national number has more digits. */
export const bareMax = 11

/** Lengths that a number outside every plan may have. */
const plausible = /^\d{7,15}$/

/** Replaces a leading `00` by a plus. */
const withPlus = (text: string): string =>
  text.startsWith('00') ? text.replace(/^00[ ().\-/]*(?=[1-9])/, '+') : text

/**
 * Reads a number by libphonenumber's rules, in any notation that `cleanNumber` knows. Never guesses: extensions, several numbers, letters
 * in between and numbers that no country has are refused.
 */
export function parsePhone(text: string, options: PhoneOptions): ParsedPhone {
  const trimmed = text.trim()
  if (trimmed === '') return failed('empty', { key: 'phone.empty' })
  if (isDate(trimmed, options.region)) return date
  const isPlain = digitsOnly.test(trimmed) || (plain.test(trimmed) && !notation.test(trimmed))
  if (isPlain && !mayBeSeveral(trimmed)) return readOne(trimmed, options)
  return trimmed.length > severalMax ? tooLong : readWritten(trimmed, options)
}

/** Whether a text is a date. Where nothing is dialled before a number, a few digits may be a whole one. */
function isDate(text: string, region: string | null): boolean {
  const shape = dateShape(text)
  if (shape !== 'short' || region === null) return shape !== null
  return planOf(region).nationalPrefix?.test('06') === true || !readText(text, region).ok
}

const mayBeSeveral = (text: string): boolean =>
  text.length > severalFrom && text.replace(/\D/g, '').length >= severalFrom

/** Reads a text in any notation, with one or several numbers. */
function readWritten(text: string, options: PhoneOptions): ParsedPhone {
  const read = readCleaned(text, options)
  const isNumber = (part: string) => readCleaned(part, options).ok
  const parts = severalNumbers(
    text,
    isNumber,
    read.ok || read.fault === 'extension' || read.fault === 'rounded',
  )
  if (!parts) return read
  const found = parts.map((part) => readCleaned(part, options))
  /** Also behind a word, as in `Office 0316 555777`. */
  const withoutWords = (part: string) => readCleaned(part.replace(/^[^\d+]+|\D+$/g, ''), options)
  const numbers = new Set(
    found.flatMap((one, at) => {
      const held = one.ok || one.fault !== 'letters' ? one : withoutWords(parts[at]!)
      return held.ok ? held.digits : (held.numbers ?? [])
    }),
  )
  const possible = new Set(found.flatMap((one) => (one.ok ? [] : (one.possible ?? []))))
  const held = {
    ...(numbers.size > 0 ? { numbers: [...numbers] } : {}),
    ...(possible.size > 0 ? { possible: [...possible] } : {}),
  }
  const first = found[0]!
  if (first.ok || first.numbers) return { ...several, ...held }
  // A fix takes the first or none, and none that no plan knows.
  return { ...(first.fault === 'possible' ? failed('unknown', { key: 'phone.unused' }) : first), ...held }
}

function readCleaned(text: string, options: PhoneOptions): ParsedPhone {
  const clean = cleanNumber(text)
  if (clean.fault !== null) return failed('rounded', { key: `phone.${clean.fault}` })
  if (clean.text.length > textMax) return tooLong
  const read = readOne(clean.text, options)
  return clean.extension && read.ok
    ? { ...failed('extension', { key: 'phone.extension' }), numbers: [read.digits] }
    : read
}

/** Reads one number without decoration. */
function readOne(text: string, options: PhoneOptions): ParsedPhone {
  const read = readPresent(text, options)
  return read.ok ? read : (readOldMexican(text, options) ?? read)
}

/** A Mexican number as it was dialled before 2020: with a 1 behind the country code; within the country, behind one of these prefixes. */
const oldMexican = /^(?:(\+|00)?521|01|04[45])(\d{10})$/

/** Such a number without what Mexico dropped; null if it is none. */
function readOldMexican(text: string, { region, hasCountryCodes }: PhoneOptions): ParsedPhone | null {
  const bare = text.replace(between, '')
  const [, prefix, national] = oldMexican.exec(bare) ?? []
  const isWithCode = prefix !== undefined || (hasCountryCodes === true && !bare.startsWith('0'))
  if (national === undefined || (!isWithCode && region !== 'MX')) return null
  const read = readText(`+52${national}`, null)
  return read.ok ? { ...read, other: Number(`521${national}`) } : null
}

/** Reads one number as it is dialled now. */
function readPresent(text: string, options: PhoneOptions): ParsedPhone {
  const { region, hasCountryCodes = false } = options
  const typed = withPlus(text)
  if (typed !== text) {
    const read = readText(typed, null)
    if (read.ok || region === null) return read
    const dialled = readText(text, region)
    return dialled.ok || !read.possible ? dialled : read
  }
  if (noCode.test(text)) return readText(text, region)
  const bare = text.replace(/\D/g, '')
  if (region !== null && !hasCountryCodes) {
    const read = readText(text, region)
    return bare.length < otherMin || bare.length > otherMax ? read : readDialled(read, text, bare, region)
  }
  const read = plain.test(text) ? readText(`+${bare}`, null) : readText(text, region)
  if (!read.ok || region === null) return read
  const dialled = readText(text, region)
  return dialled.ok && dialled.digits !== read.digits ? { ...read, other: dialled.digits } : read
}

/** Ten digits as they are grouped in North America, and hardly anywhere else. */
const american10 = /^(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[-.])[2-9]\d{2}[-.]\d{4}$/

/** Such a number outside North America, where the plan takes nearly any digits; null otherwise. */
function readAmerican(asDialled: ParsedPhone, bare: string, region: string): ParsedPhone | null {
  const { callingCode } = planOf(region)
  if (!asDialled.ok || callingCode === '1' || isMobile(asDialled.e164.slice(1))) return null
  if (isRare(callingCode, bare.length, false)) return null
  const read = readText(`+1${bare}`, null)
  return read.ok ? { ...read, other: asDialled.digits, twoWays: true } : null
}

/** Compares a text without plus or leading zero, as dialled in a region, with its digits as an international number. */
function readDialled(asDialled: ParsedPhone, text: string, bare: string, region: string): ParsedPhone {
  const american = american10.test(text.trim()) ? readAmerican(asDialled, bare, region) : null
  if (american) return american
  const asInternational = Number(bare)
  if (!asDialled.ok || asDialled.digits === asInternational) return asDialled
  const withCode = isMobile(asDialled.e164.slice(1)) ? null : readText(`+${bare}`, null)
  if (!withCode?.ok) {
    const mexican = readOldMexican(`+${bare}`, { region })
    return { ...asDialled, other: mexican?.ok ? mexican.digits : asInternational }
  }
  if (asDialled.digits === withCode.digits) return asDialled
  // An own mobile, or more digits than any national number has without its zero.
  const isCoded = isMobile(bare) && (bare.startsWith(planOf(region).callingCode) || bare.length > bareMax)
  const [read, other] = isCoded ? [withCode, asDialled] : [asDialled, withCode]
  return { ...read, other: other.digits, twoWays: true }
}

function readText(text: string, region: string | null): ParsedPhone {
  const isInternational = text.startsWith('+')
  if (region === null && !isInternational) return failed('region', { key: 'phone.noCountry' })
  if (plain.test(text)) {
    const bare = digitsOnly.test(text) ? text : text.replace(between, '')
    // With a plus, the region makes no difference.
    const read = bare.length > plainMin ? readDigits(bare, region ?? 'US') : null
    if (read && 'fault' in read) {
      const refused = faultOf(read.fault, text, region)
      const { possible = '' } = read
      return plausible.test(possible)
        ? { ...refused, fault: 'possible', possible: [Number(possible)] }
        : refused
    }
    if (read) return toPhone(read.e164Digits)
  }
  return askLibrary(text, region)
}

/** Most digits of E.164. The library allows more for some service numbers, which a double can't hold. */
const digitsMax = 15

const toPhone = (e164Digits: string): ParsedPhone =>
  e164Digits.length > digitsMax
    ? failed('long', { key: 'phone.digits', max: digitsMax })
    : { ok: true, digits: Number(e164Digits), e164: `+${e164Digits}`, other: 0 }

/** The library's answers for short texts: "n/a" and similar repeat, at 50 µs each. */
const shortAnswers = new Map<string, ParsedPhone>()
const shortMax = 8
const shortAnswersMax = 1_000

function askLibrary(text: string, region: string | null): ParsedPhone {
  if (text.length > shortMax) return parseWithLibrary(text, region)
  const key = `${region} ${text}`
  let answer = shortAnswers.get(key)
  if (!answer) {
    if (shortAnswers.size >= shortAnswersMax) shortAnswers.clear()
    shortAnswers.set(key, (answer = parseWithLibrary(text, region)))
  }
  return answer
}

function parseWithLibrary(text: string, region: string | null): ParsedPhone {
  // The library reads vanity numbers; letters in a pasted number are usually a mistake.
  const found = letters.exec(text)
  if (found) return /\p{Nd}/u.test(text) ? failed('letters', letterReason(found)) : faults.NOT_A_NUMBER
  try {
    const read = parsePhoneNumberWithError(text, (region ?? undefined) as CountryCode | undefined)
    if (!read.isValid()) return faultOf('NOT_VALID', text, region)
    const digits = read.number.slice(1)
    return read.ext
      ? { ...failed('extension', { key: 'phone.extension' }), numbers: [Number(digits)] }
      : toPhone(digits)
  } catch (error) {
    if (error instanceof ParseError) return faultOf(error.message as keyof typeof faults, text, region)
    throw error
  }
}

import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max'
import { planOf } from './numbering-plans.ts'
import { type PhoneFault, readDigits } from './read-digits.ts'

/**
 * A callable number, or why the text isn't one. `digits` is E.164 without plus, at most 15, so it fits a double. `twoWays`: written
 * without plus but beginning with the region's own code, it is another number when that code is read as one.
 */
export type ParsedPhone =
  | { ok: true; digits: number; e164: string; twoWays?: true }
  | { ok: false; fault: NumberFault; reason: PhoneReason }

/** Why a text is no number. `region`: without a plus, it is no number of the region it was read in. `unknown`: no country has it. */
export type NumberFault =
  'empty' | 'none' | 'short' | 'long' | 'letters' | 'extension' | 'several' | 'rounded' | 'region' | 'unknown'

/** Why, as a phrase for people. */
export type PhoneReason =
  | {
      key: `phone.${'empty' | 'none' | 'unreadable' | 'short' | 'long' | 'code' | 'unused' | 'several' | 'extension' | 'rounded'}`
    }
  | { key: 'phone.digits'; max: number }
  | { key: 'phone.region'; region: string }
  | { key: 'phone.letters'; letters: string }

const failed = (fault: NumberFault, reason: PhoneReason): ParsedPhone => ({ ok: false, fault, reason })

export interface PhoneOptions {
  /** ISO 3166, two letters. Numbers without a plus are read as dialled there. */
  region: string
  /** Reads `0049…` as `+49…`. */
  doubleZeroIsPlus?: boolean
  /** In a region with code 49, always prefers `49…` as `+49…`; otherwise only when nothing else works. */
  ownCodeIsPlus?: boolean
}

export const isPhoneRegion = (region: string): boolean => isSupportedCountry(region)

const tooLong = failed('long', { key: 'phone.long' })
const faults: Record<Exclude<PhoneFault, 'NOT_VALID'> | 'NOT_A_NUMBER', ParsedPhone> = {
  NOT_A_NUMBER: failed('none', { key: 'phone.none' }),
  TOO_SHORT: failed('short', { key: 'phone.short' }),
  TOO_LONG: tooLong,
  INVALID_COUNTRY: failed('unknown', { key: 'phone.code' }),
}

/** Digits of a valid length that are no number: without a plus, the region may be wrong. */
const notValid = (text: string, region: string): ParsedPhone =>
  /^[^\d]*[+＋]/.test(text)
    ? failed('unknown', { key: 'phone.unused' })
    : failed('region', { key: 'phone.region', region })

/** Common separators between two numbers in one cell. */
const separators = /[/;,|&\n]|(?=[+＋])/
/** Fewer digits between separators may be part of one number. */
const wholeMin = 7

/** Whether a refused text looks like several numbers. */
function holdsSeveral(text: string): boolean {
  const parts = text.split(separators).map((part) => part.replace(/\P{Nd}/gu, '').length)
  const filled = parts.filter((digits) => digits > 0)
  return filled.length > 1 && filled.every((digits) => digits >= wholeMin)
}

const faultOf = (fault: keyof typeof faults | 'NOT_VALID', text: string, region: string): ParsedPhone => {
  if (holdsSeveral(text)) return failed('several', { key: 'phone.several' })
  return fault === 'NOT_VALID'
    ? notValid(text, region)
    : (faults[fault] ?? failed('none', { key: 'phone.unreadable' }))
}

/** The first letters of a text, with the colon of a URI. */
const letters = /\p{L}[\p{L}\p{M}]*:?/u
const quotedMax = 16

function letterReason([piece]: RegExpExecArray): PhoneReason {
  const chars = [...piece]
  const letters = chars.length > quotedMax ? `${chars.slice(0, quotedMax).join('')}…` : piece
  return { key: 'phone.letters', letters }
}

/** RFC 3966, as in links and contact cards. */
const telScheme = /^tel:\s*/i

const textMax = 64

/** Digits and common separators after at most one plus. Everything else goes to the library. */
const plain = /^[ ().\-/]*\+?[0-9 ().\-/]*$/
const digitsOnly = /^\+?[0-9]+$/
const between = /[ ().\-/]/g
/** No calling code begins with these. */
const noCode = /^[+0]/
/** A long number as a spreadsheet rounds it. */
const rounded = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** The library refuses fewer digits, with a reason that depends on more than the digits. */
const plainMin = 3

/** Replaces a leading `00` by a plus. */
export const withPlus = (text: string): string =>
  text.startsWith('00') ? text.replace(/^00[ ().\-/]*(?=[1-9])/, '+') : text

/**
 * Reads a number by libphonenumber's rules. Never guesses: extensions, letters in between and numbers that no
 * country has are refused.
 */
export function parsePhone(
  text: string,
  { region, doubleZeroIsPlus = false, ownCodeIsPlus = false }: PhoneOptions,
): ParsedPhone {
  const trimmed = text.trim().replace(telScheme, '')
  if (trimmed === '') return failed('empty', { key: 'phone.empty' })
  if (trimmed.length > textMax) return tooLong
  const typed = doubleZeroIsPlus ? withPlus(trimmed) : trimmed
  const asDialled = readText(typed, region)
  if ((!asDialled.ok && !ownCodeIsPlus) || noCode.test(typed)) return asDialled
  const bare = typed.replace(between, '')
  if (!bare.startsWith(planOf(region).callingCode)) return asDialled
  if (asDialled.ok && asDialled.e164 === `+${bare}`) return asDialled
  const withCode = readText(`+${bare}`, region)
  if (!withCode.ok || (asDialled.ok && asDialled.digits === withCode.digits)) return asDialled
  if (!asDialled.ok) return withCode
  return { ...(ownCodeIsPlus ? withCode : asDialled), twoWays: true }
}

function readText(text: string, region: string): ParsedPhone {
  if (plain.test(text)) {
    const bare = digitsOnly.test(text) ? text : text.replace(between, '')
    const read = bare.length > plainMin ? readDigits(bare, region) : null
    if (read && 'fault' in read) return faultOf(read.fault, text, region)
    if (read) return toPhone(read.e164Digits)
  }
  return askLibrary(text, region)
}

/** Most digits of E.164. The library allows more for some service numbers, which a double can't hold. */
const digitsMax = 15

const toPhone = (e164Digits: string): ParsedPhone =>
  e164Digits.length > digitsMax
    ? failed('long', { key: 'phone.digits', max: digitsMax })
    : { ok: true, digits: Number(e164Digits), e164: `+${e164Digits}` }

/** The library's answers for short texts: "n/a" and similar repeat, at 50 µs each. */
const shortAnswers = new Map<string, ParsedPhone>()
const shortMax = 8
const shortAnswersMax = 1_000

function askLibrary(text: string, region: string): ParsedPhone {
  if (text.length > shortMax) return parseWithLibrary(text, region)
  const key = `${region} ${text}`
  let answer = shortAnswers.get(key)
  if (!answer) {
    if (shortAnswers.size >= shortAnswersMax) shortAnswers.clear()
    shortAnswers.set(key, (answer = parseWithLibrary(text, region)))
  }
  return answer
}

function parseWithLibrary(text: string, region: string): ParsedPhone {
  if (rounded.test(text)) return failed('rounded', { key: 'phone.rounded' })
  // The library reads vanity numbers; letters in a pasted number are usually a mistake.
  const found = letters.exec(text)
  if (found) return failed('letters', letterReason(found))
  try {
    const read = parsePhoneNumberWithError(text, region as CountryCode)
    if (read.ext) return failed('extension', { key: 'phone.extension' })
    if (!read.isValid()) return faultOf('NOT_VALID', text, region)
    return toPhone(read.number.slice(1))
  } catch (error) {
    if (error instanceof ParseError) return faultOf(error.message as keyof typeof faults, text, region)
    throw error
  }
}

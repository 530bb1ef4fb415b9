import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max'
import { planOf } from './numbering-plans.ts'
import { type PhoneFault, readDigits } from './read-digits.ts'

/**
 * A number that can be called, or why a text is none. `digits` is E.164 without its plus: at most 15, so it fits a double. `twoWays`: it begins
 * with the region's own calling code and no plus, and is another number when that code is taken for one.
 */
export type ParsedPhone =
  { ok: true; digits: number; e164: string; twoWays?: true } | { ok: false; reason: string }

export interface PhoneOptions {
  /** Two letters of ISO 3166: a number without a plus is read as dialled there. */
  region: string
  /** Reads `0049…` as `+49…`, as much of the world dials. */
  doubleZeroIsPlus?: boolean
  /** Of a region whose calling code is 49, reads `49…` as `+49…` wherever that makes a number; else only where nothing else does. */
  ownCodeIsPlus?: boolean
}

/** Whether numbers of a region, two letters, are known. */
export const isPhoneRegion = (region: string): boolean => isSupportedCountry(region)

const reasons: Record<Exclude<PhoneFault, 'NOT_VALID'> | 'NOT_A_NUMBER', string> = {
  NOT_A_NUMBER: 'it holds no number',
  TOO_SHORT: 'it is too short',
  TOO_LONG: 'it is too long',
  INVALID_COUNTRY: 'its country code is not known, or missing',
}

/** Why a text with digits of a right length is none: without a plus it was read as dialled in a region, which may be the wrong one. */
const notValid = (text: string, region: string): string =>
  /^[^\d]*[+＋]/.test(text)
    ? 'no country has this number'
    : `read as dialled in ${region}, there is no such number`

/** What people put between two numbers in one cell. */
const separators = /[/;,|&\n]|(?=[+＋])/
/** Fewer digits than these between separators may be a part of one number. */
const wholeMin = 7

/** Whether a text that was refused reads as several numbers, each of which may be one. */
function holdsSeveral(text: string): boolean {
  const parts = text.split(separators).map((part) => part.replace(/\P{Nd}/gu, '').length)
  const filled = parts.filter((digits) => digits > 0)
  return filled.length > 1 && filled.every((digits) => digits >= wholeMin)
}

const reasonOf = (fault: keyof typeof reasons | 'NOT_VALID', text: string, region: string): string => {
  if (holdsSeveral(text)) return 'it holds more than one number'
  return fault === 'NOT_VALID' ? notValid(text, region) : (reasons[fault] ?? 'it cannot be read')
}

/** The first letters of a text, with the colon of a URI. */
const letters = /\p{L}[\p{L}\p{M}]*:?/u
/** Longest piece of a text that a reason quotes, characters. */
const quotedMax = 16

function letterReason([piece]: RegExpExecArray): string {
  const chars = [...piece]
  const quoted = chars.length > quotedMax ? `${chars.slice(0, quotedMax).join('')}…` : piece
  return `it holds letters ("${quoted}")`
}

/** A number as links and contact cards write it (RFC 3966). */
const telScheme = /^tel:\s*/i

/** Longest text that is looked at, characters. */
const textMax = 64

/** Digits with what is commonly put between them, behind at most one plus. What holds anything else is the library's to read. */
const plain = /^[ ().\-/]*\+?[0-9 ().\-/]*$/
const digitsOnly = /^\+?[0-9]+$/
const between = /[ ().\-/]/g
/** What no calling code without its plus begins with. */
const noCode = /^[+0]/
/** What a spreadsheet makes of a long number: most of its digits are gone. */
const rounded = /^\d(?:[.,]\d+)?E\+?\d+$/i
/** The library takes no fewer digits for a number; how it says so depends on more than the digits. */
const plainMin = 3

/** A text with the double zero it is dialled with, if any, as a plus. */
export const withPlus = (text: string): string =>
  text.startsWith('00') ? text.replace(/^00[ ().\-/]*(?=[1-9])/, '+') : text

/**
 * Reads a number as libphonenumber does, with all its rules, unless an option says otherwise. Never guesses: an extension, letters in
 * between or a number that no country has are refused, with the reason in words that fit after "because".
 */
export function parsePhone(
  text: string,
  { region, doubleZeroIsPlus = false, ownCodeIsPlus = false }: PhoneOptions,
): ParsedPhone {
  const trimmed = text.trim().replace(telScheme, '')
  if (trimmed === '') return { ok: false, reason: 'it is empty' }
  if (trimmed.length > textMax) return { ok: false, reason: 'it is too long' }
  const wanted = doubleZeroIsPlus ? withPlus(trimmed) : trimmed
  const asDialled = readText(wanted, region)
  if ((!asDialled.ok && !ownCodeIsPlus) || noCode.test(wanted)) return asDialled
  const bare = wanted.replace(between, '')
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
    if (read && 'fault' in read) return { ok: false, reason: reasonOf(read.fault, text, region) }
    if (read) return called(read.e164Digits)
  }
  return askLibrary(text, region)
}

/** Most digits of E.164. The library lets more through for some countries' service numbers; as a double they would be another number. */
const digitsMax = 15

const called = (e164Digits: string): ParsedPhone =>
  e164Digits.length > digitsMax
    ? { ok: false, reason: `it has more than the ${digitsMax} digits of an international number` }
    : { ok: true, digits: Number(e164Digits), e164: `+${e164Digits}` }

/** What the library said of short texts: those that stand for "none" come again and again, and each costs it 50 µs. */
const saidOf = new Map<string, ParsedPhone>()
const shortMax = 8
const saidMax = 1_000

function askLibrary(text: string, region: string): ParsedPhone {
  if (text.length > shortMax) return parseWithLibrary(text, region)
  const asked = `${region} ${text}`
  let said = saidOf.get(asked)
  if (!said) {
    if (saidOf.size >= saidMax) saidOf.clear()
    saidOf.set(asked, (said = parseWithLibrary(text, region)))
  }
  return said
}

function parseWithLibrary(text: string, region: string): ParsedPhone {
  if (rounded.test(text))
    return { ok: false, reason: 'a spreadsheet has rounded it, and its digits are lost' }
  // The library reads vanity numbers; what an operator pastes with letters in it is a mistake far more often.
  const found = letters.exec(text)
  if (found) return { ok: false, reason: letterReason(found) }
  try {
    const read = parsePhoneNumberWithError(text, region as CountryCode)
    if (read.ext) return { ok: false, reason: 'it has an extension' }
    if (!read.isValid()) return { ok: false, reason: reasonOf('NOT_VALID', text, region) }
    return called(read.number.slice(1))
  } catch (error) {
    if (error instanceof ParseError)
      return {
        ok: false,
        reason: reasonOf(error.message as keyof typeof reasons, text, region),
      }
    throw error
  }
}

import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
} from 'libphonenumber-js/max'

/** A number that can be called, or why a text is none. `digits` is E.164 without its plus: at most 15, so it fits a double. */
export type ParsedPhone = { ok: true; digits: number; e164: string } | { ok: false; reason: string }

export interface PhoneOptions {
  /** Two letters of ISO 3166: a number without a plus is read as dialled there. */
  region: string
  /** Reads `0049…` as `+49…`, as much of the world dials. */
  doubleZeroIsPlus?: boolean
}

/** Whether numbers of a region, two letters, are known. */
export const isPhoneRegion = (region: string): boolean => isSupportedCountry(region)

const reasons: Record<string, string> = {
  NOT_A_NUMBER: 'it holds no number',
  TOO_SHORT: 'it is too short',
  TOO_LONG: 'it is too long',
  INVALID_LENGTH: 'no number of that country has this length',
  INVALID_COUNTRY: 'its country code is not known, or missing',
}

/** Longest text that is looked at, characters. */
const textMax = 64

/**
 * Reads a number as libphonenumber does, with all its rules. Never guesses: an extension, letters in between or a number that no
 * country has are refused, with the reason in words that fit after "because".
 */
export function parsePhone(text: string, { region, doubleZeroIsPlus = false }: PhoneOptions): ParsedPhone {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: false, reason: 'it is empty' }
  if (trimmed.length > textMax) return { ok: false, reason: 'it is too long' }
  const wanted = doubleZeroIsPlus ? trimmed.replace(/^00(?=[1-9])/, '+') : trimmed
  // The library reads vanity numbers; what an operator pastes with letters in it is a mistake far more often.
  if (/\p{L}/u.test(wanted)) return { ok: false, reason: 'it holds letters' }
  try {
    const found = parsePhoneNumberWithError(wanted, region as CountryCode)
    if (found.ext) return { ok: false, reason: 'it has an extension' }
    if (!found.isValid()) return { ok: false, reason: 'no country has this number' }
    return { ok: true, digits: Number(found.number.slice(1)), e164: found.number }
  } catch (error) {
    if (error instanceof ParseError)
      return { ok: false, reason: reasons[error.message] ?? 'it cannot be read' }
    throw error
  }
}

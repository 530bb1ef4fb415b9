import { cleanNumber } from './clean-number.ts'
import { unknownCountry } from './country-names.ts'
import { callingCodeOf, isMobile, planOf } from './numbering-plans.ts'
import { type ParsedPhone, parsePhone, type PhoneOptions } from './parse-phone.ts'

/** Whether a text begins with a plus or a zero, so that it can't begin with a bare country code. */
const showsItsCode = (text: string): boolean => /^[^\d+]*[+0]/.test(cleanNumber(text).text)

/** The reading that counts, with another that the same text may have. */
const withOther = (read: ParsedPhone & { ok: true }, other: ParsedPhone, isTold: boolean): ParsedPhone =>
  other.ok && other.digits !== read.digits
    ? { ...read, other: other.digits, ...(isTold ? { twoWays: true } : {}) }
    : read

/** Reads a number whose row names an unknown country: only with its country code. */
function parseWithCode(
  text: string,
  asListed: ParsedPhone,
  { hasCountryCodes = false }: PhoneOptions,
): ParsedPhone {
  const mayHaveCode = hasCountryCodes || showsItsCode(text)
  const read = mayHaveCode ? parsePhone(text, { region: null, hasCountryCodes }) : null
  if (read && (read.ok || read.fault !== 'region')) return read
  const isOfPlan = asListed.ok || ['region', 'unknown', 'possible'].includes(asListed.fault)
  return isOfPlan ? { ok: false, fault: 'country', reason: { key: 'phone.rowCountry' } } : asListed
}

/**
 * Reads a number whose row names its country (`country`, null if none): as dialled there. A number that the list's
 * reading takes for another one is checked under both.
 */
export function parseInCountry(text: string, country: string | null, list: PhoneOptions): ParsedPhone {
  const asListed = parsePhone(text, list)
  if (country === null) return asListed
  if (country === unknownCountry) return parseWithCode(text, asListed, list)
  const dialled = parsePhone(text, { region: country })
  if (!list.hasCountryCodes || showsItsCode(text))
    return dialled.ok && !dialled.twoWays ? withOther(dialled, asListed, false) : dialled
  if (!dialled.ok || !asListed.ok) return dialled.ok ? dialled : asListed
  const code = (read: ParsedPhone & { ok: true }) => callingCodeOf(read.e164.slice(1))!.code
  if (code(asListed) === code(dialled)) return withOther(asListed, dialled, false)
  const [read, other] = isMobile(dialled.e164.slice(1)) ? [dialled, asListed] : [asListed, dialled]
  return withOther(read, other, true)
}

/** Whether most of these numbers, none with a plus or a leading zero, begin with the calling code of their country. */
export function carryTheirCode(numbers: readonly { text: string; country: string | null }[]): boolean {
  const bare = numbers.filter(
    ({ text, country }) => country !== null && /\d/.test(text) && !showsItsCode(text),
  )
  const coded = bare.filter(({ text, country }) => {
    const read = parsePhone(text, { region: null, hasCountryCodes: true })
    return read.ok && callingCodeOf(read.e164.slice(1))!.code === planOf(country!).callingCode
  })
  return coded.length * 2 > bare.length
}

import { callingCodeOf, nationalPart, type NumberingPlan, planOf, regionsOf } from './numbering-plans.ts'

/** ITU E.164, with the two more digits that libphonenumber allows. */
const nationalMax = 17
const nationalMin = 2

/** Why digits are no number, in libphonenumber's words. */
export type PhoneFault = 'TOO_SHORT' | 'TOO_LONG' | 'INVALID_COUNTRY' | 'NOT_VALID'

const faults = {
  short: { fault: 'TOO_SHORT' },
  long: { fault: 'TOO_LONG' },
  country: { fault: 'INVALID_COUNTRY' },
} as const

const isOfSomeKind = (national: string, plan: NumberingPlan) =>
  plan.kinds.length === 0
    ? plan.general.test(national)
    : (plan.kinds[national.length]?.test(national) ?? false) && plan.general.test(national)

/** The region of a national number among those that share its calling code. */
function regionAmong(regions: readonly string[], national: string): string | null {
  if (regions.length === 1) return regions[0]!
  for (const region of regions) {
    const plan = planOf(region)
    if (plan.leadingDigits ? plan.leadingDigits.test(national) : isOfSomeKind(national, plan)) return region
  }
  return null
}

/** Strips the national prefix where the rest is a number. */
function withoutPrefix(national: string, plan: NumberingPlan): string {
  const match = plan.nationalPrefix?.exec(national)
  if (!match) return national
  const group = match.length > 1 ? match[match.length - 1] : undefined
  const bare =
    plan.nationalPrefixTransform !== null && group
      ? national.replace(plan.nationalPrefix!, plan.nationalPrefixTransform)
      : national.slice(match[0].length)
  if (bare === national) return national
  if (plan.general.test(national) && !plan.general.test(bare)) return national
  const region = regionAmong(regionsOf(plan.callingCode), bare)
  const { lengths } = region === null ? plan : planOf(region)
  // A rest that is too long may have an extension; any other wrong length means it was no prefix.
  const isPossible = lengths.includes(bare.length) || bare.length > lengths.at(-1)!
  return isPossible ? bare : national
}

/** The digits after the region's own calling code, for numbers written without plus; null if it isn't one. */
function behindOwnCode(digits: string, plan: NumberingPlan): string | null {
  if (!digits.startsWith(plan.callingCode)) return null
  const rest = digits.slice(plan.callingCode.length)
  const asNational = withoutPrefix(digits, plan)
  const isForeign =
    (!plan.general.test(asNational) && plan.general.test(withoutPrefix(rest, plan))) ||
    asNational.length > plan.lengths.at(-1)!
  return isForeign ? rest : null
}

/** What follows an international prefix, or null. */
function behindInternationalPrefix(digits: string, plan: NumberingPlan): string | null {
  const match = plan.internationalPrefix.exec(digits)
  if (!match) return null
  const rest = digits.slice(match[0].length)
  return rest === '' || rest.startsWith('0') || rest === digits ? null : rest
}

/**
 * Reads digits with an optional plus by libphonenumber-js's rules: the same answer in a twentieth of the
 * time. Null leaves it to the library (calling codes without a region). `possible`: E.164 digits that are not valid but of a length that
 * the plan has.
 */
export function readDigits(
  text: string,
  region: string,
): { e164Digits: string } | { fault: PhoneFault; possible?: string } | null {
  let international: string | null = text.startsWith('+') ? text.slice(1) : null
  let callingCode = ''
  let rest = text
  let home: string | null = null
  if (international === null) {
    const plan = planOf(region)
    international = behindInternationalPrefix(text, plan)
    if (international === null) {
      callingCode = plan.callingCode
      const behind = behindOwnCode(text, plan)
      if (behind === null) home = region
      else rest = behind
    }
  }
  if (international !== null) {
    if (international.startsWith('0')) return faults.country
    const found = callingCodeOf(international)
    if (!found) return faults.country
    if (found.regions.length === 0) return null
    callingCode = found.code
    rest = international.slice(callingCode.length)
  }
  if (rest === '') return faults.short

  const regions = regionsOf(callingCode)
  const main = planOf(home ?? regions[0]!)
  const national = withoutPrefix(rest, main)
  if (national.length < nationalMin) return faults.short
  if (national.length > nationalMax) return faults.long
  const found = regionAmong(regions, national) ?? home
  const plan = found === null ? main : planOf(found)
  if (!isOfSomeKind(national, plan))
    return plan.lengths.includes(national.length)
      ? { fault: 'NOT_VALID', possible: callingCode + national }
      : { fault: 'NOT_VALID' }
  return { e164Digits: callingCode + national }
}

/** Whether a country has this number, in E.164 digits. Non-geographic numbers count. */
export function isCallable(digits: number): boolean {
  const read = readDigits(`+${digits}`, 'US')
  return read === null || ('e164Digits' in read && read.e164Digits === String(digits))
}

/** A list can't mean a number by less than seven digits. */
const bareMin = 1_000_000

/**
 * A number without its country code, as a list may have it, if `isSought` and nobody can be called by it; 0 otherwise. Every check of a
 * number includes it, so it need not be stored.
 */
export function bareForm(digits: number, isSought: (bare: number) => boolean = () => true): number {
  const bare = nationalPart(digits)
  return bare >= bareMin && isSought(bare) && !isCallable(bare) ? bare : 0
}

/** Whether a number of no country has another length than its country's numbers: too long for each of them, or too short. */
export function wrongLength(digits: number): 'short' | 'long' | null {
  const text = String(digits)
  const read = readDigits(`+${text}`, 'US')
  if (read === null || !('fault' in read) || read.fault === 'INVALID_COUNTRY' || read.possible) return null
  const { code, regions } = callingCodeOf(text)!
  const longest = Math.max(...regions.map((region) => planOf(region).lengths.at(-1)!))
  return text.length - code.length > longest ? 'long' : 'short'
}

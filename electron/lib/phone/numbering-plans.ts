import metadata from 'libphonenumber-js/max/metadata'

/** A region's numbering plan, compiled. Lengths and patterns are of national numbers, without the country code. */
export interface NumberingPlan {
  callingCode: string
  /** Dialled before a foreign number. */
  internationalPrefix: RegExp
  /** Dialled before a national number but not part of it. */
  nationalPrefix: RegExp | null
  /** Replacement for a national prefix with groups. */
  nationalPrefixTransform: string | null
  /** Shortest first. */
  lengths: readonly number[]
  /** Any number of the region. */
  general: RegExp
  /** First digits that tell regions with one calling code apart. */
  leadingDigits: RegExp | null
  /** By length: numbers of that length that some kind of line has. */
  kinds: readonly (RegExp | undefined)[]
  /** Its mobile numbers; null where they are not told apart. */
  mobile: RegExp | null
  /** Its landlines; null where they are not told apart. */
  landline: RegExp | null
}

/** A region's row in libphonenumber-js 1.13.16's `metadata.max.json`, format version 4. */
type Row = [
  callingCode: string,
  internationalPrefix: string,
  general: string,
  lengths: number[],
  formats: unknown,
  nationalPrefix: string | 0 | undefined,
  formattingRule: unknown,
  prefixForParsing: string | 0 | undefined,
  transform: string | 0 | undefined,
  optional: unknown,
  leadingDigits: string | 0 | undefined,
  kinds: ([pattern: string, lengths?: number[]] | 0)[] | 0 | undefined,
]
const rows = metadata.countries as unknown as Record<string, Row>
/** Only the first ten kinds of line make a number valid. */
const kindsCounted = 10
/** The places of landlines and mobile numbers among them. */
const [landlineKind, mobileKind] = [0, 1]

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`)
const atStart = (pattern: string) => new RegExp(`^(?:${pattern})`)

function compile(row: Row): NumberingPlan {
  const [callingCode, international, general, lengths, , prefix, , forParsing, transform, , leading, kinds] =
    row
  const byLength: string[][] = []
  for (const kind of (kinds || []).slice(0, kindsCounted)) {
    if (!kind || kind[0] === '') continue
    for (const length of kind[1] ?? lengths) (byLength[length] ??= []).push(kind[0])
  }
  const nationalPrefix = forParsing || prefix
  const wholeKind = (at: number) => {
    const [pattern] = (kinds || [])[at] || ['']
    return pattern === '' ? null : whole(pattern)
  }
  return {
    callingCode,
    internationalPrefix: atStart(international),
    nationalPrefix: nationalPrefix ? atStart(nationalPrefix) : null,
    nationalPrefixTransform: transform || null,
    lengths,
    general: whole(general),
    leadingDigits: leading ? atStart(leading) : null,
    kinds: Array.from(byLength, (patterns) => (patterns ? whole(patterns.join('|')) : undefined)),
    mobile: wholeKind(mobileKind),
    landline: wholeKind(landlineKind),
  }
}

const plans = new Map<string, NumberingPlan>()

/** The plan of a region that `isPhoneRegion` knows, compiled on first use. */
export function planOf(region: string): NumberingPlan {
  let plan = plans.get(region)
  if (!plan) plans.set(region, (plan = compile(rows[region]!)))
  return plan
}

/** A calling code and its regions, the main one first; none for non-geographic codes such as +800. */
export interface CallingCode {
  code: string
  regions: readonly string[]
}

/** Index: the code as a number. */
const byCode: (CallingCode | undefined)[] = []
for (const [code, regions] of Object.entries(metadata.country_calling_codes as Record<string, string[]>))
  byCode[Number(code)] = { code, regions }
for (const code of Object.keys(metadata.nonGeographic)) byCode[Number(code)] = { code, regions: [] }
const callingCodeMax = 3
const zero = 48

/** Every calling code, non-geographic ones included. */
export const callingCodes: readonly string[] = byCode.flatMap((known) => known?.code ?? [])

export const regionsOf = (code: string): readonly string[] => byCode[Number(code)]!.regions

/** Whether E.164 digits may be a mobile number: its plan has it as one, or doesn't tell. */
export function isMobile(digits: string): boolean {
  const { code, regions } = callingCodeOf(digits)!
  return regions.some((region) => planOf(region).mobile?.test(digits.slice(code.length)) ?? true)
}

/** The calling code that digits begin with. None begins with 0. */
export function callingCodeOf(digits: string): CallingCode | null {
  let code = 0
  for (let at = 0; at < callingCodeMax && at < digits.length; at++) {
    code = code * 10 + digits.charCodeAt(at) - zero
    const found = byCode[code]
    if (found) return found
  }
  return null
}

/** What follows the calling code in E.164 digits; 0 without a calling code, or if a zero follows it. */
export function nationalPart(digits: number): number {
  let scale = 1
  while (scale * 10 <= digits) scale *= 10
  for (let length = 1; length <= callingCodeMax; length++, scale /= 10) {
    const code = Math.floor(digits / scale)
    // Faster than a remainder, which is slow above 32 bits.
    const national = digits - code * scale
    if (byCode[code]) return national * 10 < scale ? 0 : national
  }
  return 0
}

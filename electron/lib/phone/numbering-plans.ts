import metadata from 'libphonenumber-js/max/metadata'

/** The numbering plan of a region, its patterns compiled. All lengths and patterns are of national numbers: without the country code. */
export interface NumberingPlan {
  callingCode: string
  /** What is dialled before a foreign number, at the start. */
  internationalPrefix: RegExp
  /** What is dialled before a number of the region and no part of it, at the start; null where there is none. */
  nationalPrefix: RegExp | null
  /** What replaces a national prefix that holds groups. */
  nationalPrefixTransform: string | null
  /** Shortest first. */
  lengths: readonly number[]
  /** Any number of the region. */
  general: RegExp
  /** The first digits of the region's numbers, where regions that share a calling code are told apart so. */
  leadingDigits: RegExp | null
  /** By length: the numbers of that length that some kind of line has. */
  kinds: readonly (RegExp | undefined)[]
}

/** Places in a region's row of libphonenumber-js 1.13.16's `metadata.max.json`, format version 4. */
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
/** Kinds of line, in the metadata's order; only the first ten make a number valid. */
const kindsCounted = 10

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
  return {
    callingCode,
    internationalPrefix: atStart(international),
    nationalPrefix: nationalPrefix ? atStart(nationalPrefix) : null,
    nationalPrefixTransform: transform || null,
    lengths,
    general: whole(general),
    leadingDigits: leading ? atStart(leading) : null,
    kinds: Array.from(byLength, (patterns) => (patterns ? whole(patterns.join('|')) : undefined)),
  }
}

const plans = new Map<string, NumberingPlan>()

/** The plan of a region of two letters that `isPhoneRegion` knows; compiled when it is first asked for. */
export function planOf(region: string): NumberingPlan {
  let plan = plans.get(region)
  if (!plan) plans.set(region, (plan = compile(rows[region]!)))
  return plan
}

/** A calling code: the regions that share it, the one whose plan speaks for all of them first; none where it belongs to no region, as +800. */
export interface CallingCode {
  code: string
  regions: readonly string[]
}

/** By the code as a number. */
const byCode: (CallingCode | undefined)[] = []
for (const [code, regions] of Object.entries(metadata.country_calling_codes as Record<string, string[]>))
  byCode[Number(code)] = { code, regions }
for (const code of Object.keys(metadata.nonGeographic)) byCode[Number(code)] = { code, regions: [] }
const callingCodeMax = 3
const zero = 48

/** Every calling code, those of no region too. */
export const callingCodes: readonly string[] = byCode.flatMap((known) => known?.code ?? [])

/** Regions with a calling code. */
export const regionsOf = (code: string): readonly string[] => byCode[Number(code)]!.regions

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

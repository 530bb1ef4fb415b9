import { cleanNumber } from './clean-number.ts'
import { callingCodeOf, callingCodes, isMobile, planOf, regionsOf } from './numbering-plans.ts'
import { parsePhone, type ParsedPhone } from './parse-phone.ts'
import { mayBeginWithCode } from './possible-numbers.ts'
import { readDigits } from './read-digits.ts'

/** How numbers without a plus are read: with their country code, or as dialled in a region (ISO 3166, two letters). */
export interface Reading {
  region: string
  hasCountryCodes: boolean
}

/** What a list shows about its numbers without a plus. */
export interface ReadingGuess {
  /** The reading that clearly fits; null if a person must choose. */
  reading: Reading | null
  /** Readings to choose from, the likeliest first, and how each reads the samples (E.164; null if it can't). */
  choices: (Reading & { valid: number; samples: { text: string; phone: string | null }[] })[]
  /** Numbers without a plus that were judged, and those that the likeliest reading reads. */
  numbers: number
  valid: number
}

/** Distinct numbers judged, taken evenly. */
const judged = 600
/** Fewer digits are a short code or no number. */
const digitsMin = 7
/** Points of a number: a mobile, or any at home; another one; one whose plan takes almost any digits; not a number. */
const [proven, landline, unproven, refused] = [2, 1, 0, -3]
/** A plan that takes a larger share of all digits proves nothing: of those with the number's length, and of all lengths. */
const [chanceMax, anyLengthMax] = [0.5, 0.25]
/** Without zero and country code, no national number has more digits. */
const bareMax = 11
const lengths = [7, 8, 9, 10, 11, 12, 13]
/** With so many numbers read, one of a short list may be mistyped. */
const readForMistyped = 4
/** Share of a list that may be mistyped, and share that a foreign reading must read. */
const [mistypedMax, readMin] = [0.05, 0.9]
/** Numbers that begin alike count as at most this many: a town's numbers may all fit elsewhere. */
const alikeMax = 6
/** Points that a foreign, and a rarely met, country is behind the one at home; likewise the reading with country codes. */
const [foreign, rare, withCodes] = [-8, -11, -1]
/** A reading is clear this many points ahead of those that read different numbers; more if nothing proves it. */
const [clear, clearUnproven] = [6, 20]
const choicesMax = 4
const samplesMax = 3
/** Numbers with a plus that make their country as likely as home. */
const plusMin = 3
const usual = new Set(
  'AE AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PE PH PK PL PT RO RU SA SE SG TH TR UA US VN ZA'.split(
    ' ',
  ),
)

const trials = 300
const golden = (Math.sqrt(5) - 1) / 2
/** By `code length mobile`. */
const chances = new Map<string, number>()

/** The share of evenly spread national numbers of a length that are valid, or mobile. */
function chanceOf(code: string, length: number, mobile: boolean): number {
  const key = `${code} ${length} ${mobile}`
  let chance = chances.get(key)
  if (chance === undefined) {
    let valid = 0
    for (let at = 1; at <= trials; at++) {
      const national = String(Math.floor(((at * golden) % 1) * 10 ** length)).padStart(length, '0')
      const read = readDigits(`+${code}${national}`, 'US')
      if (read && 'e164Digits' in read && (!mobile || isMobile(read.e164Digits))) valid++
    }
    chances.set(key, (chance = valid / trials))
  }
  return chance
}

/** Whether few digits would be valid in the same way: of any length, and of this one. */
const isRareInAll = (code: string, mobile: boolean): boolean =>
  lengths.reduce((sum, length) => sum + chanceOf(code, length, mobile), 0) <= anyLengthMax * lengths.length
const isRare = (code: string, length: number, mobile: boolean): boolean =>
  chanceOf(code, length, mobile) <= chanceMax

const digitsOf = (read: ParsedPhone): number => (read.ok ? read.digits : (read.numbers?.[0] ?? 0))

interface Row {
  written: string
  text: string
  digits: string
  /** Begins with a zero, so it carries no country code. */
  isZero: boolean
}

function toRow(written: string): Row | null {
  const clean = cleanNumber(written)
  if (clean.fault !== null) return null
  const digits = clean.text.replace(/\D/g, '')
  return digits.length < digitsMin
    ? null
    : { written: written.trim(), text: clean.text, digits, isZero: digits.startsWith('0') }
}

const mostAreZero = (rows: readonly Row[]): boolean =>
  rows.filter(({ isZero }) => isZero).length * 2 >= rows.length

const hasPlus = ({ text }: Row): boolean => /^(?:\+|00)/.test(text)

/** A reading with its points, and the number of each row; 0 if none. */
interface Fit extends Reading {
  prior: number
  points: number
  numbers: readonly number[]
  proven: number
}

/** A row's number in a reading, 0 if none, and its points. */
type Judged = readonly [number: number, points: number]

const countOf = (numbers: readonly number[]): number => numbers.filter((one) => one > 0).length

function even<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most)
  return Array.from({ length: Math.min(items.length, most) }, (_, at) => items[Math.floor(at * step)]!)
}

/** The country of most numbers with a plus, if they agree. */
function mainPlusCode(rows: readonly Row[]): string | null {
  const counts = new Map<string, number>()
  for (const { text } of rows) {
    const digits = digitsOf(parsePhone(text, { region: null }))
    const code = digits === 0 ? undefined : callingCodeOf(String(digits))?.code
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  const [main] = [...counts].toSorted((a, b) => b[1] - a[1])
  return main && main[1] >= plusMin && main[1] * 2 > rows.length ? main[0] : null
}

/** Whether numbers of a region are usually written with a leading zero in a list that has many. */
const dropsZero = (region: string): boolean => (planOf(region).nationalPrefix?.exec('06')?.[0] ?? '') !== ''

/**
 * Judges how numbers without a plus are read, by all of a list or an even sample of it. `home`: the region expected; it wins unless the
 * list clearly contradicts it. A valid number counts only where its plan rarely takes digits by chance.
 */
export function guessReading(texts: readonly string[], home: string): ReadingGuess {
  const all = [...new Set(texts)].flatMap((text) => toRow(text) ?? [])
  const rows = even(
    all.filter((row) => !hasPlus(row)),
    judged,
  )
  const asHome = { region: home, hasCountryCodes: false }
  if (rows.length === 0) return { reading: asHome, choices: [], numbers: 0, valid: 0 }

  const homeCode = planOf(home).callingCode
  const plusCode = mainPlusCode(
    even(
      all.filter((row) => hasPlus(row)),
      judged,
    ),
  )
  const isExpected = (code: string) => code === homeCode || code === plusCode
  const priorOf = (region: string) =>
    isExpected(planOf(region).callingCode) ? 0 : usual.has(region) ? foreign : rare
  const starts = new Set(
    rows.map(({ text, digits }) => (/\D/.test(text) ? text : digits.replace(/^0+/, '').slice(0, 3))),
  )
  const weight = Math.min(1, (alikeMax * starts.size) / rows.length)
  const mostHaveZero = mostAreZero(rows)

  const coded = rows.map(({ text, isZero }): Judged => {
    const number =
      isZero || !mayBeginWithCode(text)
        ? 0
        : digitsOf(parsePhone(text, { region: null, hasCountryCodes: true }))
    return [number, number === 0 ? refused : proven]
  })

  /** Points and numbers as dialled in a region. */
  function dialled(region: string): Judged[] {
    const { callingCode } = planOf(region)
    const writesZero = dropsZero(region)
    const isAtHome = isExpected(callingCode)
    const points = rows.map(({ text, digits, isZero }): Judged => {
      const number = digitsOf(parsePhone(text, { region }))
      if (number === 0) return [0, refused]
      const e164 = String(number)
      // Numbers with a country code say nothing about how others are dialled.
      if (e164 === digits || callingCodeOf(e164)?.code !== callingCode) return [number, unproven]
      const length = e164.length - callingCode.length
      if (!isZero && ((mostHaveZero && writesZero) || length > bareMax)) return [number, refused]
      const mobile = isMobile(e164)
      const isUsualForm = isAtHome && (isZero || !writesZero)
      if (!isRareInAll(callingCode, mobile) || !(isUsualForm || isRare(callingCode, length, mobile)))
        return [number, isAtHome && isZero ? landline : unproven]
      return [number, mobile || isAtHome ? proven : landline]
    })
    // A few refused ones are mistyped numbers of the same kind, unless they have a country code.
    const read = points.filter(([number]) => number > 0)
    const mean = read.reduce((sum, [, one]) => sum + Math.max(0, one), 0) / (read.length || 1)
    let mistyped = Math.max(rows.length * mistypedMax, read.length >= readForMistyped ? 1 : 0)
    return points.map((one, at) => (one[0] === 0 && coded[at]![0] === 0 && mistyped-- >= 1 ? [0, mean] : one))
  }

  const codes = new Map<string, number>()
  for (const [number] of coded)
    if (number > 0) {
      const { code } = callingCodeOf(String(number))!
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  const mainCode = [...codes].toSorted((a, b) => b[1] - a[1])[0]?.[0]
  const hasZero = rows.some(({ isZero }) => isZero)

  const fitOf = (reading: Reading, prior: number, points: readonly Judged[]): Fit => ({
    ...reading,
    prior,
    points: points.reduce(
      (sum, [, one]) => sum + one * (prior >= withCodes && one !== landline ? 1 : weight),
      prior,
    ),
    numbers: points.map(([number]) => number),
    proven: points.filter(([number, one]) => number > 0 && one === proven).length,
  })
  const fits = callingCodes.flatMap((code) => {
    const [main] = regionsOf(code)
    if (main === undefined) return []
    const region = code === homeCode ? home : main
    const points = dialled(region)
    const ofRegion = fitOf({ region, hasCountryCodes: false }, priorOf(region), points)
    if (mainCode === undefined || (!hasZero && region !== home)) return ofRegion
    const prior = isExpected(mainCode) ? 0 : foreign - withCodes
    const mixed = rows.map(({ isZero }, at) => (isZero ? points[at]! : coded[at]!))
    return [
      ofRegion,
      fitOf(
        { region, hasCountryCodes: true },
        withCodes + (mostHaveZero ? priorOf(region) : hasZero ? Math.min(prior, priorOf(region)) : prior),
        mixed,
      ),
    ]
  })
  const likely = fits.filter((fit) => fit.prior > rare)
  const fitting = likely.some(readsMost) ? likely : fits
  fitting.sort((a, b) => b.points - a.points)
  return answer(rows, fitting, ({ region, hasCountryCodes }) =>
    hasCountryCodes && !mostHaveZero ? isExpected(mainCode!) : region === home,
  )
}

const readsMost = ({ numbers }: Fit): boolean => countOf(numbers) >= numbers.length * readMin

/** Whether two readings of a list can't both be right: they give a row different numbers, or only the other one reads most rows. */
function disagree(best: Fit, other: Fit): boolean {
  const half = best.numbers.length / 2
  return (
    best.numbers.some((number, at) => number > 0 && other.numbers[at]! > 0 && other.numbers[at] !== number) ||
    (countOf(best.numbers) < half && countOf(other.numbers) >= half)
  )
}

function answer(rows: readonly Row[], fits: readonly Fit[], isHome: (fit: Fit) => boolean): ReadingGuess {
  const best = fits[0]!
  const isProven = best.proven >= rows.length / 2 && readsMost(best)
  const margin = best.proven >= rows.length / 2 || mostAreZero(rows) ? clear : clearUnproven
  const near = fits.filter(({ points }) => points > best.points - margin)
  const isClear =
    (isHome(best) || (isProven && best.prior > rare)) &&
    !near.some((fit) => fit !== best && disagree(best, fit))
  const shown: Fit[] = []
  if (!isClear)
    for (const fit of fits) {
      if (shown.length === choicesMax || (shown.length > 1 && !near.includes(fit))) break
      if (countOf(fit.numbers) > 0 && shown.every((one) => disagree(one, fit))) shown.push(fit)
    }
  const differing = rows
    .map((_, at) => at)
    .filter((at) => new Set(shown.map(({ numbers }) => numbers[at])).size > 1)
  const samples = even(differing, samplesMax)
  return {
    reading:
      isClear || shown.length < 2 ? { region: best.region, hasCountryCodes: best.hasCountryCodes } : null,
    choices: shown.map(({ region, hasCountryCodes, numbers }) => ({
      region,
      hasCountryCodes,
      valid: countOf(numbers),
      samples: samples.map((at) => ({
        text: rows[at]!.written,
        phone: numbers[at] === 0 ? null : `+${numbers[at]}`,
      })),
    })),
    numbers: rows.length,
    valid: countOf(best.numbers),
  }
}

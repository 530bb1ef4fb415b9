import { cleanNumber } from './clean-number.ts'
import { callingCodeOf, callingCodes, isMobile, planOf, regionsOf } from './numbering-plans.ts'
import { bareMax, parsePhone, type ParsedPhone } from './parse-phone.ts'
import { isRare, isRareInAll } from './plan-chances.ts'
import { mayBeginWithCode } from './possible-numbers.ts'

/** How numbers without a plus are read: with their country code, or as dialled in a region (ISO 3166, two letters). */
export interface Reading {
  region: string
  hasCountryCodes: boolean
}

/** What a list shows about its numbers without a plus. */
export interface ReadingGuess {
  /** The reading that clearly fits; null if a person must choose. */
  reading: Reading | null
  /** Readings to choose from, the likeliest first, and how each reads the samples (E.164, all numbers of a text; null if it can't). */
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
/** With so many numbers read, one of a short list may be mistyped. */
const readForMistyped = 4
/** Share of a list that may be mistyped, and share that a foreign reading must read. */
const [mistypedMax, readMin] = [0.05, 0.9]
/** Numbers that begin alike count as at most this many: a town's numbers may all fit elsewhere. */
const alikeMax = 6
/** With fewer beginnings, a list may be a town's. */
const startsMin = 3
/** Points that a foreign, and a rarely met, country is behind the one at home; likewise the reading with country codes. */
const [foreign, rare, withCodes] = [-10, -13, -1]
/** A reading is clear this many points ahead of those that read different numbers; more if nothing proves it. */
const [clear, clearUnproven] = [6, 20]
/** Of numbers that a clear reading reads. */
const clearShare = 0.75
/** Share of a list that a decision may change without a question, and numbers that prove a reading against home. */
const [strayMax, provenMin] = [0.01, 3]
const choicesMax = 4
const samplesMax = 3
/** A list to be messaged has more mobiles. */
const fewMobiles = 0.2
/** Numbers with a country code, and share of them, that make their country as likely as home. */
const [codesMin, codesShare] = [2, 0.3]
const usual = new Set(
  'AE AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PE PH PK PL PT RO RU SA SE SG TH TR UA US VN ZA'.split(
    ' ',
  ),
)

interface Row {
  written: string
  text: string
  digits: string
  /** Begins with a zero, so it carries no country code. */
  isZero: boolean
}

/** A row's number in a reading, 0 if none, and its points. */
type Judged = readonly [number: number, points: number]

/** A reading with its points, and each row in it. */
interface Fit extends Reading {
  /** An expected reading. */
  isHome: boolean
  prior: number
  points: number
  rows: readonly Judged[]
  /** Rows that it reads, and those that prove it. */
  valid: number
  proven: number
  /** Share of the rows that it reads as mobiles; 0 where the plan doesn't tell them apart. */
  mobiles: number
}

/** What is known before a country is tried. */
interface Expected {
  home: string | null
  mostHaveZero: boolean
  /** Whether a calling code is that of home, or of many numbers that show one. */
  isExpected: (code: string) => boolean
}

function toRow(written: string): Row | null {
  const clean = cleanNumber(written)
  if (clean.fault !== null) return null
  const digits = clean.text.replace(/\D/g, '')
  return digits.length < digitsMin
    ? null
    : { written: written.trim(), text: clean.text, digits, isZero: digits.startsWith('0') }
}

/** An even sample of the distinct numbers. */
const rowsOf = (texts: readonly string[], isIn: (row: Row) => boolean): Row[] =>
  even([...new Set(texts)].flatMap((text) => toRow(text) ?? []).filter(isIn), judged)

const hasPlus = ({ text }: Row): boolean => /^(?:\+|00)/.test(text)
const digitsOf = (read: ParsedPhone): number => (read.ok ? read.digits : (read.numbers?.[0] ?? 0))

function even<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most)
  return Array.from({ length: Math.min(items.length, most) }, (_, at) => items[Math.floor(at * step)]!)
}

/** The calling codes of numbers, each with its count, the most frequent first. */
function codesOf(numbers: readonly number[]): { code: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const number of numbers) {
    const code = number === 0 ? undefined : callingCodeOf(String(number))?.code
    if (code !== undefined) counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count)
}

const mainCode = (numbers: readonly number[]) => codesOf(numbers)[0]

/** The calling codes of many numbers with a plus, or of most that may have one if its country reads the others. */
function shownCodes(plus: readonly Row[], rows: readonly Row[]): string[] {
  const withPlus = plus.map(({ text }) => digitsOf(parsePhone(text, { region: null })))
  const many = codesOf(withPlus).filter(({ count }) => count >= Math.max(codesMin, plus.length * codesShare))
  if (many.length > 0) return many.map(({ code }) => code)
  const all = [...withPlus, ...readCoded(rows).map(([number]) => number)].filter((number) => number > 0)
  const shown = mainCode(all)
  if (!shown || shown.count < codesMin || shown.count * 2 <= all.length) return []
  const [region] = regionsOf(shown.code)
  const read = rows.filter(({ text }) => region !== undefined && digitsOf(parsePhone(text, { region })) > 0)
  return read.length >= rows.length * readMin ? [shown.code] : []
}

/** Whether numbers of a region are usually written with a leading zero in a list that has many. */
const dropsZero = (region: string): boolean => (planOf(region).nationalPrefix?.exec('06')?.[0] ?? '') !== ''

/** Each row with its country code. */
const readCoded = (rows: readonly Row[]): Judged[] =>
  rows.map(({ text, isZero }) => {
    const isCoded = !isZero && mayBeginWithCode(text)
    const number = isCoded ? digitsOf(parsePhone(text, { region: null, hasCountryCodes: true })) : 0
    return [number, number === 0 ? refused : proven]
  })

/** A row as dialled in a region. */
function readDialled({ text, digits, isZero }: Row, region: string, expected: Expected): Judged {
  const number = digitsOf(parsePhone(text, { region }))
  if (number === 0) return [0, refused]
  const { callingCode } = planOf(region)
  const e164 = String(number)
  // Numbers with a country code say nothing about how others are dialled.
  if (callingCodeOf(e164)?.code !== callingCode) return [number, refused]
  if (e164 === digits) return [number, unproven]
  const writesZero = dropsZero(region)
  const isAtHome = expected.isExpected(callingCode)
  const length = e164.length - callingCode.length
  const mobile = isMobile(e164)
  if (!isZero && ((expected.mostHaveZero && writesZero && !mobile) || length > bareMax))
    return [number, refused]
  const isUsualForm = isAtHome && (isZero || !writesZero)
  if (!isRareInAll(callingCode, mobile) || !(isUsualForm || isRare(callingCode, length, mobile)))
    return [number, isAtHome && isZero ? landline : unproven]
  return [number, mobile || isAtHome ? proven : landline]
}

/** A few refused rows are mistyped numbers of the same kind, unless they have a country code. */
function forgiveMistyped(dialled: readonly Judged[], coded: readonly Judged[]): Judged[] {
  const read = dialled.filter(([number]) => number > 0)
  const mean = read.reduce((sum, [, points]) => sum + Math.max(0, points), 0) / (read.length || 1)
  let mistyped = Math.max(dialled.length * mistypedMax, read.length >= readForMistyped ? 1 : 0)
  return dialled.map((one, at) => (one[0] === 0 && coded[at]![0] === 0 && mistyped-- >= 1 ? [0, mean] : one))
}

/** In how many ways numbers begin, leading zeros aside. */
const startsOf = (rows: readonly Row[]): number =>
  new Set(rows.map(({ digits }) => digits.replace(/^0+/, '').slice(0, 2))).size

/** How each reading fits, the best first: as dialled in each country, and with country codes where no zero speaks against it. */
function fitsOf(rows: readonly Row[], expected: Expected): Fit[] {
  const { home, mostHaveZero, isExpected } = expected
  const homeCode = home && planOf(home).callingCode
  const starts = startsOf(rows)
  const weight = Math.min(1, (alikeMax * starts) / rows.length)
  const fitOf = (reading: Reading, isHome: boolean, prior: number, read: readonly Judged[]): Fit => ({
    ...reading,
    isHome,
    prior,
    points: read.reduce(
      (sum, [, one]) => sum + one * (prior >= withCodes && one !== landline ? 1 : weight),
      prior,
    ),
    rows: read,
    valid: read.filter(([number]) => number > 0).length,
    proven: read.filter(([number, one]) => number > 0 && one === proven).length,
    mobiles:
      planOf(reading.region).mobile === null || starts < startsMin
        ? 0
        : read.filter(([number, one]) => number > 0 && one > refused && isMobile(String(number))).length /
          rows.length,
  })

  const coded = readCoded(rows)
  const codedMain = mainCode(coded.map(([number]) => number))
  const hasZero = rows.some(({ isZero }) => isZero)
  /** The region of country codes without a zero among them. */
  const codesRegion = home ?? (codedMain && regionsOf(codedMain.code)[0])
  const priorOf = (region: string) =>
    isExpected(planOf(region).callingCode) ? 0 : usual.has(region) ? foreign : rare
  /** Zeros are dialled in the region; the others have their country codes. */
  function priorWithCodes(region: string, code: string): number {
    if (mostHaveZero) return withCodes + priorOf(region)
    const prior = isExpected(code) ? 0 : foreign - withCodes
    return withCodes + (hasZero ? Math.min(prior, priorOf(region)) : prior)
  }
  const isMet = (region: string) => priorOf(region) > rare
  function fitsIn(region: string): Fit[] {
    const dialled = forgiveMistyped(
      rows.map((row) => readDialled(row, region, expected)),
      coded,
    )
    const isHome = isExpected(planOf(region).callingCode)
    const ofRegion = fitOf({ region, hasCountryCodes: false }, isHome, priorOf(region), dialled)
    if (!codedMain || (!hasZero && region !== codesRegion)) return [ofRegion]
    const mixed = rows.map(({ isZero }, at) => (isZero ? dialled[at]! : coded[at]!))
    const isHomeCode = mostHaveZero ? isHome : isExpected(codedMain.code)
    const prior = priorWithCodes(region, codedMain.code)
    return [ofRegion, fitOf({ region, hasCountryCodes: true }, isHomeCode, prior, mixed)]
  }
  const regions = callingCodes.flatMap((code) => (code === homeCode ? home! : (regionsOf(code)[0] ?? [])))
  const fits = regions.filter(isMet).flatMap(fitsIn)
  // Most countries are rarely met, and only one that reads most rows where no other does is judged.
  const others = fits.some(readsMost) ? [] : regions.filter((region) => !isMet(region)).flatMap(fitsIn)
  return (others.some(readsMost) ? [...fits, ...others] : fits).toSorted((a, b) => b.points - a.points)
}

/**
 * Judges how numbers without a plus are read, by all of a list or an even sample of it. `home`: the region expected; it wins unless the
 * list clearly contradicts it. If it is null, the numbers alone decide, those with a plus where there are no others. A valid number counts
 * only where its plan rarely takes digits by chance. `usual`: a region that nobody stated, such as the last one used. It is expected if
 * `home` is null, but a person chooses if it reads most numbers as landlines that also fit elsewhere, or if the numbers alone prove another
 * region.
 */
export function guessReading(
  texts: readonly string[],
  home: string | null,
  usual: string | null = null,
): ReadingGuess {
  const guess = guessAt(texts, home ?? usual)
  if (home !== null || usual === null || guess.reading?.region !== usual) return guess
  const alone = guessAt(texts, null)
  const shownCode = planOf(alone.reading?.region ?? usual).callingCode
  if (shownCode === planOf(usual).callingCode && areMobiles(texts, guess.reading)) return guess
  const shown = alone.choices[0]?.samples ?? rowsOf(texts, (row) => !hasPlus(row)).slice(0, samplesMax)
  const choiceOf = (reading: Reading, valid: number) => ({
    ...reading,
    valid,
    samples: shown.map(({ text }) => ({ text, phone: phoneIn(text, reading) })),
  })
  const found = alone.reading ? [choiceOf(alone.reading, alone.valid)] : alone.choices
  const others = found.filter(({ region }) => region !== usual)
  if (others.length === 0) return guess
  const asUsual = found.find(({ region }) => region === usual) ?? choiceOf(guess.reading, guess.valid)
  return { ...alone, reading: null, choices: [asUsual, ...others].slice(0, choicesMax) }
}

/** Whether half of the numbers without a plus are mobiles, as far as the plan tells. */
function areMobiles(texts: readonly string[], reading: Reading): boolean {
  if (planOf(reading.region).mobile === null) return true
  const rows = rowsOf(texts, (row) => !hasPlus(row))
  const numbers = rows.map(({ text }) => digitsOf(parsePhone(text, reading)))
  return numbers.filter((number) => number > 0 && isMobile(String(number))).length * 2 >= rows.length
}

/** All numbers of a text, as E.164; null if it can't be read. */
function phoneIn(text: string, reading: Reading): string | null {
  const read = parsePhone(text, reading)
  const numbers = read.ok ? [read.digits] : (read.numbers ?? [])
  return numbers.length === 0 ? null : numbers.map((one) => `+${one}`).join(' / ')
}

function guessAt(texts: readonly string[], home: string | null): ReadingGuess {
  const rows = rowsOf(texts, (row) => !hasPlus(row))
  const plus = rowsOf(texts, hasPlus)
  if (rows.length === 0) {
    const main = mainCode(plus.map(({ text }) => digitsOf(parsePhone(text, { region: null }))))
    const region = home ?? (main && regionsOf(main.code)[0])
    return { reading: region ? { region, hasCountryCodes: false } : null, choices: [], numbers: 0, valid: 0 }
  }
  const codes = shownCodes(plus, rows)
  const homeCode = home && planOf(home).callingCode
  const zeros = rows.filter(({ isZero }) => isZero).length
  return answer(rows, {
    home,
    mostHaveZero: zeros * 2 >= rows.length,
    isExpected: (one) => one === homeCode || codes.includes(one),
  })
}

const readsMost = ({ rows, valid }: Fit): boolean => valid >= rows.length * readMin

/** Whether two readings of a list can't both be right: they fit rows with different numbers, or only the other one reads most rows. */
function disagree(best: Fit, other: Fit): boolean {
  const fitsTwoWays = best.rows.filter(([number, points], at) => {
    const [another, others] = other.rows[at]!
    return number > 0 && another > 0 && number !== another && Math.min(points, others) > refused
  }).length
  const half = best.rows.length / 2
  return fitsTwoWays > best.rows.length * strayMax || (best.valid < half && other.valid >= half)
}

/** Whether the numbers may as well have country codes as be dialled in the best reading's country. */
const isAsProven = (fit: Fit, best: Fit): boolean =>
  fit.hasCountryCodes &&
  fit.region === best.region &&
  readsMost(fit) &&
  fit.proven >= Math.max(provenMin, best.proven)

/** Whether nearly all numbers are mobiles elsewhere, in a plan that takes few digits, while home refuses many, or takes nearly all as landlines. */
const isLikelier = (fit: Fit, best: Fit): boolean =>
  best.isHome &&
  !fit.isHome &&
  fit.prior > rare &&
  Math.min(fit.mobiles, fit.proven / fit.rows.length) >= readMin &&
  (!readsMost(best) || (planOf(best.region).mobile !== null && best.mobiles < fewMobiles))

/**
 * The readings to choose from: those near the best that can't be right at the same time, and usual countries whose mobiles the numbers
 * may be, mobiles first. If they are fewer than `least`, also others that read most numbers, plans with fewer lengths first. A reading of
 * less than half is never among them.
 */
function choicesOf(fits: readonly Fit[], near: readonly Fit[], least: number): Fit[] {
  const lengths = ({ region }: Fit) => planOf(region).lengths.length
  const wanted = fits.filter((fit) => near.includes(fit) || (fit.prior > rare && fit.mobiles >= readMin))
  const others = fits.filter((fit) => fit.prior > rare && readsMost(fit) && !wanted.includes(fit))
  const shown: Fit[] = []
  for (const fit of [
    ...wanted.toSorted((a, b) => Number(b.mobiles >= readMin) - Number(a.mobiles >= readMin)),
    ...others.toSorted((a, b) => lengths(a) - lengths(b)),
    ...fits,
  ]) {
    if (shown.length === choicesMax || (shown.length >= least && !wanted.includes(fit))) break
    if (fit.valid * 2 >= fit.rows.length && shown.every((one) => disagree(one, fit))) shown.push(fit)
  }
  return shown
}

/**
 * Sample rows: those that the choices read differently, preferably ones that every choice can read, and one of the other written form.
 * For a single choice, one that it reads and others that it can't.
 */
function samplesOf(rows: readonly Row[], choices: readonly Fit[]): number[] {
  const readings = rows.map((_, at) => choices.map((choice) => choice.rows[at]![0]))
  const at = (isIn: (numbers: readonly number[], row: Row) => boolean) =>
    rows.flatMap((row, place) => (isIn(readings[place]!, row) ? [place] : []))
  if (choices.length === 1)
    return [
      ...at(([number]) => number !== 0).slice(0, 1),
      ...even(
        at(([number]) => number === 0),
        samplesMax - 1,
      ),
    ]
  const telling = at((numbers) => new Set(numbers).size > 1)
  const readable = telling.filter((place) => !readings[place]!.includes(0))
  const shown = even(readable.length >= samplesMax ? readable : telling, samplesMax)
  const [other] = at((_, { isZero }) => shown.every((place) => rows[place]!.isZero !== isZero))
  return other === undefined ? shown : [...shown.slice(0, samplesMax - 1), other]
}

function answer(rows: readonly Row[], expected: Expected): ReadingGuess {
  const fits = fitsOf(rows, expected)
  const best = fits[0]!
  const { valid } = best
  const isProven = best.proven >= rows.length / 2
  const margin = isProven || expected.mostHaveZero ? clear : clearUnproven
  /** Numbers that begin alike prove no other country, and don't speak against home. */
  const isTown = startsOf(rows) < startsMin
  const isHomeTown = isTown && best.isHome && readsMost(best)
  const near = fits.filter(
    (fit) =>
      fit.points > best.points - (isHomeTown && !fit.isHome ? 0 : margin) ||
      isAsProven(fit, best) ||
      isLikelier(fit, best),
  )
  const isAhead =
    (best.isHome || (isProven && readsMost(best) && best.prior > rare && !isTown)) &&
    !near.some((fit) => fit !== best && disagree(best, fit))
  const readsFew = valid < rows.length * clearShare
  const least = isTown && best.prior < withCodes ? choicesMax : 2
  const shown = isAhead && !readsFew ? [] : choicesOf(fits, near, isAhead ? 1 : least)
  const isAsked = shown.length > 1 || (shown.length === 1 && readsFew)
  /** Without an expected country, the numbers must prove one. */
  const isUnproven = expected.home === null && !isAhead && !(isProven && shown.length === 1)
  const samples = samplesOf(rows, shown)
  return {
    reading: isAsked || isUnproven ? null : { region: best.region, hasCountryCodes: best.hasCountryCodes },
    choices: (isAsked ? shown : []).map((choice) => ({
      region: choice.region,
      hasCountryCodes: choice.hasCountryCodes,
      valid: choice.valid,
      samples: samples.map((at) => {
        const { written, text } = rows[at]!
        return { text: written, phone: choice.rows[at]![0] === 0 ? null : phoneIn(text, choice) }
      }),
    })),
    numbers: rows.length,
    valid,
  }
}

import { cleanNumber, plainDigits, scientific } from './clean-number.ts'
import { planOf } from './numbering-plans.ts'
import { otherSpellings } from './other-spellings.ts'
import { numbersWithin, piecesOf, possibleNumbers } from './possible-numbers.ts'
import { isCallable, wrongLength } from './read-digits.ts'
import { possibleEndingsOf, severalNumbers } from './several-numbers.ts'

/** What an entry of a blocking list may mean. `ending`: the last seven digits of a number, as a number. `low` to `high` are inclusive. */
export interface Reading {
  kind: 'number' | 'ending' | 'range'
  low: number
  high: number
}

export interface EntryReadings {
  /** The likeliest number; null when the entry is unreadable. */
  digits: number | null
  /** What else it may mean. */
  readings: Reading[]
}

/** Numbers with the same last seven digits may be the same one. */
export const endingModulus = 10_000_000
const endingDigits = 7
const numberMax = 1e15
/** Without a country code, a number has at most this many digits. */
const nationalMax = 10

/** Fewer digits than these are hardly a number whose country is unknown. */
const dialledMin = 9

/** Most numbers of a company between two endings. */
const rangeMax = 1_000

/** What may separate two numbers, or a number from a fraction. */
const separators = [/[^\d\s().\-/]+|\//u, /[.,]/u]

/** Endings of the numbers that a text, or others that it may mean, may hold. */
function endingsOf(text: string, others: readonly string[]): number[] {
  const whole = severalNumbers(text, () => true, false) ?? []
  const upToEachGroup = [...text.matchAll(/\d+/g)].map(({ 0: group, index }) =>
    text.slice(0, index + group.length),
  )
  const pieces = [
    ...upToEachGroup,
    ...whole,
    ...others,
    ...separators.flatMap((separator) => text.split(separator)),
  ]
  const digits = pieces.map((piece) => piece.replace(/\D/g, '')).filter((all) => all.length >= endingDigits)
  return digits.map((all) => Number(all.slice(-endingDigits)))
}

interface Range {
  low: number
  high: number
}

/** The numbers that a spreadsheet rounds to this text. */
function roundedOf(text: string): Range[] {
  const [, , whole, fraction = '', exponent] = scientific.exec(text) ?? []
  if (whole === undefined) return []
  const unit = 10 ** (Number(exponent) - fraction.length)
  const value = Number(whole + fraction) * unit
  const high = Math.round(value + unit / 2)
  return unit <= 1 || high >= numberMax ? [] : [{ low: Math.round(value - unit / 2), high }]
}

const grouping = /[\s().-]/g
/** Signs for digits that a list hides, for any digits, or for a broken one: `+44 7400 12****`, `+4474*`, `+447400�23456`. */
const hidden = /^(?:\+|00)?(\d{4,})[*•●x#?%…\ufffd]+(\d*)$/i

/** The numbers with any digits instead of the signs: lists mask with as many signs as they like. */
function hiddenIn(text: string): Range[] {
  const [, start, end] = hidden.exec(plainDigits(text).replace(grouping, '')) ?? []
  if (start === undefined) return []
  const ranges: Range[] = []
  for (let unit = 10 ** (1 + end!.length); (Number(start) + 1) * unit <= numberMax; unit *= 10)
    ranges.push({ low: Number(start) * unit, high: (Number(start) + 1) * unit - 1 })
  return ranges
}

/** Letters that people type for digits. */
const lookAlikes = /(?<=[\dOoIl|])[OoIl|]|[OoIl|](?=[\dOoIl|])/g
const vanity = /^[+\d\s().-]*\d[\s().-]*[A-Z]{3}[A-Z\d\s().-]*$/i
const keypad = ['ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ']
const keyOf = (letter: string) => String(keypad.findIndex((key) => key.includes(letter.toUpperCase())) + 2)

/** The text with digits for letters that stand for them: typed by mistake, or on a keypad. */
function withoutLetters(text: string): string {
  const typed = text.replace(lookAlikes, (letter) => (/o/i.test(letter) ? '0' : '1'))
  return vanity.test(typed) ? text.replace(/[A-Z]/gi, keyOf) : typed
}

/** Whether a number may lack its area code: it has seven digits, in a country of longer numbers. */
const isLocal = (text: string, country: string): boolean =>
  !/^[+0]/.test(text) &&
  text.replace(/\D/g, '').length === endingDigits &&
  planOf(country).lengths.at(-1)! > endingDigits + 1

/** Reads an entry that blocks: a DNC entry, or the sender of an opt-out. `country`: ISO 3166, of numbers in national form; null if unknown. */
export function readEntry(written: string, country: string | null): EntryReadings {
  const pieces = piecesOf(written)
  if (pieces.length === 1) return readPiece(pieces[0]!, country)
  const found = pieces.map((piece) => readPiece(piece, country))
  const digits = found.find((one) => one.digits !== null)?.digits ?? null
  const numbers = found.flatMap((one) => (one.digits === null ? [] : [one.digits]))
  const readings = [
    ...numbers.map((number): Reading => ({ kind: 'number', low: number, high: number })),
    ...found.flatMap((one) => one.readings),
  ]
  const byKey = new Map(readings.map((one) => [`${one.kind} ${one.low} ${one.high}`, one]))
  byKey.delete(`number ${digits} ${digits}`)
  return { digits, readings: [...byKey.values()] }
}

function readPiece(written: string, country: string | null): EntryReadings {
  const { digits: likeliest, all } = possibleNumbers(written, country)
  const clean = cleanNumber(written)
  const bare = clean.text.replace(/\D/g, '')
  // It may have the national form of an older plan.
  const dialled = country === null ? 0 : Number(planOf(country).callingCode + bare)
  const isOlder = likeliest === null && dialled > 0 && otherSpellings(dialled).length > 0
  const numbers = isOlder ? [...all, dialled] : all
  const spellings = numbers.flatMap(otherSpellings)
  const spelled = spellings.find(isCallable) ?? null
  const digits = likeliest ?? spelled
  const readings: Reading[] = []
  const add = (kind: Reading['kind'], low: number, high = low) => {
    if (!readings.some((one) => one.kind === kind && one.low === low && one.high === high))
      readings.push({ kind, low, high })
  }
  for (const number of [...numbers, ...spellings]) if (number !== digits) add('number', number)
  const text = withoutLetters(clean.text)
  for (const one of new Set([clean.text, text]))
    // Most entries are one group of digits, and read already.
    if (one !== clean.text || /\d\D+\d/.test(one))
      for (const number of numbersWithin(one, country)) if (number !== digits) add('number', number)
  const isOne = digits !== null && isCallable(digits) && bare.endsWith(String(digits).slice(-endingDigits))
  const mayBeOne = (part: string) => {
    const read = possibleNumbers(part, country).digits
    return read === null ? country === null && part.replace(/\D/g, '').length >= dialledMin : isCallable(read)
  }
  const joined = possibleEndingsOf(plainDigits(written), mayBeOne, isOne)
  const possible = joined?.numbers.map((one) => possibleNumbers(one, country)) ?? []
  for (const number of possible.flatMap((one) => one.all)) if (number !== digits) add('number', number)
  const [first, last] = possible.map((one) => one.digits ?? 0)
  const isRange = (low: number, high: number) => high > low && high - low <= rangeMax
  if (joined?.isRange && first! > 0 && isRange(first!, last!)) add('range', first!, last!)
  else if (joined?.isRange) {
    const [from, to] = endingsOf('', joined.numbers)
    if (isRange(from!, to!)) for (let ending = from!; ending <= to!; ending++) add('ending', ending)
  }
  // In national form it may belong to any country, even if it could be an international number without its plus.
  const mayBeNational =
    country === null &&
    !/[+＋]|^00/.test(clean.text) &&
    (/\D/.test(clean.text) || clean.text.length <= nationalMax)
  const rounded = digits === null ? roundedOf(clean.text) : []
  // A length that the country hasn't: it may be an older or a mistyped form, or name all numbers that begin with it.
  const wrong = digits === null || spelled !== null ? null : wrongLength(digits)
  const ranges = [...rounded, ...hiddenIn(wrong === 'short' ? `+${digits}*` : written)]
  const isDoubtful = digits === null || mayBeNational || wrong !== null
  if (rounded.length === 0 && (isDoubtful || (country !== null && isLocal(clean.text, country))))
    for (const ending of endingsOf(text, joined?.numbers ?? [])) add('ending', ending)
  const code = country === null || wrong !== null ? '' : planOf(country).callingCode
  for (const range of ranges) {
    add('range', range.low, range.high)
    const [low, high] = [Number(code + range.low), Number(code + range.high)]
    if (code !== '' && high < numberMax && high > low) add('range', low, high)
  }
  return { digits, readings }
}

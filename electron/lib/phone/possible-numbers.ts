import { cleanNumber } from './clean-number.ts'
import { callingCodeOf, isMobile, planOf } from './numbering-plans.ts'
import { type ParsedPhone, parsePhone } from './parse-phone.ts'

/** What a text from outside may mean. Numbers are E.164 digits without the plus. */
export interface PossibleNumbers {
  /** The most likely number; null when the text is unreadable. */
  digits: number | null
  /** Every number it may mean, also those that no plan knows. A list that blocks must block all of them. */
  all: readonly number[]
}

/** Longer texts are read in pieces. */
export const longestText = 400
/** Characters that two pieces share, so that each number is whole in one of them. */
const shared = 40

/** Where a long text can be cut, the surest first. */
const cuts = [/[\n\t,;|]/u, /\p{L}+/u, /(?=[+＋])/u, /\/|\s(?=\(?0)/u]

/** A text in pieces that can be read, without those that hold no digit. Each of its numbers is whole in one of them. */
export function piecesOf(text: string): string[] {
  if (text.length <= longestText) return [text]
  for (const cut of cuts) {
    const pieces = text.split(cut).filter((piece) => /\d/.test(piece))
    if (pieces[0] !== text) return pieces.flatMap(piecesOf)
  }
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += longestText - shared) pieces.push(text.slice(at, at + longestText))
  return pieces
}

const plausible = /^[1-9]\d{6,14}$/
/** Numbers with a plus between other words. */
const withinText = /[+＋][\d\s().\-/]{7,}/g
/** One number with its country code, and nothing else. */
const oneWithCode = /^(?:\+|00)[\d\s().\-/]+$/
/** A short group behind a number is no part of it: a footnote, a count, or an extension. */
const shortGroup = /^(.*\d)[\s().\-/]+\d{1,4}\D*$/s
/** More digits than this behind the calling code and before a separator are no area code. */
const areaCodeMax = 2

/** Whether separators allow the text to begin with a calling code: `44 7400 123456` does, `361-234-5678` and `8 (495) …` don't. */
export function mayBeginWithCode(text: string): boolean {
  const [, bracket, group] = /^(\(?)(\d+)[^\d]/.exec(text) ?? []
  if (group === undefined) return true
  const code = callingCodeOf(text.replace(/\D/g, ''))?.code ?? ''
  return group === code || (bracket === '' && group.length > code.length + areaCodeMax)
}

/** Whether a number may be a mobile of the region. */
const isMobileOf = (digits: number, region: string): boolean =>
  String(digits).startsWith(planOf(region).callingCode) && isMobile(String(digits))

/** The number with a plus before one or more short groups; undefined if there is none. */
function numberBeforeGroup(text: string): number | undefined {
  const [, front] = shortGroup.exec(text) ?? []
  if (front === undefined) return undefined
  const read = parsePhone(front, { region: null })
  return read.ok ? read.digits : numberBeforeGroup(front)
}

/**
 * Reads a number that a service, a sender or a person wrote: with its country code, or as dialled in `region` (ISO 3166, two letters; null
 * if unknown). Without a plus, the country code is more likely, unless separators speak against it or the number is a mobile of the region.
 */
export function possibleNumbers(text: string, region: string | null): PossibleNumbers {
  if (text.length > longestText) {
    const found = piecesOf(text).map((piece) => possibleNumbers(piece, region))
    return {
      digits: found.find((one) => one.digits !== null)?.digits ?? null,
      all: [...new Set(found.flatMap((one) => one.all))],
    }
  }
  const clean = cleanNumber(text)
  const plain = clean.fault === null && !/\p{L}/u.test(clean.text) ? clean.text : ''
  const withCode = parsePhone(text, { region: null, hasCountryCodes: true })
  const dialled = region === null ? null : parsePhone(text, { region })
  const numbersOf = (read: typeof dialled): readonly number[] =>
    read === null
      ? []
      : read.ok
        ? [read.digits, ...(read.twoWays || (read === withCode && read.other !== 0) ? [read.other] : [])]
        : (read.numbers ?? [])
  const [[international], [national]] = [numbersOf(withCode), numbersOf(dialled)]
  const isDialled = national !== undefined && (!mayBeginWithCode(plain) || isMobileOf(national, region!))
  let digits =
    (isDialled ? national : mayBeginWithCode(plain) ? international : undefined) ?? national ?? null
  const all = new Set([...numbersOf(withCode), ...numbersOf(dialled)])
  const read = dialled ?? withCode
  if (!read.ok) for (const number of read.possible ?? []) all.add(number)
  // Lists may hold numbers that no plan knows.
  const bare = plain.replace(/\D/g, '').replace(/^00/, '')
  const isPlausible = plausible.test(bare)
  if (isPlausible && (digits === null || !/^(?:\+|00)/.test(plain))) all.add(Number(bare))
  if (digits === null)
    for (const [part] of text.matchAll(withinText)) {
      const found = numbersOf(parsePhone(part, { region: null }))[0] ?? numberBeforeGroup(part)
      if (found === undefined) continue
      digits ??= found
      all.add(found)
    }
  if (digits === null && isPlausible && oneWithCode.test(plain))
    digits = (read.ok ? undefined : read.possible?.[0]) ?? Number(bare)
  return { digits, all: [...all] }
}

/** A number with its country code means nothing else. */
const hasPlus = /^\s*\+/

/**
 * Every number that a text may mean, the one it was read as first. A check of a text covers all of them. `region`: as for
 * `possibleNumbers`.
 */
export function numbersMeantBy(text: string, read: ParsedPhone, region: string | null): number[] {
  const own = read.ok ? [read.digits, ...(read.other === 0 ? [] : [read.other])] : []
  return read.ok && hasPlus.test(text) ? own : [...new Set([...own, ...possibleNumbers(text, region).all])]
}

const shortestNumber = 7
/** Digits of two numbers. Longer parts hold nothing more, and reading them would take long. */
const partMax = 30
/** A longer group before a number is no mark of a list. */
const markMax = 3
const digitCount = (text: string): number => text.replace(/\D/g, '').length

/** Whether a number may begin behind this text: behind nothing, or behind a mark such as `2)`. `next` is what follows. */
function mayBeginBehind(front: string, next: string): boolean {
  if (front === '') return true
  const isShort = digitCount(front) <= markMax && !/[+＋]|^\D*0/.test(front)
  return isShort && (/[^\d\s\-/]\D*$/.test(front) || /^[+＋0]/.test(next))
}

/** Every valid number that a part of a text may be: a mark of a list may come before it, and notes behind it. */
export function numbersWithin(text: string, region: string | null): number[] {
  const groups = [...text.matchAll(/(?:[+＋(]\s?)*\d+/g)]
  const found = new Set<number>()
  for (const [at, { index: start, 0: first }] of groups.entries()) {
    if (!mayBeginBehind(at === 0 ? '' : text.slice(0, start), first)) continue
    for (const { index, 0: last } of groups.slice(at)) {
      const part = text.slice(start, index + last.length)
      const count = digitCount(part)
      if (count > partMax) break
      if (count < shortestNumber) continue
      for (const options of [{ region: null, hasCountryCodes: true }, { region }]) {
        const read = parsePhone(part, options)
        for (const number of read.ok ? [read.digits] : (read.numbers ?? [])) found.add(number)
      }
    }
  }
  return [...found]
}

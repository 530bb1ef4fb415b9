import { fold } from '../../lib/fold.ts'
import { cleanNumber } from '../../lib/phone/clean-number.ts'
import { possibleNumbers } from '../../lib/phone/possible-numbers.ts'
import { betweenDigits as between, readNumberList, storedNumber } from './number-list.ts'

/** A folded text to find. */
export interface TermText {
  text: string
  /** Only in name, email or tags. */
  besideNumber: boolean
}

/** A word or number: alternatives, each with texts that must all match. */
export type SearchTerm = readonly (readonly TermText[])[]

/** All must match, in any order. Empty matches everything. */
export type SearchTerms = readonly SearchTerm[]

/** Quotes of word processors and other languages. */
const curlyQuotes = '“”„‟«»'
/** A quoted text; digits with separators up to a word's end; any other word. */
const pieces = new RegExp(
  String.raw`"(?<quoted>[^"]*)"?|[${curlyQuotes}](?<curly>[^${curlyQuotes}]*)[${curlyQuotes}]?|(?<!\S)(?<digits>[${between}]*[+(]*\d[\d${between}]*)(?=[,;]*(?!\S))|\S+`,
  'g',
)
/** Digits that make a number, not a year or version; fewer after a plus, zero or bracket. */
const numberMin = 3
const markedNumberMin = 2

/** More groups of digits are tried in only two ways. */
const groupsMax = 6

const anywhere = (text: string): TermText => ({ text, besideNumber: false })
const beside = (text: string): TermText => ({ text, besideNumber: true })

/**
 * Groups of digits as written. At least one must be outside the number, or the plain number would match. Short groups
 * occur in too many numbers to count.
 */
function asWritten(groups: readonly string[]): SearchTerm {
  if (groups.length > groupsMax) return [groups.map(beside)]
  const isShort = (group: string) => group.replace(/\D/g, '').length < numberMin
  return groups.map((_, besideAt) =>
    groups.map((group, at) => (at === besideAt || isShort(group) ? beside(group) : anywhere(group))),
  )
}

/** Digits as a number and as written. */
function numberWord(written: string): SearchTerm {
  const words = written.split(/\s+/).filter((word) => word !== '')
  const isMarked = /^[^\d]*[+(0]/.test(written)
  const { plus, digits } = storedNumber(written)
  if (words.length === 1 && words[0] === plus + digits) return [[anywhere(words[0])]]
  if (digits.length < (isMarked ? markedNumberMin : numberMin)) return [words.map(anywhere)]
  return [[anywhere(plus + digits)], ...asWritten(words)]
}

/** More characters are no number. */
const notationMax = 100

/** A complete number in the notation of a program, such as a chat address, as stored; null for any other text. */
function numberIn(text: string): string | null {
  const clean = text.length > notationMax ? null : cleanNumber(text)
  if (clean?.fault !== null || clean.text === text || /[^+\d\s().\-/]/.test(clean.text)) return null
  const { digits } = possibleNumbers(text, null)
  return digits === null ? null : `+${digits}`
}

/** Commas between words. */
const bareWord = (word: string) => word.replace(/^[,;]+|[,;]+$/g, '')

/**
 * Parses a search: all words anywhere; numbers in any notation; quoted texts exactly. Drops NUL, which no contact has
 * and SQLite reads as an end. A list of complete numbers is a condition, not a text.
 */
export function parseTerms(typed: string | undefined): SearchTerms {
  if (readNumberList(typed).length > 0) return []
  const text = fold(typed?.replaceAll('\0', '') ?? '').trim()
  const words = Array.from(text.matchAll(pieces), ([piece, quoted, curly, digits]): SearchTerm | null => {
    if (digits !== undefined) return numberWord(digits)
    const word = quoted ?? curly ?? bareWord(piece)
    return word === '' ? null : [[anywhere(word)]]
  }).filter((word) => word !== null)
  if (words.length === 0 && text !== '') return [[[anywhere(text)]]]
  const number = numberIn(text)
  if (number !== null) {
    const [first = [], ...rest] = words
    return [[[anywhere(number)], ...(rest.length === 0 ? first : [words.flatMap(([way = []]) => way)])]]
  }
  const each = new Map(words.map((word) => [JSON.stringify(word), word]))
  return [...each.values()]
}

/** Texts of each alternative, for any field. */
function textsOf(word: SearchTerm): string[][] {
  const each = word.map((texts) => texts.map(({ text }) => text))
  return [...new Map(each.map((texts) => [JSON.stringify(texts), texts])).values()]
}

/** Most combinations queried. */
const waysMax = 8

/** Combinations of alternatives, each of texts that must all occur. The last alternatives may be dropped. */
export function termAlternatives(terms: SearchTerms): string[][] {
  return terms
    .map(textsOf)
    .reduce<string[][]>(
      (ways, readings) =>
        ways.length * readings.length > waysMax
          ? ways
          : ways.flatMap((way) => readings.map((texts) => [...way, ...texts])),
      [[]],
    )
}

import { fold } from '../../lib/fold.ts'
import { betweenDigits as between, readNumberList, storedNumber } from './number-list.ts'

/** A folded text that a contact must hold. */
export interface SoughtText {
  text: string
  /** In its name, e-mail or tags: the number does not count. */
  besideNumber: boolean
}

/** A word, or a number: of its readings one is enough, with all its texts. */
export type SoughtWord = readonly (readonly SoughtText[])[]

/** What contacts must hold, all of it, in any order. Empty asks for nothing. */
export type Sought = readonly SoughtWord[]

/** Quotes as word processors and other languages have them. */
const curlyQuotes = '“”„‟«»'
/** A quoted text; digits with what stands between them, up to where a word ends; any other word. */
const pieces = new RegExp(
  String.raw`"(?<quoted>[^"]*)"?|[${curlyQuotes}](?<curly>[^${curlyQuotes}]*)[${curlyQuotes}]?|(?<!\S)(?<digits>[${between}]*[+(]*\d[\d${between}]*)(?=[,;]*(?!\S))|\S+`,
  'g',
)
/** As many digits as are not only the figures of a name, a date or a version; fewer where a sign says that it is a number. */
const numberMin = 3
const markedNumberMin = 2

/** So many groups of digits are a number, or a number and something else; more are read in two ways only. */
const groupsMax = 6

const anywhere = (text: string): SoughtText => ({ text, besideNumber: false })
const beside = (text: string): SoughtText => ({ text, besideNumber: true })

/**
 * Groups of digits as they stand, one of them at least beside the number: by the number alone they are figures of one. Short ones are in
 * too many numbers to mean it.
 */
function asWritten(groups: readonly string[]): SoughtWord {
  if (groups.length > groupsMax) return [groups.map(beside)]
  const isShort = (group: string) => group.replace(/\D/g, '').length < numberMin
  return groups.map((_, besideAt) =>
    groups.map((group, at) => (at === besideAt || isShort(group) ? beside(group) : anywhere(group))),
  )
}

/** Digits as a number and as they stand. */
function numberWord(written: string): SoughtWord {
  const words = written.split(/\s+/).filter((word) => word !== '')
  const isMarked = /^[^\d]*[+(0]/.test(written)
  const { plus, digits } = storedNumber(written)
  if (words.length === 1 && words[0] === plus + digits) return [[anywhere(words[0])]]
  if (digits.length < (isMarked ? markedNumberMin : numberMin)) return [words.map(anywhere)]
  return [[anywhere(plus + digits)], ...asWritten(words)]
}

/** Commas that part words belong to none of them. */
const bareWord = (word: string) => word.replace(/^[,;]+|[,;]+$/g, '')

/**
 * What a reader types, as it is looked for: every word, wherever it stands; a number however it is written; what is quoted as it stands. No
 * contact holds a NUL, and SQLite takes it for an end. A list of whole numbers asks for no text: it is a condition on the number.
 */
export function readSought(typed: string | undefined): Sought {
  if (readNumberList(typed).length > 0) return []
  const text = fold(typed?.replaceAll('\0', '') ?? '').trim()
  const words = Array.from(text.matchAll(pieces), ([piece, quoted, curly, digits]): SoughtWord | null => {
    if (digits !== undefined) return numberWord(digits)
    const word = quoted ?? curly ?? bareWord(piece)
    return word === '' ? null : [[anywhere(word)]]
  }).filter((word) => word !== null)
  if (words.length === 0 && text !== '') return [[[anywhere(text)]]]
  const each = new Map(words.map((word) => [JSON.stringify(word), word]))
  return [...each.values()]
}

/** The texts of each reading, in whichever field they are to stand. */
function textsOf(word: SoughtWord): string[][] {
  const each = word.map((texts) => texts.map(({ text }) => text))
  return [...new Map(each.map((texts) => [JSON.stringify(texts), texts])).values()]
}

/** So many ways to find all words are asked for one by one. */
const waysMax = 8

/**
 * Texts that stand together in every contact that holds all words, for each way to hold them. Of words with several readings the last may be
 * left out.
 */
export function waysToHold(sought: Sought): string[][] {
  return sought
    .map(textsOf)
    .reduce<string[][]>(
      (ways, readings) =>
        ways.length * readings.length > waysMax
          ? ways
          : ways.flatMap((way) => readings.map((texts) => [...way, ...texts])),
      [[]],
    )
}

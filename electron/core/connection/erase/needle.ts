import { parsePhoneNumberWithError } from 'libphonenumber-js/max'
import { plainDigits } from '../../../lib/phone/clean-number.ts'

/** What an erasure looks for: a number, and the names and emails of its contact. */
export interface Needle {
  /** E.164 without its plus. */
  digits: string
  texts: string[]
}

/** Shorter runs of digits occur by chance in files and ids. */
export const fewestDigits = 7
const shortestName = 6
/** Longest match of `spelledNumber`, with room for the characters around it. */
export const longestSpelling = 160

const isEmail = (text: string) => /^\S+@\S+$/.test(text)

/** Emails. Like the number, they identify the person wherever they are found. */
export const emailsOf = ({ texts }: Needle): string[] => texts.filter(isEmail)

/** Full names. Other people may have the same, so a name is only removed where the number or an email is found. */
export const namesOf = ({ texts }: Needle): string[] =>
  texts.filter((text) => !isEmail(text) && text.length >= shortestName && /\s/.test(text))

/** What may be between the digits, also in full width. An unreadable character may be a no-break space in Latin-1. */
const gap = String.raw`[ \ufffd().\-/（）．／]{0,5}`
/** A number this long does not occur by chance at the end of another one. */
const longDigits = 10
/** A national number this long is no other person's, and no ID, where it stands alone. */
export const longNational = 9
/** Decimals that a spreadsheet adds. */
const zeros = String.raw`(?:[.,]0{1,3})?`
/** Dialled before a national number in some country. */
const trunk = '(?:0|8|06|01)'

/** The number written without separators. It never matches part of a longer number, and is global. */
export function plainNumber({ digits }: Needle): RegExp {
  const between = digits.length < longDigits ? gap : ''
  return new RegExp(`(?<!\\d${between})(?:00|011)?${digits}(?!${between}\\d)`, 'g')
}

/** The digits as spreadsheets write them: with decimals, in groups of three, and in scientific notation. */
function asCell(digits: string): string {
  const groups = digits.replace(/\B(?=(?:\d{3})+$)/g, "[,']")
  const mantissa = digits.slice(1).replace(/0+$/, '')
  const scientific = `${digits[0]}[.,]${mantissa}0*E\\+?0?${digits.length - 1}`
  return `(?<!\\d${gap})(?:${digits}${zeros}|${groups}${zeros}|${scientific})(?![.,]?\\d)`
}

/**
 * The number in any spelling that Switchboard reads, with or without its country code, in text from `readable`. It never matches part of
 * a longer number, and is global. Shorter national numbers than `fewestNational` only match with their country code.
 */
export function spelledNumber(needle: Needle, fewestNational = fewestDigits): RegExp {
  const national = nationalDigits(needle)
  const spell = (digits: string) => [...digits].join(gap)
  const country = needle.digits.slice(0, needle.digits.length - national.length)
  const isAlone = country === '' || national.length >= fewestNational
  const prefix = country === '' ? '' : `(?:(?:00|011)?${gap}${spell(country)}${gap})${isAlone ? '?' : ''}`
  // A zero after a space begins a national number, also after another number.
  const start =
    country === '' || !isAlone
      ? `(?<!\\d${gap})${prefix}`
      : `(?:(?<!\\d${gap})${prefix}|(?<=[ \\ufffd])(?=0))`
  const spelled = `${start}(?:${trunk}${gap})?${spell(national)}${zeros}(?!${gap}\\d)`
  const cells = isAlone && country !== '' ? [needle.digits, national] : [needle.digits]
  return new RegExp([plainNumber(needle).source, spelled, ...cells.map(asCell)].join('|'), 'gi')
}

const escaped = /\\u([0-9a-f]{4})/gi

/** Text in which `spelledNumber` finds a number, also where JSON escapes it. */
export function readable(text: string): string {
  const plain = text.replaceAll('\0', '')
  return plainDigits(
    plain.includes('\\u')
      ? plain.replace(escaped, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
      : plain,
  )
}

/** Bytes as such text: UTF-8 and, as far as ASCII goes, Latin-1 and UTF-16. */
export const bytesAsText = (bytes: Buffer): string => readable(bytes.toString('utf8'))

/** The number as it is dialled within its country; with its country code when it would be too short. */
function nationalDigits({ digits }: Needle): string {
  try {
    const { nationalNumber } = parsePhoneNumberWithError(`+${digits}`)
    return nationalNumber.length < fewestDigits || !digits.endsWith(nationalNumber) ? digits : nationalNumber
  } catch {
    return digits
  }
}

export type Cleaner = ReturnType<typeof createCleaner>

/** Finds and removes a person in single texts. */
export function createCleaner(needle: Needle) {
  const number = spelledNumber(needle, longNational)
  const emails = emailsOf(needle)
  const words = [...emails, ...namesOf(needle)].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
  const isThere = (text: string) => text.search(number) !== -1
  return {
    /** Whether the text contains the number, in any spelling, or an email. */
    holds: (text: string): boolean => isThere(readable(text)) || emails.some((email) => text.includes(email)),
    /**
     * The text without the number, emails and full names. A zero is valid wherever digits were, including JSON numbers. A text in which the
     * number has other than ASCII digits and separators is changed to these.
     */
    clean(text: string): string {
      const found = [text, plainDigits(text), readable(text)].find(isThere) ?? text
      return words.reduce((left, word) => left.replaceAll(word, 'erased'), found.replace(number, '0'))
    },
  }
}

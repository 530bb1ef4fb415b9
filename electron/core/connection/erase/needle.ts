import { parsePhoneNumberWithError } from 'libphonenumber-js/max'

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

/** What may be between the digits of a number. C2 comes before a no-break space in UTF-8 read as Latin-1. */
const gap = String.raw`[ \xc2\xa0().\-/]{0,5}`
/** A number this long does not occur by chance at the end of another one. */
const longDigits = 10

/** The number written without separators. It never matches part of a longer number, and is global. */
export function plainNumber({ digits }: Needle): RegExp {
  const between = digits.length < longDigits ? gap : ''
  return new RegExp(`(?<!\\d${between})(?:00|011)?${digits}(?!${between}\\d)`, 'g')
}

/**
 * The number in any spelling, with or without its country code, in text read as Latin-1. It never matches part of a longer number, and is
 * global.
 */
export function spelledNumber(needle: Needle): RegExp {
  const national = nationalDigits(needle)
  const spell = (digits: string) => [...digits].join(gap)
  const country = needle.digits.slice(0, needle.digits.length - national.length)
  const prefix = country === '' ? '' : `(?:(?:00|011)?${gap}${spell(country)}${gap})?`
  // A zero after a space begins a national number, also after another number.
  const start = country === '' ? `(?<!\\d${gap})` : `(?:(?<!\\d${gap})${prefix}|(?<=[ \\xa0])(?=0))`
  const spelled = `${start}(?:0${gap})?${spell(national)}(?!${gap}\\d)`
  return new RegExp(`${plainNumber(needle).source}|${spelled}`, 'g')
}

/** Bytes as text in which `spelledNumber` finds a number in UTF-8, Latin-1 and UTF-16. */
export const bytesAsText = (bytes: Buffer): string => bytes.toString('latin1').replaceAll('\0', '')

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
  const number = plainNumber(needle)
  const emails = emailsOf(needle)
  const words = [...emails, ...namesOf(needle)].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
  return {
    /** Whether the text contains the number, in one piece, or an email. */
    holds: (text: string): boolean =>
      text.search(number) !== -1 || emails.some((email) => text.includes(email)),
    /** The text without the number, emails and full names. A zero is valid wherever digits were, including JSON numbers. */
    clean: (text: string): string =>
      words.reduce((left, word) => left.replaceAll(word, 'erased'), text.replace(number, '0')),
  }
}

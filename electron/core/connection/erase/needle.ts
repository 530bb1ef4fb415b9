import { parsePhoneNumberWithError } from 'libphonenumber-js/max'

/** What an erasure looks for: a number, and the names and e-mails of its contact. */
export interface Needle {
  /** E.164 without its plus. */
  digits: string
  texts: string[]
}

const shortestText = 6

/** Full names and e-mails. A first name would match other people. */
export const tellingTexts = ({ texts }: Needle): string[] =>
  texts.filter((text) => text.length >= shortestText && /[\s@]/.test(text))

/** Shorter runs of digits occur by chance in files and ids. */
export const fewestDigits = 7

/** The number as it is dialled within its country; with its country code when it would be too short. */
export function nationalDigits({ digits }: Needle): string {
  try {
    const { nationalNumber } = parsePhoneNumberWithError(`+${digits}`)
    return nationalNumber.length < fewestDigits ? digits : nationalNumber
  } catch {
    return digits
  }
}

import { parsePhoneNumberWithError } from 'libphonenumber-js/max'

/** What an erasure looks for: a number, and the texts that belong to it. */
export interface Needle {
  /** E.164 without its plus. */
  digits: string
  /** Names, e-mails, notes and tag values of its contact. */
  texts: string[]
}

const shortestText = 6

/** Texts that name one person wherever they stand. A first name or a town alone would hit others. */
export const tellingTexts = ({ texts }: Needle): string[] =>
  texts.filter((text) => text.length >= shortestText && /[\s@]/.test(text))

/** The number as it is dialled within its country. */
export function nationalDigits({ digits }: Needle): string {
  try {
    return parsePhoneNumberWithError(`+${digits}`).nationalNumber
  } catch {
    return digits
  }
}

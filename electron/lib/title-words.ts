import { fold } from './fold.ts'

/** A title's words: lower case, without accents and invisible characters; `firstName`, `SMSConsent` and `phone1` are two words each. */
export const wordsOf = (title: string): string[] =>
  fold(
    title
      .replace(/\p{Cf}/gu, '')
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu}{2,})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
      .replace(/(\p{L})(\d)/gu, '$1 $2'),
  )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

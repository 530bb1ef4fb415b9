import { fold } from './fold.ts'

/** Most values of a file: without capitals and accents there is little to do. */
const lowerAscii = /^[ -@[-~]*$/

/** A title's words: lower case, without accents and invisible characters; `firstName`, `SMSConsent` and `phone1` are two words each. */
export const wordsOf = (title: string): string[] =>
  (lowerAscii.test(title)
    ? title.replace(/([a-z])(\d)/g, '$1 $2').split(/[^a-z\d]+/)
    : fold(
        title
          .replace(/\p{Cf}/gu, '')
          .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
          .replace(/(\p{Lu}{2,})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
          .replace(/(\p{L})(\d)/gu, '$1 $2'),
      ).split(/[^\p{L}\p{N}]+/u)
  ).filter((word) => word !== '')

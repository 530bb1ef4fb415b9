/** Lower-case ASCII needs no folding, except the backtick, which some type as an apostrophe. */
const plain = /^[\u0020-\u0040\u005b-\u005f\u0061-\u007e\n]*$/
/** Letters that fold one by one. Excludes İ, whose lower case is two characters. */
// eslint-disable-next-line no-control-regex -- ASCII is a part of it
const latin = /^[\u0000-\u012f\u0131-\u017f]*$/
const foldedOneByOne = /[`\u0080-\u017f]/g

/** Letters that Unicode doesn't decompose, as people type them without them on their keyboard. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
}
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g')

// eslint-disable-next-line no-misleading-character-class -- single characters that are removed
const invisible = /[\u00ad\u034f\u0640\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const apostrophes = /[`´ʹʻʼʽˈ‘’‚‛′‵＇]/g
const hyphens = /[\u02d7\u058a\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]/g
/** Arabic letters as Persian, Urdu and Kurdish write them. */
const arabicLetters: Record<string, string> = {
  ٱ: 'ا',
  ى: 'ی',
  ي: 'ی',
  ك: 'ک',
  ة: 'ه',
  ۀ: 'ه',
  ە: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ۃ: 'ه',
}
const arabicLetter = new RegExp(`[${Object.keys(arabicLetters).join('')}]`, 'g')
const arabicDigit = /[٠-٩۰-۹]/g

const unified = (text: string): string => text.replace(apostrophes, "'").replace(hyphens, '-')

// Decomposition turns some of these marks into others, and a few letters into two.
const foldAny = (text: string): string =>
  unified(unified(text).normalize('NFKD'))
    .replace(invisible, '')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(plainLetter, (letter) => plainLetters[letter]!)
    .replace(arabicLetter, (letter) => arabicLetters[letter]!)
    .replace(arabicDigit, (digit) => String(digit.charCodeAt(0) & 15))

const foldedLatin = new Map(
  Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).map((letter) => [
    letter,
    foldAny(letter),
  ]),
)

/** Version of `fold`. When it rises, the search index is rebuilt; `name_folded` of `contacts.db` must be, too. */
export const foldVersion = 3

/**
 * Folds text for search: lower case, no accents, ß as ss, ø as o, final sigma as sigma; one form of each apostrophe, hyphen, and Arabic letter
 * and digit; no invisible characters. Idempotent.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text
  if (!latin.test(text)) return foldAny(text)
  return text.toLowerCase().replace(foldedOneByOne, (letter) => foldedLatin.get(letter)!)
}

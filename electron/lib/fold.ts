/** Printable ASCII without capitals needs no folding. */
const plain = /^[\u0020-\u0040\u005b-\u007e\n]*$/
/** Letters that are folded each by itself. Of İ, the small letter is two characters. */
// eslint-disable-next-line no-control-regex -- ASCII is a part of it
const latin = /^[\u0000-\u012f\u0131-\u017f]*$/
const latinBeyondAscii = /[\u0080-\u017f]/g

/** Letters that do not come apart, as they are typed where a keyboard has none of them. */
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

const foldAny = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(plainLetter, (letter) => plainLetters[letter]!)

const foldedLatin = new Map(
  Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).map((letter) => [
    letter,
    foldAny(letter),
  ]),
)

/**
 * A text as it is searched: small letters, without accents, compatibility forms alike, ß like ss and ø like o, the sigma at the end of a Greek
 * word like any other.
 * Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text
  if (!latin.test(text)) return foldAny(text)
  return text.toLowerCase().replace(latinBeyondAscii, (letter) => foldedLatin.get(letter)!)
}

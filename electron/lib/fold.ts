/** Lower-case ASCII needs no folding. */
const plain = /^[\u0020-\u0040\u005b-\u007e\n]*$/
/** Letters that fold one by one. Excludes İ, whose lower case is two characters. */
// eslint-disable-next-line no-control-regex -- ASCII is a part of it
const latin = /^[\u0000-\u012f\u0131-\u017f]*$/
const latinBeyondAscii = /[\u0080-\u017f]/g

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

/** Folds text for search: lower case, no accents, ß as ss, ø as o, final sigma as sigma. Idempotent. */
export function fold(text: string): string {
  if (plain.test(text)) return text
  if (!latin.test(text)) return foldAny(text)
  return text.toLowerCase().replace(latinBeyondAscii, (letter) => foldedLatin.get(letter)!)
}

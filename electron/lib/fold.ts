/** Printable ASCII without capitals needs no folding. */
const plain = /^[\u0020-\u0040\u005b-\u007e\n]*$/
/** Letters that are folded each by itself. Of İ, the small letter is two characters. */
// eslint-disable-next-line no-control-regex -- ASCII is a part of it
const latin = /^[\u0000-\u012f\u0131-\u017f]*$/
const latinBeyondAscii = /[\u0080-\u017f]/g

const foldAny = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')

const foldedLatin = new Map(
  Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).map((letter) => [
    letter,
    foldAny(letter),
  ]),
)

/**
 * A text as it is searched: small letters, without accents, compatibility forms alike, the sigma at the end of a Greek word like any other.
 * Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text
  if (!latin.test(text)) return foldAny(text)
  return text.toLowerCase().replace(latinBeyondAscii, (letter) => foldedLatin.get(letter)!)
}

/** Printable ASCII without capitals needs no folding. */
const plain = /^[\u0020-\u0040\u005b-\u007e\n]*$/

/**
 * A text as it is searched: small letters, without accents, compatibility forms alike, the sigma at the end of a Greek word like any other.
 * Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (plain.test(text)) return text
  // eslint-disable-next-line no-control-regex -- ASCII is all that needs no normalisation
  if (/^[\u0000-\u007f]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
}

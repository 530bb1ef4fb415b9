/**
 * Trigrams of folded texts as numbers of 21 bits, three signs of 7 bits. Numbers of trigrams that begin alike lie together. Signs beyond
 * ASCII share what a folded text leaves free, so that one number may stand for several trigrams, and never the other way round.
 */

const signBits = 7
/** Trigrams there are: the numbers below it. */
export const trigramCount = 1 << (3 * signBits)
const lineEnd = 10
/** Stands behind the last sign of a text, so that the last two begin a trigram as well. No contact holds it. */
const padding = 1

/** Capitals and control characters: no folded text has them. */
const freeSigns = Array.from({ length: 128 }, (_, sign) => sign).filter(
  (sign) => (sign >= 65 && sign <= 90) || (sign < 32 && sign !== lineEnd && sign !== padding && sign !== 0),
)

const signs = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  code < 128 ? code : freeSigns[code % freeSigns.length]!,
)

/**
 * Writes the trigrams of a text into `into` from `at` on, which needs room for as many as the text is long; those that begin with the
 * end of a line are left out, for nobody looks for them. Answers where they end. `ahead`: so many signs of padding are behind the text.
 */
export function writeTrigrams(text: string, into: Uint32Array, at: number, ahead = 2): number {
  let window = 0
  for (let index = 0; index < text.length + ahead; index++) {
    const sign = index < text.length ? signs[text.charCodeAt(index)]! : padding
    window = ((window << signBits) | sign) & (trigramCount - 1)
    if (index >= 2 && window >> (2 * signBits) !== lineEnd) into[at++] = window
  }
  return at
}

/**
 * The trigrams that whatever holds a text holds as well, each once. None where it has less than three signs, or only ends of lines but for
 * its last two.
 */
export function trigramsWithin(text: string): number[] {
  const all = new Uint32Array(text.length)
  return [...new Set(all.subarray(0, writeTrigrams(text, all, 0, 0)))]
}

/** The first and the last of the trigrams that begin with a text of one or two signs, the first of which is not the end of a line. */
export function trigramsFrom(text: string): [number, number] {
  const first = signs[text.charCodeAt(0)]! << signBits
  if (text.length === 1) return [first << signBits, ((first + (1 << signBits)) << signBits) - 1]
  const both = first | signs[text.charCodeAt(1)]!
  return [both << signBits, ((both + 1) << signBits) - 1]
}

/**
 * Trigrams of folded texts as 21-bit numbers: three characters of 7 bits. Trigrams with the same start are adjacent.
 * Non-ASCII characters share unused values, so a number may stand for several trigrams.
 */

const signBits = 7
/** Number of possible trigrams. */
export const trigramCount = 1 << (3 * signBits)
const lineEnd = 10
/** Follows the last character, so the last two start a trigram, too. No contact contains it. */
const padding = 1

/** Capitals and control characters, which folded texts don't contain. */
const freeSigns = Array.from({ length: 128 }, (_, sign) => sign).filter(
  (sign) => (sign >= 65 && sign <= 90) || (sign < 32 && sign !== lineEnd && sign !== padding && sign !== 0),
)

const signs = Uint8Array.from({ length: 0x10000 }, (_, code) =>
  code < 128 ? code : freeSigns[code % freeSigns.length]!,
)

/**
 * Writes a text's trigrams into `into` from `at` (room: the text's length); skips those that start with a line end,
 * which are never searched. Returns the end. `ahead`: padding characters.
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

/** Unique trigrams of a search text. None for fewer than three characters. */
export function trigramsWithin(text: string): number[] {
  const all = new Uint32Array(text.length)
  return [...new Set(all.subarray(0, writeTrigrams(text, all, 0, 0)))]
}

/** First and last trigram that start with one or two characters, the first not a line end. */
export function trigramsFrom(text: string): [number, number] {
  const first = signs[text.charCodeAt(0)]! << signBits
  if (text.length === 1) return [first << signBits, ((first + (1 << signBits)) << signBits) - 1]
  const both = first | signs[text.charCodeAt(1)]!
  return [both << signBits, ((both + 1) << signBits) - 1]
}

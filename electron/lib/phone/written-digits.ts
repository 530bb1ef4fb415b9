/** A plus and 7 to 15 digits, with what is commonly put between them. */
const international = /^\+[0-9 ().\-/]*$/

/**
 * The digits of an international number as it is written, whether or not some country has such numbers; 0 for any other text. For lists of
 * others, which may hold numbers that no numbering plan knows (yet).
 */
export function writtenDigits(text: string): number {
  const trimmed = text.trim()
  if (trimmed.length > 64 || !international.test(trimmed)) return 0
  const digits = trimmed.replace(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 && !digits.startsWith('0') ? Number(digits) : 0
}

const international = /^\+[0-9 ().\-/]*$/

/**
 * Digits of an international number with a plus, valid or not; 0 for any other text. For lists that may hold
 * numbers no plan knows.
 */
export function writtenDigits(text: string): number {
  const trimmed = text.trim()
  if (trimmed.length > 64 || !international.test(trimmed)) return 0
  const digits = trimmed.replace(/\D/g, '')
  return digits.length >= 7 && digits.length <= 15 && !digits.startsWith('0') ? Number(digits) : 0
}

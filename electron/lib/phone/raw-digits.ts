/**
 * Digits of an international number as a service writes it, with or without plus; null for anything else. Not validated: a DNC list is
 * trusted.
 */
export function rawDigits(text: string): number | null {
  const bare = text.replace(/[\s().\-/]/g, '')
  const match = /^(?:\+|00)?([1-9]\d{5,14})$/.exec(bare)
  return match ? Number(match[1]) : null
}

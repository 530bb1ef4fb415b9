/**
 * The digits of a number as a service writes it: in international form, with or without its plus. Null where it is none. Not
 * validated: a list of numbers to leave alone is taken at its word.
 */
export function rawDigits(text: string): number | null {
  const bare = text.replace(/[\s().\-/\u00a0]/g, '')
  const match = /^(?:\+|00)?([1-9]\d{5,14})$/.exec(bare)
  return match ? Number(match[1]) : null
}

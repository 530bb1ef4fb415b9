/** A text as a number, or why it is none, to be read after the text. */
export type ReadNumber = { ok: true; value: number } | { ok: false; reason: string }

const shape = /^[+-]?(0|[1-9]\d*)(\.\d+)?$/

/**
 * Reads a number as it must be written to be sent as one: digits with at most one point. What would come out as another text than was
 * written is refused rather than changed: separators, leading zeros, more digits than a number holds.
 */
export function readNumber(text: string): ReadNumber {
  const written = text.trim()
  if (/^[+-]?0\d/.test(written)) return { ok: false, reason: 'would lose its leading zeros as a number' }
  if (!shape.test(written)) return { ok: false, reason: 'is not a number' }
  const value = Number(written)
  const digits = written.replace(/\D/g, '').replace(/^0+/, '')
  if (digits.length > 15) return { ok: false, reason: 'has more digits than a number can hold' }
  return { ok: true, value: value === 0 ? 0 : value }
}

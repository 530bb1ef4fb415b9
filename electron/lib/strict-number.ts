const shape = /^[+-]?(0|[1-9]\d*)(\.\d+)?$/

/**
 * Reads a number only if it keeps its written form: no separators, leading zeros or more than 15 digits.
 * `reason` is a phrase that reads after the text.
 */
export function readNumber(
  text: string,
):
  { ok: true; value: number } | { ok: false; reason: { key: `number.${'zeros' | 'notNumber' | 'digits'}` } } {
  const written = text.trim()
  if (/^[+-]?0\d/.test(written)) return { ok: false, reason: { key: 'number.zeros' } }
  if (!shape.test(written)) return { ok: false, reason: { key: 'number.notNumber' } }
  const value = Number(written)
  const digits = written.replace(/\D/g, '').replace(/^0+/, '')
  if (digits.length > 15) return { ok: false, reason: { key: 'number.digits' } }
  return { ok: true, value: value === 0 ? 0 : value }
}

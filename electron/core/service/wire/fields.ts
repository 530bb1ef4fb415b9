import * as z from 'zod'

/**
 * How fields are read from the service: ids strictly, everything else as far as it can be read.
 * A field that is missing or unreadable becomes null; it never fails the record it is in.
 */

const optional = <T>(read: (value: unknown) => T) => z.unknown().optional().transform(read)

/** An id: a non-empty text, or a whole number as text. Anything else makes the answer unusable. */
const idText = z.union([z.string().min(1).max(512), z.int().transform(String)], {
  error: (issue) => (issue.input === undefined ? 'is missing' : 'is not an id'),
})

/** A record's own id, as the branded type `T`. */
export const id = <T extends string>() => idText.transform((value) => value as T)

/** Another record's id; null when absent. */
export const reference = <T extends string>() => optional((value) => readText(value) as T | null)

/** A text that the record is useless without; numbers are taken as text. */
export const requiredText = z.union([z.string(), z.number().transform(String)], {
  error: (issue) => (issue.input === undefined ? 'is missing' : 'is not a text'),
})

function readText(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}
export const text = optional(readText)

function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
/** A number, or a numeric text as some services write counts and money. */
export const number = optional(readNumber)

/** A count the answer is useless without: a whole number from 0, or its text. */
export const requiredCount = z.unknown().transform((value, context) => {
  const count = readNumber(value)
  if (count !== null && Number.isInteger(count) && count >= 0) return count
  context.addIssue({ code: 'custom', message: value === undefined ? 'is missing' : 'is not a count' })
  return z.NEVER
})

export const flag = optional((value) => (typeof value === 'boolean' ? value : null))

const zoned = /(Z|[+-]\d\d(:?\d\d)?)$/i

/**
 * A date-time as ISO 8601 UTC with milliseconds. Texts without a zone are UTC (spec, general rule 3). The year 1, by which
 * some services write "none", and what cannot be read become null. Numbers are Unix seconds, or milliseconds from 1e11.
 */
function readInstant(value: unknown): string | null {
  const time =
    typeof value === 'number'
      ? new Date(value < 1e11 ? value * 1000 : value)
      : typeof value === 'string' && value.includes(':')
        ? new Date(zoned.test(value.trim()) ? value.trim() : `${value.trim()}Z`)
        : typeof value === 'string'
          ? new Date(value)
          : new Date(NaN)
  const ms = time.getTime()
  return Number.isNaN(ms) || time.getUTCFullYear() <= 1 || value === '' ? null : time.toISOString()
}
export const instant = optional(readInstant)

/**
 * An object of texts, key by key as it came; numbers and booleans become text, other values are left out.
 * A key named `__proto__` stays a key and changes no prototype.
 */
export const textMap = optional((value) => {
  const map: Record<string, string> = {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return map
  for (const [key, item] of Object.entries(value)) {
    const itemText = readText(item)
    if (itemText !== null)
      Object.defineProperty(map, key, {
        value: itemText,
        enumerable: true,
        writable: true,
        configurable: true,
      })
  }
  return map
})

/** An array of texts; what is no text is left out. */
export const textList = optional((value) =>
  Array.isArray(value) ? value.flatMap((item) => readText(item) ?? []) : [],
)

/** Any array, or an empty one. */
export const anyList = optional((value): unknown[] => (Array.isArray(value) ? value : []))

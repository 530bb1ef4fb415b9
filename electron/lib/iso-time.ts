/** Milliseconds since 1970 as ISO 8601 UTC, the form of all times that leave the core. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The UTC day of a time in milliseconds since 1970, as YYYY-MM-DD. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const zoned = /(z|utc|gmt|[+-]\d\d(:?\d\d)?)$/i
/** Programs write 0, 1970 or the year 1 for "none". */
const firstMs = Date.UTC(2000, 0)

/**
 * A time as other programs write it, in milliseconds since 1970: ISO 8601, in UTC if it names no zone, or Unix seconds or, from 1e11,
 * milliseconds, as a number or its digits. Null when it is missing, unreadable or before 2000.
 */
export function instantMs(value: unknown): number | null {
  const text = typeof value === 'string' ? value.trim() : ''
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : value
  const ms =
    typeof number === 'number'
      ? Math.floor(number < 1e11 ? number * 1_000 : number)
      : Date.parse(text.includes(':') && !zoned.test(text) ? `${text}Z` : text)
  // Dates have a highest value.
  return ms >= firstMs && !Number.isNaN(new Date(ms).getTime()) ? ms : null
}

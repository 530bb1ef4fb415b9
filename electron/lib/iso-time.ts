/** Milliseconds since 1970 as ISO 8601 UTC, the form of all times that leave the core. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The UTC day of a time in milliseconds since 1970, as YYYY-MM-DD. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** ISO 8601 as milliseconds since 1970, or null when it is missing or unreadable. */
export function msOfIso(iso: string | null): number | null {
  const ms = iso === null ? NaN : Date.parse(iso)
  return Number.isNaN(ms) ? null : ms
}

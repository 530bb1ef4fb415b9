/** Milliseconds since 1970 as ISO 8601 UTC, the form of all times that leave the core. */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | null
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

/** The UTC day of a time in milliseconds since 1970, as YYYY-MM-DD. */
export const utcDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[t ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?:([+-]\d\d):?(\d\d)?)?(?: ?([a-z]{1,3}))?)?$/i
/** ISO 8601 without separators, as logs and gateways write it: `20261126192700`. */
const compact = /^(20\d\d)(\d\d)(\d\d)(?:t?(\d\d)(\d\d)(\d\d)?z?)?$/i
/** As in emails and the texts of programs: `Wed, 01 May 2026 10:00:00 GMT`, `May 1 2026`. */
const named =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:\d{1,2}[ -])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ ,-]/i
const notZone = /^(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|[ap]m$)/
const withOffset = /:\d\d ?(?:gmt|utc?)? ?[+-]\d\d:?\d\d\b/i
/** Hours of the zone names in RFC 5322 and ISO 8601. Others have several meanings. */
const zoneHours: Record<string, number> = {
  ...{ z: 0, ut: 0, utc: 0, gmt: 0 },
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
}
/** Programs write 0, 1970 or the year 1 for "none", and a number past the year 9999 counts something else. */
const [firstMs, endMs] = [Date.UTC(2000, 0), Date.UTC(10_000, 0)]
/** In 2049. More are no Unix seconds: carriers write `2611240930`, without a zone. */
const endSeconds = 2_500_000_000

/** The hours of a time's zone, 0 without one; NaN if it has another name, or an offset too. */
function hoursOf(zones: readonly string[], hasOffset: boolean): number {
  const hours = zones.length > 1 ? NaN : zoneHours[zones[0]?.toLowerCase() ?? 'utc']
  return hours === undefined || (hasOffset && hours !== 0) ? NaN : hours
}

/** False for February 30, which `Date.parse` takes for March 2. */
const hasDay = (month: string, day: string) =>
  new Date(Date.parse(`${month}-${day}`)).getUTCDate() === Number(day)

/** `Date.parse` alone reads "error 3001" as a year, and a time without zone as the computer's. */
function parseTime(text: string): number {
  const [, year, month, day, time = '00:00', hours, minutes = '00', zone] = iso.exec(text) ?? []
  if (year) {
    if (!hasDay(`${year}-${month}`, day!)) return NaN
    const ms = Date.parse(`${year}-${month}-${day}T${time.replace(',', '.')}${hours ?? '+00'}:${minutes}`)
    return ms - hoursOf(zone ? [zone] : [], hours !== undefined) * 3_600_000
  }
  const [, ...parts] = compact.exec(text) ?? []
  if (parts.length > 0) {
    const [years, months, days, hour = '00', minute = '00', second = '00'] = parts
    if (!hasDay(`${years}-${months}`, days!)) return NaN
    return Date.parse(`${years}-${months}-${days}T${hour}:${minute}:${second}Z`)
  }
  return named.test(text) ? parseNamed(text) : NaN
}

function parseNamed(text: string): number {
  const hasOffset = withOffset.test(text)
  // A remark beside an offset names its zone.
  const bare = hasOffset ? text.replace(/ ?\([^()]*\)$/, '') : text
  const zones = bare.match(/[a-z]+/gi)!.filter((word) => !notZone.test(word.toLowerCase()))
  if (Number.isNaN(hoursOf(zones, hasOffset))) return NaN
  return Date.parse(hasOffset || zones.length > 0 ? bare : `${bare} UTC`)
}

/**
 * A time as other programs write it, in milliseconds since 1970: ISO 8601, or with the month's English name, in UTC if it names no zone;
 * or Unix seconds or milliseconds up to 1e13, as a number or its digits. Null when it is missing, unreadable or before 2000.
 */
export function instantMs(value: unknown): number | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN
  const isUnix = number < 1e13 && !compact.test(text)
  const ms = isUnix ? Math.floor(number < endSeconds ? number * 1_000 : number) : parseTime(text)
  return ms >= firstMs && ms < endMs ? ms : null
}

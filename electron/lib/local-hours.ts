/** Hours of a day in local time, as minutes from midnight. `fromMinute` is before `toMinute`. */
export interface LocalHours {
  fromMinute: number
  toMinute: number
}

const minuteMs = 60_000
const dayMinutes = 1_440
/** Every local time recurs within a day, so hours that zones share are found in far fewer steps. */
const stepsMax = 200

const zones = new Map<string, Intl.DateTimeFormat[]>()

/** One for each time zone of a country (ISO 3166), as the runtime knows them. Empty for one without known zones. */
function zonesOf(country: string): Intl.DateTimeFormat[] {
  let found = zones.get(country)
  if (!found) {
    const names = new Intl.Locale('und', { region: country }).getTimeZones() ?? []
    const form = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    found = names.map((timeZone) => new Intl.DateTimeFormat('en', { ...form, timeZone }))
    zones.set(country, found)
  }
  return found
}

/** Whether the local time of a country is known. */
export const hasZones = (country: string): boolean => zonesOf(country).length > 0

function minuteOfDay(zone: Intl.DateTimeFormat, ms: number): number {
  const [hour, minute] = zone.format(ms).split(':').map(Number) as [number, number]
  return hour * 60 + minute
}

/** The next time that the hours begin in a zone, for a time outside them. */
function openingIn(zone: Intl.DateTimeFormat, { fromMinute }: LocalHours, ms: number): number {
  const minute = minuteOfDay(zone, ms)
  const wait = fromMinute - minute + (minute < fromMinute ? 0 : dayMinutes)
  const opening = ms + wait * minuteMs
  // The clocks may change on the way. A time that they skip is reached when they have changed.
  const moved = fromMinute - minuteOfDay(zone, opening)
  const exact = opening + moved * minuteMs
  return moved !== 0 && exact > ms && minuteOfDay(zone, exact) === fromMinute ? exact : opening
}

/**
 * When it is within the hours in all time zones of a country: `atMs` itself, or the next time. Null for one without known zones, or if its
 * zones have no such time in common.
 */
export function nextWithin(country: string, hours: LocalHours, atMs: number): number | null {
  const all = zonesOf(country)
  if (all.length === 0) return null
  const isOutside = (zone: Intl.DateTimeFormat, ms: number) => {
    const minute = minuteOfDay(zone, ms)
    return minute < hours.fromMinute || minute >= hours.toMinute
  }
  let ms = atMs
  for (let step = 0; step < stepsMax; step++) {
    const zone = all.find((one) => isOutside(one, ms))
    if (!zone) return ms
    ms = openingIn(zone, hours, Math.floor(ms / minuteMs) * minuteMs)
  }
  return null
}

/** When the hours end in the first of a country's time zones, for a time within them. */
export function endOfHours(country: string, { toMinute }: LocalHours, atMs: number): number {
  const minutes = zonesOf(country).map((zone) => toMinute - minuteOfDay(zone, atMs))
  return Math.floor(atMs / minuteMs) * minuteMs + Math.min(...minutes) * minuteMs
}

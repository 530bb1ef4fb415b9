import { endOfHours, type LocalHours, nextWithin } from '../../../lib/local-hours.ts'

/** A month. Later, nothing is likely. */
const longestMs = 31 * 86_400_000

/**
 * How many recipients wait for their hours at the start, and when the last message is likely sent; null if not within a month.
 * `takesMs`: for all, one after another. `byCountry`: recipients by country (ISO 3166); an empty one has no hours.
 */
export function forecastSend({
  startMs,
  takesMs,
  hours,
  byCountry,
}: {
  startMs: number
  takesMs: number
  hours: LocalHours | null
  byCountry: Readonly<Record<string, number>>
}): { outsideHours: number; lastMs: number | null } {
  const all = Object.entries(byCountry).map(([country, left]) => ({ country, left }))
  const total = sumOf(all)
  const opening = (country: string, ms: number): number =>
    hours === null || country === '' ? ms : (nextWithin(country, hours, ms) ?? Infinity)
  const closing = (country: string, ms: number): number =>
    hours === null || country === '' ? Infinity : endOfHours(country, hours, ms)
  const outsideHours = sumOf(all.filter(({ country }) => opening(country, startMs) > startMs))

  let ms = startMs
  while (ms < startMs + longestMs) {
    const left = all.filter((one) => one.left > 0)
    if (left.length === 0) return { outsideHours, lastMs: Math.round(ms) }
    const openings = left.map(({ country }) => opening(country, ms))
    const open = left.filter((_one, at) => openings[at] === ms)
    const next = Math.min(
      ...openings.filter((one) => one > ms),
      ...open.map(({ country }) => closing(country, ms)),
    )
    const waiting = sumOf(open)
    const needsMs = (waiting / total) * takesMs
    // Those that are open share the rate.
    const share = waiting === 0 ? 0 : Math.min(1, (next - ms) / needsMs)
    for (const one of open) one.left = share === 1 ? 0 : one.left * (1 - share)
    ms = share === 1 && waiting > 0 ? ms + needsMs : next
  }
  return { outsideHours, lastMs: null }
}

const sumOf = (all: readonly { left: number }[]): number => all.reduce((sum, { left }) => sum + left, 0)

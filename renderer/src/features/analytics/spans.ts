const dayMs = 86_400_000

/** Ranges of days on offer. All days are days of UTC. */
export const presets = [
  { id: 'today', title: 'Today' },
  { id: 'yesterday', title: 'Yesterday' },
  { id: 'last7', title: 'Last 7 days' },
  { id: 'last30', title: 'Last 30 days' },
  { id: 'this-month', title: 'This month' },
  { id: 'last-month', title: 'Last month' },
  { id: 'custom', title: 'Other days' },
] as const
export type PresetId = (typeof presets)[number]['id']

/** First and last day, both in the range: `2026-01-31`, UTC. */
export interface DayRange {
  startDate: string
  endDate: string
}

/** Longest range that can be chosen, days: what a chart by day can draw. */
export const mostDays = 366

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
export const lengthOf = ({ startDate, endDate }: DayRange): number =>
  (startOf(endDate) - startOf(startDate)) / dayMs + 1

const isDay = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(startOf(text)) &&
  dayOf(startOf(text)) === text

/** What is wrong with a range that was typed, or null. */
export function wrongWith(range: { startDate: string; endDate: string }): string | null {
  if (!isDay(range.startDate) || !isDay(range.endDate)) return 'Both days are needed.'
  if (range.startDate > range.endDate) return 'The last day is before the first.'
  if (lengthOf(range) > mostDays) return `At most ${mostDays} days.`
  return null
}

/** The days of a preset as they are at `nowMs`. `custom` has none of its own. */
export function presetRange(preset: Exclude<PresetId, 'custom'>, nowMs: number): DayRange {
  const today = dayOf(nowMs)
  const back = (days: number) => dayOf(startOf(today) - days * dayMs)
  const monthStart = `${today.slice(0, 8)}01`
  switch (preset) {
    case 'today':
      return { startDate: today, endDate: today }
    case 'yesterday':
      return { startDate: back(1), endDate: back(1) }
    case 'last7':
      return { startDate: back(6), endDate: today }
    case 'last30':
      return { startDate: back(29), endDate: today }
    case 'this-month':
      return { startDate: monthStart, endDate: today }
    case 'last-month': {
      const lastDay = dayOf(startOf(monthStart) - dayMs)
      return { startDate: `${lastDay.slice(0, 8)}01`, endDate: lastDay }
    }
  }
}

/** The period of the same length right before. */
export function rangeBefore(range: DayRange): DayRange {
  const days = lengthOf(range)
  return {
    startDate: dayOf(startOf(range.startDate) - days * dayMs),
    endDate: dayOf(startOf(range.startDate) - dayMs),
  }
}

/** What the address of the page says of the range; what it cannot mean is the last 7 days. */
export function readRange(
  query: Record<string, unknown>,
  nowMs: number,
): { preset: PresetId; range: DayRange } {
  const { range: named, from, to } = query
  if (named === 'custom' && isDay(from) && isDay(to)) {
    const range = { startDate: from, endDate: to }
    if (wrongWith(range) === null) return { preset: 'custom', range }
  }
  const preset = presets.find(({ id }) => id === named)?.id ?? 'last7'
  const id = preset === 'custom' ? 'last7' : preset
  return { preset: id, range: presetRange(id, nowMs) }
}

/** `1 Nov 2026`, or `1 Nov – 7 Nov 2026` for several days. */
export function rangeText({ startDate, endDate }: DayRange): string {
  return startDate === endDate ? startDate : `${startDate} to ${endDate}`
}

/** Whether no day of the range has begun. */
export const isToCome = ({ startDate }: DayRange, nowMs: number): boolean => startOf(startDate) > nowMs

/** Whether the range ends after now: its figures still grow. */
export const isRunning = ({ endDate }: DayRange, nowMs: number): boolean => startOf(endDate) + dayMs > nowMs

const minuteMs = 60_000
const hourMs = 3_600_000
/** The contract's bound on a series. */
const bucketsMax = 1_440

/** Widths in which a range can be drawn. */
export const bucketWidths = [
  { value: minuteMs, label: 'Per minute' },
  { value: hourMs, label: 'Per hour' },
  { value: dayMs, label: 'Per day' },
] as const
export type BucketMs = (typeof bucketWidths)[number]['value']

export const widthsFor = (range: DayRange) =>
  bucketWidths.filter(({ value }) => (lengthOf(range) * dayMs) / value <= bucketsMax)

/** The width asked for where the range allows it, else the one that fits: hours up to 60 days. */
export function widthFor(range: DayRange, asked: unknown): BucketMs {
  const possible = widthsFor(range)
  return (
    possible.find(({ value }) => String(value) === asked)?.value ??
    possible.find(({ value }) => value === hourMs)?.value ??
    dayMs
  )
}

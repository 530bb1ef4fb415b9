import { t } from './analytics.texts.ts'

export const dayMs = 86_400_000

/** Periods to choose from, in UTC days. */
export const presets = [
  'today',
  'yesterday',
  'last7',
  'last30',
  'this-month',
  'last-month',
  'custom',
] as const
export type PresetId = (typeof presets)[number]

/** First and last day, both included: `2026-01-31`, UTC. */
export interface DayRange {
  startDate: string
  endDate: string
}

/** Longest period, days: what a chart by day can draw. */
const mostDays = 366

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
export const lengthOf = ({ startDate, endDate }: DayRange): number =>
  (startOf(endDate) - startOf(startDate)) / dayMs + 1

/** The period as times, `to` excluded. */
export const timesOf = ({ startDate, endDate }: DayRange) => ({
  from: new Date(startOf(startDate)).toISOString(),
  to: new Date(startOf(endDate) + dayMs).toISOString(),
})

const isDay = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(startOf(text)) &&
  dayOf(startOf(text)) === text

export function wrongWith(range: DayRange): string | null {
  if (!isDay(range.startDate) || !isDay(range.endDate)) return t('period.bothNeeded')
  if (range.startDate > range.endDate) return t('period.reversed')
  if (lengthOf(range) > mostDays) return t('period.tooLong', { n: mostDays })
  return null
}

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

export function rangeBefore(range: DayRange): DayRange {
  const days = lengthOf(range)
  return {
    startDate: dayOf(startOf(range.startDate) - days * dayMs),
    endDate: dayOf(startOf(range.startDate) - dayMs),
  }
}

/** The period in the page’s address, by default the last 7 days. */
export function readRange(
  query: Record<string, unknown>,
  nowMs: number,
): { preset: PresetId; range: DayRange } {
  const { range: named, from, to } = query
  if (named === 'custom' && isDay(from) && isDay(to)) {
    const range = { startDate: from, endDate: to }
    if (wrongWith(range) === null) return { preset: 'custom', range }
  }
  const preset = presets.find((one) => one === named) ?? 'last7'
  const id = preset === 'custom' ? 'last7' : preset
  return { preset: id, range: presetRange(id, nowMs) }
}

/** `2026-11-01`, or `2026-11-01 to 2026-11-07`. */
export const rangeText = ({ startDate, endDate }: DayRange): string =>
  startDate === endDate ? startDate : t('period.range', { start: startDate, end: endDate })

/** The name of a saved file, without an extension. */
export const fileNameOf = (what: string, { startDate, endDate }: DayRange): string =>
  startDate === endDate ? `${what}-${startDate}` : `${what}-${startDate}-to-${endDate}`

export const isFuture = ({ startDate }: DayRange, nowMs: number): boolean => startOf(startDate) > nowMs

/** Whether the period ends after now: its figures still grow. */
export const isRunning = ({ endDate }: DayRange, nowMs: number): boolean => startOf(endDate) + dayMs > nowMs

const minuteMs = 60_000
const hourMs = 3_600_000
/** The contract's limit. */
const bucketsMax = 1_440

const intervals = [
  { value: minuteMs, text: 'interval.minute' },
  { value: hourMs, text: 'interval.hour' },
  { value: dayMs, text: 'interval.day' },
] as const
export type BucketMs = (typeof intervals)[number]['value']

export const widthsFor = (range: DayRange): { value: BucketMs; label: string }[] =>
  intervals
    .filter(({ value }) => (lengthOf(range) * dayMs) / value <= bucketsMax)
    .map(({ value, text }) => ({ value, label: t(text) }))

/** The requested interval if the period allows it, else one that fits: hours up to 60 days. */
export function widthFor(range: DayRange, asked: unknown): BucketMs {
  const possible = widthsFor(range)
  return (
    possible.find(({ value }) => String(value) === asked)?.value ??
    possible.find(({ value }) => value === hourMs)?.value ??
    dayMs
  )
}

import type { LocalHours } from '#contract/people/outbox.ts'
import { byLocale } from '../i18n/locale.ts'
import { t } from '../i18n/shared.texts.ts'
import { nowMs } from '../time/clock.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const dayMonth = { day: '2-digit', month: 'short' } as const
const minute = { hour: '2-digit', minute: '2-digit' } as const
const second = { ...minute, second: '2-digit' } as const

export type TimeStyle = 'clock' | 'clock-ms' | 'day' | 'minute' | 'full'

const times = (options: Intl.DateTimeFormatOptions) =>
  byLocale((locale) => new Intl.DateTimeFormat(locale, options))
const styles: Record<TimeStyle, () => Intl.DateTimeFormat> = {
  clock: times(second),
  'clock-ms': times({ ...second, fractionalSecondDigits: 3 }),
  day: times({ ...dayMonth, ...second }),
  minute: times({ ...dayMonth, ...minute }),
  full: times({ ...dayMonth, year: 'numeric', ...minute }),
}

/** An ISO time in local time. Other text is returned unchanged. */
export function formatTime(iso: string, style: TimeStyle = 'day'): string {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? iso : styles[style]().format(ms)
}

/** An ISO time in UTC for the hover text: `2026-11-20 23:14:05.120 UTC`. Empty for no time. */
export function formatUtc(iso: string): string
export function formatUtc(iso: string | null | undefined): string | undefined
export function formatUtc(iso: string | null | undefined): string | undefined {
  if (iso === null || iso === undefined) return undefined
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? iso : new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** A duration in its two largest units: `850 ms`, `12 s`, `3 min 20 s`, `2 h 05 min`, `4 d 3 h`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  if (ms < secondMs) return `${Math.round(ms)} ms`
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`
  if (ms < hourMs) {
    return two(Math.floor(ms / minuteMs), 'min', Math.floor((ms % minuteMs) / secondMs), 's')
  }
  if (ms < dayMs) return two(Math.floor(ms / hourMs), 'h', Math.floor((ms % hourMs) / minuteMs), 'min')
  return two(Math.floor(ms / dayMs), 'd', Math.floor((ms % dayMs) / hourMs), 'h')
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/** A rough forecast: `under a second`, `about 40 s`, `about 3 min`, `about 2 h`. */
export function formatForecast(durationMs: number): string {
  if (durationMs < secondMs) return t('time.underSecond')
  return t('time.about', { duration: forecast(durationMs) })
}

function forecast(durationMs: number): string {
  const seconds = Math.ceil(durationMs / secondMs)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(durationMs / minuteMs)
  return minutes < 60 ? `${minutes} min` : formatDuration(minutes * minuteMs)
}

/** Hours of a day such as `09:00 – 20:00`. */
export function hoursText({ fromMinute, toMinute }: LocalHours): string {
  const [from, to] = [fromMinute, toMinute].map((minute) =>
    [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':'),
  )
  return `${from} – ${to}`
}

/** Milliseconds from `atMs` until `iso`, rounded up to seconds; 0 once it has passed, and for null. */
export const wholeSecondsUntil = (iso: string | null, atMs = nowMs.value): number =>
  iso === null ? 0 : Math.max(0, Math.ceil((Date.parse(iso) - atMs) / secondMs) * secondMs)

/** Age of `iso` in one unit: `just now`, `40 s ago`, `12 min ago`, `3 h ago`, `5 d ago`. */
export function formatAge(iso: string, atMs = nowMs.value): string {
  const ms = atMs - Date.parse(iso)
  if (Number.isNaN(ms)) return t('time.unknown')
  if (ms < 5 * secondMs) return t('time.justNow')
  return t('time.ago', { age: inOneUnit(ms) })
}

function inOneUnit(ms: number): string {
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`
  return `${Math.floor(ms / dayMs)} d`
}

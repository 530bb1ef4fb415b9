const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const clockMs = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const dayAndMinute = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const full = new Intl.DateTimeFormat('en-GB', {
  day: '2-digit',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

export type TimeStyle = 'clock' | 'clock-ms' | 'day' | 'minute' | 'full'

const styles: Record<TimeStyle, Intl.DateTimeFormat> = {
  clock,
  'clock-ms': clockMs,
  day: dayAndClock,
  minute: dayAndMinute,
  full,
}

/** An ISO time in local time. Text that is no time is given back as it came. */
export function formatTime(iso: string, style: TimeStyle = 'day'): string {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? iso : styles[style].format(ms)
}

/** An ISO time in UTC with its zone written out, for the hover text: `2026-11-20 23:14:05.120 UTC`. */
export function formatUtc(iso: string): string {
  const ms = Date.parse(iso)
  return Number.isNaN(ms) ? iso : new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC')
}

/** A length of time in its two largest units: `850 ms`, `12 s`, `3 min 20 s`, `2 h 05 min`, `4 d 3 h`. */
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

/**
 * How long something will take, as a person says it: `under a second`, `about 40 s`, `about 3 min`, `about 2 h`. A forecast is
 * not known to the second.
 */
export function formatForecast(durationMs: number): string {
  if (durationMs < secondMs) return 'under a second'
  if (durationMs < minuteMs) return `about ${Math.ceil(durationMs / secondMs)} s`
  if (durationMs < hourMs) return `about ${Math.round(durationMs / minuteMs)} min`
  return `about ${formatDuration(Math.round(durationMs / minuteMs) * minuteMs)}`
}

/** Milliseconds from `nowMs` until `iso`, a second that has begun as a whole one; 0 once it is over. */
export const wholeSecondsUntil = (iso: string, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(iso) - nowMs) / secondMs) * secondMs)

/** How long ago `iso` was, in one unit, as seen at `nowMs`: `just now`, `40 s ago`, `12 min ago`, `3 h ago`, `5 d ago`. */
export function formatAge(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso)
  if (Number.isNaN(ms)) return 'at an unknown time'
  if (ms < 5 * secondMs) return 'just now'
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s ago`
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`
  return `${Math.floor(ms / dayMs)} d ago`
}

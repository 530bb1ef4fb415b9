import type { Hole } from '#contract/events.ts'
import { holeReason } from '../../shared/format/holes.ts'
import { formatDuration, formatTime } from '../../shared/format/time.ts'

/** A span of the record, [from, to), ISO times of whole seconds. */
export interface Span {
  from: string
  to: string
}

export interface SpanPreset {
  label: string
  span: Span
  /** True if it ends now: a live list then continues with new events. */
  endsNow: boolean
}

const minuteMs = 60_000
/** What is shown before and after an event or a gap, milliseconds. */
const aroundMs = 5 * minuteMs

/** The whole seconds that hold this span. */
const spanOf = (fromMs: number, toMs: number): Span => ({
  from: new Date(Math.floor(fromMs / 1_000) * 1_000).toISOString(),
  to: new Date(Math.ceil(toMs / 1_000) * 1_000).toISOString(),
})

/** Preset time ranges, those that end now first, then the one around the selected event. Days are local; a night is 20:00 to 8:00. */
export function presetsOf(nowMs: number, around: string | null): SpanPreset[] {
  const localTime = (daysAgo: number, hour: number) => {
    const day = new Date(nowMs)
    day.setDate(day.getDate() - daysAgo)
    return day.setHours(hour, 0, 0, 0)
  }
  const until = (fromMs: number, label: string) => ({
    label,
    span: spanOf(fromMs, Math.max(nowMs, fromMs + 1_000)),
    endsNow: true,
  })
  const between = (fromMs: number, toMs: number, label: string) => ({
    label,
    span: spanOf(fromMs, Math.min(toMs, nowMs)),
    endsNow: false,
  })
  const presets: SpanPreset[] = [
    until(nowMs - 15 * minuteMs, 'Last 15 min'),
    until(nowMs - 60 * minuteMs, 'Last hour'),
    until(nowMs - 1_440 * minuteMs, 'Last 24 h'),
    until(localTime(0, 0), 'Today'),
    between(localTime(1, 20), localTime(0, 8), 'Last night'),
    between(localTime(1, 0), localTime(0, 0), 'Yesterday'),
  ]
  if (around === null) return presets
  const eventMs = Date.parse(around)
  return [
    {
      label: `Around the event of ${formatTime(around, 'clock')} ±5 min`,
      span: spanOf(eventMs - aroundMs, eventMs + aroundMs),
      endsNow: false,
    },
    ...presets,
  ]
}

/** Holes of the record as spans, each with what was before and after it, newest first. */
export function gapPresets(holes: readonly Hole[], nowMs: number): Omit<SpanPreset, 'endsNow'>[] {
  return holes.map(({ from, to, reason, durationMs }) => ({
    label: `${formatTime(from, 'day')}, ${formatDuration(durationMs)}, ${holeReason(reason)}`,
    span: spanOf(
      Date.parse(from) - aroundMs,
      Math.min(nowMs, (to === null ? nowMs : Date.parse(to)) + aroundMs),
    ),
  }))
}

/** Why a span cannot be used, in a few words, or null. */
export function spanProblem(
  { from, to }: { from: string | undefined; to: string | undefined },
  nowMs: number,
): string | null {
  if (from === undefined || to === undefined) return 'Both ends are needed'
  if (Date.parse(to) <= Date.parse(from)) return 'The end must be after the beginning'
  return Date.parse(from) >= nowMs ? 'This lies ahead' : null
}

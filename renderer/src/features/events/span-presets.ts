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
}

const minuteMs = 60_000
/** What is shown before and after an event or a gap, milliseconds. */
const aroundMs = 5 * minuteMs

/** The whole seconds that hold this span. */
const spanOf = (fromMs: number, toMs: number): Span => ({
  from: new Date(Math.floor(fromMs / 1_000) * 1_000).toISOString(),
  to: new Date(Math.ceil(toMs / 1_000) * 1_000).toISOString(),
})

/** Spans that end now, and the one around an event where one is in use. */
export function presetsOf(nowMs: number, around: string | null): SpanPreset[] {
  const midnightMs = new Date(nowMs).setHours(0, 0, 0, 0)
  const presets = [
    { label: 'Last 15 min', span: spanOf(nowMs - 15 * minuteMs, nowMs) },
    { label: 'Last hour', span: spanOf(nowMs - 60 * minuteMs, nowMs) },
    { label: 'Last 24 h', span: spanOf(nowMs - 1_440 * minuteMs, nowMs) },
    { label: 'Today', span: spanOf(midnightMs, Math.max(nowMs, midnightMs + 1_000)) },
  ]
  if (around === null) return presets
  const eventMs = Date.parse(around)
  return [
    {
      label: `Around the event of ${formatTime(around, 'clock')} ±5 min`,
      span: spanOf(eventMs - aroundMs, eventMs + aroundMs),
    },
    ...presets,
  ]
}

/** Holes of the record as spans, each with what was before and after it, newest first. */
export function gapPresets(holes: readonly Hole[], nowMs: number): SpanPreset[] {
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

/** A time range, [from, to), ISO times of whole seconds. */
interface Span {
  from: string
  to: string
}

interface SpanPreset {
  label: string
  span: Span
  /** True if it ends now: a live list then continues with new events. */
  endsNow: boolean
}

const minuteMs = 60_000

/** The whole seconds that hold this span. */
const spanOf = (fromMs: number, toMs: number): Span => ({
  from: new Date(Math.floor(fromMs / 1_000) * 1_000).toISOString(),
  to: new Date(Math.ceil(toMs / 1_000) * 1_000).toISOString(),
})

/** Preset time ranges. Days are local; a night is 20:00 to 8:00. */
export function presetsOf(nowMs: number): SpanPreset[] {
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
  return [
    until(nowMs - 15 * minuteMs, 'Last 15 min'),
    until(nowMs - 60 * minuteMs, 'Last hour'),
    until(nowMs - 1_440 * minuteMs, 'Last 24 h'),
    until(localTime(0, 0), 'Today'),
    between(localTime(1, 20), localTime(0, 8), 'Last night'),
    between(localTime(1, 0), localTime(0, 0), 'Yesterday'),
  ]
}

/** Why a time range can't be used, in a few words, or null. */
export function spanProblem(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): string | null {
  if (from === undefined || to === undefined) return 'Enter a start and an end'
  if (Date.parse(to) <= Date.parse(from)) return 'The end must be after the start'
  return Date.parse(from) >= nowMs ? 'This range is in the future' : null
}

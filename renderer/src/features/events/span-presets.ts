import { t } from './events.texts.ts'

/** A time range, [from, to), ISO times of whole seconds. */
interface Span {
  from: string
  to: string
}

type PresetName = 'quarter' | 'hour' | 'day' | 'today' | 'night' | 'yesterday'

interface SpanPreset {
  name: PresetName
  label: string
  span: Span
  /** True if it ends now: a live list then continues with new events. */
  endsNow: boolean
}

const minuteMs = 60_000

/** The whole seconds that contain this period. */
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
  const until = (fromMs: number, name: PresetName) => ({
    name,
    label: t(`presets.${name}`),
    span: spanOf(fromMs, Math.max(nowMs, fromMs + 1_000)),
    endsNow: true,
  })
  const between = (fromMs: number, toMs: number, name: PresetName) => ({
    name,
    label: t(`presets.${name}`),
    span: spanOf(fromMs, Math.min(toMs, nowMs)),
    endsNow: false,
  })
  return [
    until(nowMs - 15 * minuteMs, 'quarter'),
    until(nowMs - 60 * minuteMs, 'hour'),
    until(nowMs - 1_440 * minuteMs, 'day'),
    until(localTime(0, 0), 'today'),
    between(localTime(1, 20), localTime(0, 8), 'night'),
    between(localTime(1, 0), localTime(0, 0), 'yesterday'),
  ]
}

export function spanProblem(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): string | null {
  if (from === undefined || to === undefined) return t('span.missing')
  if (Date.parse(to) <= Date.parse(from)) return t('span.order')
  return Date.parse(from) >= nowMs ? t('span.future') : null
}

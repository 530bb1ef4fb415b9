import type { EventSeries, Hole } from '#contract/live/events.ts'

/** A hole within a chart's span: where it begins and how wide it is, as shares of the plot's width. */
export interface HoleSpan {
  left: number
  width: number
  /** Beyond the service's last retry. */
  proven: boolean
}

/** The holes that lie in the time of `series`, cut to it. One that lasts reaches as far as the series was read. */
export function holeSpans(series: EventSeries, holes: readonly Hole[]): HoleSpan[] {
  const fromMs = Date.parse(series.from)
  const spanMs = series.bucketMs * Math.max(0, ...series.lines.map((line) => line.counts.length))
  const toMs = Math.min(fromMs + spanMs, Date.parse(series.asOf))
  return holes.flatMap((hole) => {
    const startMs = Math.max(fromMs, Date.parse(hole.from))
    const endMs = Math.min(toMs, hole.to === null ? Infinity : Date.parse(hole.to))
    if (!(endMs > startMs)) return []
    return [{ left: (startMs - fromMs) / spanMs, width: (endMs - startMs) / spanMs, proven: hole.proven }]
  })
}

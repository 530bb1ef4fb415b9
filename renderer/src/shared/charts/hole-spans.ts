import type { EventSeries, Hole } from '#contract/live/events.ts'

/** A gap in a chart’s period: start and width as shares of the plot’s width. */
export interface HoleSpan {
  left: number
  width: number
  /** Longer than the service’s last retry. */
  proven: boolean
}

/** The gaps within the time of `series`, cut to it. An open gap ends where the series does. */
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

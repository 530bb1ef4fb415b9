import type { EventSeries, Gap } from '#contract/live/events.ts'

/** A gap in a chart’s period: start and width as shares of the plot’s width. */
export interface GapSpan {
  left: number
  width: number
  /** Longer than the service’s last retry. */
  proven: boolean
}

/** The gaps within the time of `series`, cut to it. An open gap ends where the series does. */
export function gapSpans(series: EventSeries, gaps: readonly Gap[]): GapSpan[] {
  const fromMs = Date.parse(series.from)
  const spanMs = series.bucketMs * Math.max(0, ...series.lines.map((line) => line.counts.length))
  const toMs = Math.min(fromMs + spanMs, Date.parse(series.asOf))
  return gaps.flatMap((gap) => {
    const startMs = Math.max(fromMs, Date.parse(gap.from))
    const endMs = Math.min(toMs, gap.to === null ? Infinity : Date.parse(gap.to))
    if (!(endMs > startMs)) return []
    return [{ left: (startMs - fromMs) / spanMs, width: (endMs - startMs) / spanMs, proven: gap.proven }]
  })
}

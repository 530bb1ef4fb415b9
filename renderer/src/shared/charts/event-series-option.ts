import type { EventSeries } from '#contract/live/events.ts'
import { formatCount } from '../format/numbers.ts'
import { t } from '../i18n/shared.texts.ts'
import type { Palette } from '../theme/tokens.ts'
import { area, bar, baseAxis, chartFrame, mostBars, valueAxis } from './chart-frame.ts'
import type { ChartOption } from './echarts.ts'
import { lineColours, seriesLabel } from './series-look.ts'

export function seriesTotals(series: EventSeries): { name: string; label: string; total: number }[] {
  return series.lines.map(({ name, counts }) => ({
    name,
    label: seriesLabel(name),
    total: counts.reduce((sum, count) => sum + count, 0),
  }))
}

export function bucketTotals(series: EventSeries): number[] {
  const length = Math.max(0, ...series.lines.map((line) => line.counts.length))
  return Array.from({ length }, (_, at) =>
    series.lines.reduce((sum, line) => sum + (line.counts[at] ?? 0), 0),
  )
}

/** With fewer, bars look like blocks. */
const fewestBuckets = 12

/** The series without the empty time before `since`, when this connection first listened. */
export function fromFirstListening(series: EventSeries, since: string | null): EventSeries {
  if (since === null) return series
  const totals = bucketTotals(series)
  const fromMs = Date.parse(series.from)
  const firstEvent = totals.findIndex((total) => total > 0)
  const cut = Math.min(
    Math.floor((Date.parse(since) - fromMs) / series.bucketMs),
    totals.length - fewestBuckets,
    firstEvent < 0 ? Infinity : firstEvent,
  )
  if (cut <= 0) return series
  return {
    ...series,
    from: new Date(fromMs + cut * series.bucketMs).toISOString(),
    lines: series.lines.map((line) => ({ ...line, counts: line.counts.slice(cut) })),
  }
}

const labelStepsMs = [
  1_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000,
  10_800_000, 21_600_000, 43_200_000, 86_400_000,
]

/** Distance of time labels: the smallest round one with at most `most` labels for `spanMs`. */
export function labelStepMs(spanMs: number, most = 8): number {
  return labelStepsMs.find((stepMs) => spanMs / stepMs <= most) ?? Math.ceil(spanMs / most)
}

/** A bucket’s start as its axis label, as precise as the buckets. */
function bucketLabel(timeMs: number, bucketMs: number, spanMs: number): string {
  const iso = new Date(timeMs - new Date(timeMs).getTimezoneOffset() * 60_000).toISOString()
  const clock = iso.slice(11, bucketMs % 60_000 === 0 ? 16 : 19)
  return spanMs > 86_400_000 ? `${iso.slice(5, 10)} ${clock}` : clock
}

/** A bucket in the table. `time` is local, so two may share it when summer time ends. */
interface SeriesRow {
  startMs: number
  time: string
  counts: number[]
}

/** One row per bucket with events, newest first, for the table beside the chart. */
export function seriesTable(series: EventSeries, mostRows = 60): SeriesRow[] {
  const fromMs = Date.parse(series.from)
  return bucketTotals(series)
    .map((total, at) => ({ total, at, startMs: fromMs + at * series.bucketMs }))
    .filter(({ total }) => total > 0)
    .reverse()
    .slice(0, mostRows)
    .map(({ at, startMs }) => ({
      startMs,
      time: bucketLabel(startMs, series.bucketMs, spanOf(series)),
      counts: series.lines.map((line) => line.counts[at] ?? 0),
    }))
}

/** The chart as text, for screen readers. */
export function seriesSummary(series: EventSeries, gapCount = 0): string {
  const parts = seriesTotals(series).map(({ label, total }) => `${label} ${formatCount(total)}`)
  const summary = t('chart.summary', { list: parts.join(', ') || t('chart.none') })
  return gapCount === 0 ? summary : `${summary} ${t('chart.gaps', { n: gapCount })}`
}

/** Rows below the time: a canvas clips what is taller than the lowest chart. */
const tooltipRows = 3

interface TooltipPoint {
  axisValueLabel?: string
  marker?: unknown
  seriesName?: string
  value?: unknown
}

/** The time of a bucket and its counts, with several on a row if needed. */
function tooltipText(of: TooltipPoint | TooltipPoint[]): string {
  const points = [of].flat()
  const counts = points.map(
    ({ marker, seriesName, value }) => `${String(marker)}${seriesName} ${formatCount(Number(value))}`,
  )
  const perRow = Math.ceil(counts.length / tooltipRows)
  const rows = Array.from({ length: Math.ceil(counts.length / perRow) }, (_, row) =>
    counts.slice(row * perRow, (row + 1) * perRow).join('   '),
  )
  return [points[0]?.axisValueLabel ?? '', ...rows].join('\n')
}

/** Events per bucket as stacked bars (an area for many buckets). */
export function eventSeriesOption(series: EventSeries, palette: Palette): ChartOption {
  const fromMs = Date.parse(series.from)
  const totals = bucketTotals(series)
  const spanMs = spanOf(series)
  const stepMs = labelStepMs(spanMs)
  const offsetMs = new Date(fromMs).getTimezoneOffset() * 60_000
  // A label under the plot's left edge would run into the value axis.
  const firstLabel = totals.length * 0.03
  const isLabelled = (at: number) =>
    at >= firstLabel && (fromMs + at * series.bucketMs - offsetMs) % stepMs === 0
  const wholeMinutes = stepMs % 60_000 === 0 && series.bucketMs % 60_000 !== 0
  const asArea = totals.length > mostBars
  const colours = lineColours(
    series.lines.map(({ name }) => name),
    palette,
  )
  const { tooltip, ...frame } = chartFrame(palette, asArea ? 'line' : 'shadow')

  return {
    ...frame,
    tooltip: { ...tooltip, formatter: tooltipText, padding: [5, 10] },
    xAxis: {
      ...baseAxis(palette, {
        interval: isLabelled,
        formatter: (text: string) => (wholeMinutes ? text.replace(/:00$/, '') : text),
        showMinLabel: false,
        showMaxLabel: false,
      }),
      type: 'category',
      data: totals.map((_, at) => bucketLabel(fromMs + at * series.bucketMs, series.bucketMs, spanMs)),
      boundaryGap: !asArea,
    },
    yAxis: valueAxis(palette, Math.max(0, ...totals)),
    // A line without events costs as much to draw as one with them.
    series: series.lines.filter(hasEvents).map(({ name, counts }) => {
      const shared = {
        id: name,
        name: seriesLabel(name),
        stack: 'events',
        data: counts,
        color: colours.get(name)!,
        emphasis: { disabled: true },
      }
      if (asArea) return { ...shared, ...area }
      // One path for all bars, not an element for each: half the script of a redraw.
      return { ...shared, ...bar, large: true, largeThreshold: 0 }
    }),
  }
}

const hasEvents = ({ counts }: EventSeries['lines'][number]): boolean => counts.some((count) => count > 0)

function spanOf(series: EventSeries): number {
  return series.bucketMs * Math.max(0, ...series.lines.map((line) => line.counts.length))
}

import type { LocalAnalytics } from '#contract/views/analytics.ts'
import type { ChartOption } from '../../shared/charts/echarts.ts'
import { area, bar, baseAxis, chartFrame, mostBars, valueAxis } from '../../shared/charts/chart-frame.ts'
import { lineColours, seriesLabel } from '../../shared/charts/series-look.ts'
import type { Palette } from '../../shared/theme/tokens.ts'
import { bucketText, bucketTotals, knownBuckets } from './local-sheets.ts'
import { t } from './analytics.texts.ts'
import type { Sheet } from './sheet.ts'
import { dayMs } from './spans.ts'

/** Labels that fit under the plot in half a narrow window. */
const mostLabels = 8
const hourSteps = [1, 2, 3, 4, 6, 12, 24]

function categoryAxis(
  palette: Palette,
  texts: readonly string[],
  more: {
    asArea?: boolean
    isLabelled?: (at: number) => boolean
    /** Also under the plot’s edges, where bars leave space. */
    atEnds?: boolean
    formatter?: (text: string) => string
  } = {},
) {
  const { asArea, isLabelled, atEnds = false, formatter } = more
  return {
    ...baseAxis(palette, {
      ...(isLabelled && { interval: isLabelled, showMinLabel: atEnds, showMaxLabel: atEnds }),
      ...(formatter && { formatter }),
    }),
    type: 'category' as const,
    data: [...texts],
    boundaryGap: !asArea,
  }
}

/** Whether a bucket’s start is labelled: whole hours within a day or two, else whole days. */
function labelledBy(fromMs: number, bucketMs: number, buckets: number): (at: number) => boolean {
  const spanMs = buckets * bucketMs
  if (spanMs <= 2 * dayMs) {
    const hours = hourSteps.find((step) => spanMs / (step * 3_600_000) <= mostLabels) ?? 24
    return (at) => at > 0 && (fromMs + at * bucketMs) % (hours * 3_600_000) === 0
  }
  const everyDays = Math.ceil(spanMs / dayMs / mostLabels)
  return (at) => at > 0 && (at * bucketMs) % (everyDays * dayMs) === 0
}

/** Events per bucket by status, stacked, and the previous period's total as a dashed line. Times are UTC. */
export function arrivalsOption(
  local: LocalAnalytics,
  before: LocalAnalytics | null,
  palette: Palette,
): ChartOption {
  const { series } = local
  const fromMs = Date.parse(series.from)
  const totals = bucketTotals(local)
  const totalsBefore = before ? bucketTotals(before) : []
  const asArea = totals.length > mostBars
  const colours = lineColours(
    series.lines.map(({ name }) => name),
    palette,
  )
  const known = knownBuckets(local)
  const isShort = totals.length * series.bucketMs <= 2 * dayMs
  return {
    ...chartFrame(palette, asArea ? 'line' : 'shadow'),
    xAxis: categoryAxis(
      palette,
      totals.map((_total, at) => bucketText(fromMs + at * series.bucketMs, series.bucketMs)),
      {
        asArea,
        isLabelled: labelledBy(fromMs, series.bucketMs, totals.length),
        formatter: (text) => (isShort ? text.slice(11) : text.slice(5, 10)),
      },
    ),
    yAxis: valueAxis(palette, Math.max(0, ...[...totals, ...totalsBefore].map((total) => total ?? 0))),
    series: [
      ...series.lines.map(({ name, counts }) => ({
        ...(asArea ? area : bar),
        id: name,
        name: seriesLabel(name),
        stack: 'events',
        // Future and unrecorded buckets are unknown, not zero.
        data: counts.slice(0, known).map((count, at) => (totals[at] === null ? null : count)),
        color: colours.get(name)!,
        emphasis: { disabled: true },
      })),
      {
        type: 'line' as const,
        id: ' before',
        name: t('columns.allBefore'),
        symbol: 'none',
        data: totalsBefore,
        color: palette.text,
        lineStyle: { width: 1, type: 'dashed' as const },
        emphasis: { disabled: true },
      },
    ],
  }
}

/** Messages by delivery time. */
export function latencyOption(sheet: Sheet, palette: Palette): ChartOption {
  const counts = sheet.rows.map(([, count]) => Number(count))
  return {
    ...chartFrame(palette, 'shadow'),
    xAxis: categoryAxis(
      palette,
      sheet.rows.map(([title]) => String(title)),
      { formatter: (text) => text.split(' – ')[0]! },
    ),
    yAxis: valueAxis(palette, Math.max(0, ...counts)),
    series: [
      {
        ...bar,
        id: 'messages',
        name: t('columns.messages'),
        data: counts,
        color: palette.chartGreen,
        emphasis: { disabled: true },
      },
    ],
  }
}

/** Figures of two periods side by side. */
export function comparedOption(
  rows: readonly { title: string; now: number | null; before: number | null }[],
  palette: Palette,
): ChartOption {
  const values = rows.flatMap(({ now, before }) => [now ?? 0, before ?? 0])
  const series = (id: 'before' | 'now', data: (number | null)[], color: string) => ({
    type: 'bar' as const,
    id,
    name: t(`columns.${id}`),
    data,
    color,
    barMaxWidth: 36,
    emphasis: { disabled: true },
  })
  return {
    ...chartFrame(palette, 'shadow'),
    xAxis: categoryAxis(
      palette,
      rows.map(({ title }) => title),
    ),
    yAxis: valueAxis(palette, Math.max(0, ...values)),
    series: [
      series(
        'before',
        rows.map(({ before }) => before),
        palette.controlBorder,
      ),
      series(
        'now',
        rows.map(({ now }) => now),
        palette.chartBlue,
      ),
    ],
  }
}

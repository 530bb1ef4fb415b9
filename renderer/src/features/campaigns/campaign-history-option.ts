import type { CampaignPoint } from '#contract/views/campaigns.ts'
import { baseAxis, chartFrame, valueAxis } from '../../shared/charts/chart-frame.ts'
import type { ChartOption } from '../../shared/charts/echarts.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { formatTime } from '../../shared/format/time.ts'
import type { Palette } from '../../shared/theme/tokens.ts'
import { t } from './campaigns.texts.ts'

type Pair = [timeMs: number, count: number | null]

/** One count over time; a null breaks the line where readings are missing. */
function line(points: readonly CampaignPoint[], pick: (point: CampaignPoint) => number | null): Pair[] {
  return points.flatMap((point): Pair[] => {
    const atMs = Date.parse(point.at)
    const untilMs = Date.parse(point.until)
    const count = pick(point)
    const pairs: Pair[] = point.afterGap ? [[atMs - 1, null]] : []
    pairs.push([atMs, count])
    if (untilMs > atMs) pairs.push([untilMs, count])
    return pairs
  })
}

/** Labels of the time axis: seconds on short spans, days on long ones. */
export function axisFormat(points: readonly CampaignPoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  const spanMs = first && last ? Date.parse(last.until) - Date.parse(first.at) : 0
  if (spanMs <= 10 * 60_000) return '{HH}:{mm}:{ss}'
  return spanMs <= 36 * 3_600_000 ? '{HH}:{mm}' : '{d} {MMM}'
}

export function campaignHistoryOption(points: readonly CampaignPoint[], palette: Palette): ChartOption {
  const counts = points.flatMap(({ sent, failed }) => [sent ?? 0, failed ?? 0])
  const lineOf = (name: string, color: string, data: Pair[]) => ({
    id: name,
    name,
    type: 'line' as const,
    data,
    color,
    symbol: points.length > 1 ? 'none' : 'circle',
    lineStyle: { width: 1.5 },
    connectNulls: false,
    emphasis: { disabled: true },
  })
  return {
    ...chartFrame(palette, 'line'),
    xAxis: { ...baseAxis(palette, { formatter: axisFormat(points) }), type: 'time', splitNumber: 4 },
    yAxis: valueAxis(palette, Math.max(0, ...counts)),
    series: [
      lineOf(
        t('history.sent'),
        palette.chartGreen,
        line(points, (point) => point.sent),
      ),
      lineOf(
        t('history.failed'),
        palette.chartRed,
        line(points, (point) => point.failed),
      ),
    ],
  }
}

export function historySummary(points: readonly CampaignPoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return t('history.noSummary')
  const count = (value: number | null) => (value === null ? t('history.notGiven') : formatCount(value))
  return t('history.summary', {
    first: count(first.sent),
    from: formatTime(first.at, 'minute'),
    last: count(last.sent),
    until: formatTime(last.until, 'minute'),
  })
}

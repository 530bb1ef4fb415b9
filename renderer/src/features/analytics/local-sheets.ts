import type { Gap } from '#contract/live/events.ts'
import type { FailureGroups, LocalAnalytics } from '#contract/views/analytics.ts'
import { fromFirstListening } from '../../shared/charts/event-series-option.ts'
import { seriesLabel } from '../../shared/charts/series-look.ts'
import { statusLook } from '../../shared/format/status.ts'
import { formatDecimal } from '../../shared/format/numbers.ts'
import { formatDuration } from '../../shared/format/time.ts'
import { byLocale } from '../../shared/i18n/locale.ts'
import { differenceOf, shareOf } from './differences.ts'
import { type Cell, type Sheet, column } from './sheet.ts'
import { t } from './analytics.texts.ts'
import { type DayRange, dayMs, timesOf } from './spans.ts'

type Line = LocalAnalytics['series']['lines'][number]

export const totalOf = (line: Line | undefined): number =>
  (line?.counts ?? []).reduce((sum, count) => sum + count, 0)
const lineNamed = (local: LocalAnalytics | null, name: string) =>
  local?.series.lines.find((line) => line.name === name)

/** A bucket's start in UTC: `2026-11-20`, `2026-11-20 14:00`. */
export function bucketText(timeMs: number, bucketMs: number): string {
  const iso = new Date(timeMs).toISOString()
  return bucketMs >= dayMs ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

/** Buckets before the listener first ran: their count is unknown, not zero. */
function unrecordedBuckets({ series, recordedSince }: LocalAnalytics): number {
  const length = series.lines[0]?.counts.length ?? 0
  if (recordedSince === null) return length
  const over = Math.floor((Date.parse(recordedSince) - Date.parse(series.from)) / series.bucketMs)
  return Math.max(0, Math.min(length, over))
}

/** The total of each bucket; null before recording. */
export function bucketTotals(local: LocalAnalytics): (number | null)[] {
  const { lines } = local.series
  const unrecorded = unrecordedBuckets(local)
  return (lines[0]?.counts ?? []).map((_count, at) => {
    const total = lines.reduce((sum, line) => sum + (line.counts[at] ?? 0), 0)
    return total === 0 && at < unrecorded ? null : total
  })
}

/** How much of a period was recorded. */
export function recordOf(local: LocalAnalytics): 'none' | 'part' | 'whole' {
  const { recordedSince, from, to } = local
  if (bucketTotals(local).some((total) => total !== null && total > 0))
    return recordedSince === null || recordedSince > from ? 'part' : 'whole'
  if (recordedSince === null || recordedSince >= to) return 'none'
  return recordedSince > from ? 'part' : 'whole'
}

/** The time before recording, drawn like a gap but quietly: nothing was lost. */
export function beforeRecord({ series, recordedSince, to }: LocalAnalytics): Gap[] {
  if (recordedSince !== null && recordedSince <= series.from) return []
  const end = recordedSince === null || recordedSince > to ? to : recordedSince
  const durationMs = Date.parse(end) - Date.parse(series.from)
  return [{ from: series.from, to: end, durationMs, proven: false, reason: 'not-listening-yet' }]
}

/** A period and the previous one without the empty time before recording, which would leave the chart a sliver of data. */
export function fromRecording(
  local: LocalAnalytics,
  before: LocalAnalytics | null,
): [LocalAnalytics, LocalAnalytics | null] {
  const series = fromFirstListening(local.series, local.recordedSince)
  const cut = (Date.parse(series.from) - Date.parse(local.series.from)) / series.bucketMs
  if (cut === 0) return [local, before]
  const rest = before && {
    ...before.series,
    from: new Date(Date.parse(before.series.from) + cut * series.bucketMs).toISOString(),
    lines: before.series.lines.map((line) => ({ ...line, counts: line.counts.slice(cut) })),
  }
  return [{ ...local, series }, before && rest && { ...before, series: rest }]
}

/** How many buckets have begun. */
export function knownBuckets({ series }: LocalAnalytics): number {
  const length = series.lines[0]?.counts.length ?? 0
  const begun = Math.ceil((Date.parse(series.asOf) - Date.parse(series.from)) / series.bucketMs)
  return Math.max(0, Math.min(length, begun))
}

/** A row per bucket that has begun, oldest first, starting at the first with figures. */
export function arrivalsSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const { series } = local
  const fromMs = Date.parse(series.from)
  const totals = bucketTotals(local)
  const totalsBefore = before ? bucketTotals(before) : []
  return {
    columns: [
      column('time'),
      ...series.lines.map(({ name }) => ({ title: seriesLabel(name), kind: 'count' as const })),
      column('all', 'count'),
      column('allBefore', 'count'),
    ],
    rows: fromFirstFigure(
      totals
        .slice(0, knownBuckets(local))
        .map((total, at): Cell[] => [
          bucketText(fromMs + at * series.bucketMs, series.bucketMs),
          ...series.lines.map(({ counts }) => (total === null ? null : (counts[at] ?? 0))),
          total,
          totalsBefore[at] ?? null,
        ]),
    ),
  }
}

function fromFirstFigure(rows: Cell[][]): Cell[][] {
  const first = rows.findIndex(([, ...figures]) => figures.some((figure) => figure !== null))
  return first === -1 ? [] : rows.slice(first)
}

/** Events by type, with their share of all delivery reports and the previous period. */
export function statusSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const { lines } = local.series
  const isReport = ({ name }: Line) => name !== 'mo' && name !== 'quarantined'
  const reports = lines.filter(isReport).reduce((sum, line) => sum + totalOf(line), 0)
  return {
    columns: [
      column('type'),
      column('events', 'count'),
      column('ofReports', 'share'),
      column('before', 'count'),
      column('change', 'count-difference'),
      column('percent', 'percent'),
    ],
    rows: lines.map((line): Cell[] => {
      const now = totalOf(line)
      const then = before ? totalOf(lineNamed(before, line.name)) : null
      const { absolute, relative } = differenceOf(now, then)
      const share = isReport(line) ? shareOf(now, reports) : null
      return [seriesLabel(line.name), now, share, then, absolute, relative]
    }),
  }
}

/** Messages whose first report is in the period. */
export const messagesOf = (local: LocalAnalytics): number =>
  local.outcomes.reduce((sum, { count }) => sum + count, local.otherOutcomes)

/** Messages whose latest status is delivered. */
export const deliveredOf = (local: LocalAnalytics): number =>
  local.outcomes
    .filter(({ name }) => name.toLowerCase() === 'delivered')
    .reduce((sum, { count }) => sum + count, 0)

/** Messages by latest status. */
export function outcomeSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const whole = messagesOf(local)
  const wholeBefore = before ? messagesOf(before) : null
  const countBefore = (name: string) =>
    before ? (before.outcomes.find((outcome) => outcome.name === name)?.count ?? 0) : null
  const row = (title: string, count: number, then: number | null): Cell[] => {
    const share = shareOf(count, whole)
    return [title, count, share, then, differenceOf(share, shareOf(then, wholeBefore)).absolute]
  }
  return {
    columns: [
      column('outcome'),
      column('messages', 'count'),
      column('ofMessages', 'share'),
      column('before', 'count'),
      column('shareChange', 'points'),
    ],
    rows: [
      ...local.outcomes.map(({ name, count }) =>
        row(statusLook('message', name).label, count, countBefore(name)),
      ),
      ...(local.otherOutcomes > 0 ? [row(t('other'), local.otherOutcomes, null)] : []),
    ],
  }
}

export function errorSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const all = local.errorCodes.reduce((sum, { count }) => sum + count, local.otherErrorCodes)
  const countBefore = (code: string) =>
    before ? (before.errorCodes.find((row) => row.code === code)?.count ?? 0) : null
  const row = (code: string, count: number, then: number | null): Cell[] => [
    code,
    count,
    shareOf(count, all),
    then,
    differenceOf(count, then).absolute,
  ]
  return {
    columns: [
      column('code'),
      column('reports', 'count'),
      column('ofCoded', 'share'),
      column('before', 'count'),
      column('change', 'count-difference'),
    ],
    rows: [
      ...local.errorCodes.map(({ code, count }) => row(code, count, countBefore(code))),
      ...(local.otherErrorCodes > 0 ? [row(t('other'), local.otherErrorCodes, null)] : []),
    ],
  }
}

const regionNames = byLocale((locale) => new Intl.DisplayNames(locale, { type: 'region' }))

/** `+44 United Kingdom`, with the number of further regions that share the code. */
function destinationText({
  callingCode,
  regions,
}: Pick<LocalAnalytics['destinations'][number], 'callingCode' | 'regions'>): string {
  if (callingCode === null) return t('local.unknownCountry')
  const [main] = regions
  if (main === undefined) return `+${callingCode}`
  const values = { code: callingCode, region: regionNames().of(main) ?? main }
  return regions.length === 1
    ? t('local.destination', values)
    : t('local.destinationMore', { ...values, n: regions.length - 1 })
}

/** Messages by the calling code of their number, with their outcomes. */
export function destinationSheet(local: LocalAnalytics): Sheet {
  const whole = messagesOf(local)
  return {
    columns: [
      column('destination'),
      column('messages', 'count'),
      column('ofMessages', 'share'),
      column('delivered', 'share'),
      column('failedOrRejected', 'share'),
      column('expired', 'share'),
    ],
    rows: [
      ...local.destinations.map((row): Cell[] => [
        destinationText(row),
        row.messages,
        shareOf(row.messages, whole),
        shareOf(row.delivered, row.messages),
        shareOf(row.failed, row.messages),
        shareOf(row.expired, row.messages),
      ]),
      ...(local.otherDestinations > 0
        ? [
            [
              t('other'),
              local.otherDestinations,
              shareOf(local.otherDestinations, whole),
              null,
              null,
              null,
            ] satisfies Cell[],
          ]
        : []),
    ],
  }
}

export function failureSheet({ groups, others }: FailureGroups): Sheet {
  const all = groups.reduce((sum, { count }) => sum + count, others)
  return {
    columns: [column('code'), column('destination'), column('reports', 'count'), column('share', 'share')],
    rows: [
      ...groups.map((group): Cell[] => [
        group.code,
        destinationText(group),
        group.count,
        shareOf(group.count, all),
      ]),
      ...(others > 0 ? [[t('other'), '', others, shareOf(others, all)] satisfies Cell[]] : []),
    ],
  }
}

/** The route to a group's events. Without a calling code it covers all destinations. */
export const failureTarget = ({ code, callingCode }: FailureGroups['groups'][number], range: DayRange) => ({
  path: '/events',
  query: {
    code,
    ...(callingCode === null ? {} : { number: `+${callingCode}` }),
    ...timesOf(range),
  },
})

/** A delivery time, with one decimal below ten seconds: percentiles are exact to a tenth. */
export function latencyText(ms: number | null): string | null {
  if (ms === null) return null
  return ms >= 1_000 && ms < 10_000 ? `${formatDecimal(ms / 1_000)} s` : formatDuration(ms)
}

/** Where the bars begin, milliseconds: each at the edge of one of the core’s bins. */
const barsMs = [
  0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 18_000_000, 36_000_000, 90_000_000,
]

/** Messages by delivery time, from the first to the last bar with messages. */
export function latencySheet(local: LocalAnalytics): Sheet {
  const { bins, measured } = local.latency
  const counts = barsMs.map((fromMs, at) => {
    const toMs = barsMs[at + 1] ?? Infinity
    return bins
      .filter((bin) => bin.fromMs >= fromMs && bin.fromMs < toMs)
      .reduce((sum, { count }) => sum + count, 0)
  })
  const first = counts.findIndex((count) => count > 0)
  const last = counts.findLastIndex((count) => count > 0)
  const title = (at: number) => {
    const toMs = barsMs[at + 1]
    const from = formatDuration(barsMs[at]!)
    if (toMs === undefined) return t('local.over', { from })
    const to = formatDuration(toMs)
    return at === 0 ? t('local.under', { to }) : t('local.between', { from, to })
  }
  return {
    columns: [column('duration'), column('messages', 'count'), column('ofMeasured', 'share')],
    rows: counts
      .map((count, at): Cell[] => [title(at), count, shareOf(count, measured)])
      .slice(Math.max(0, first), last + 1),
  }
}

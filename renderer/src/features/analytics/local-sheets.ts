import type { Hole } from '#contract/events.ts'
import type { FailureGroups, LocalAnalytics } from '#contract/analytics.ts'
import { seriesLabel } from '../../shared/charts/series-look.ts'
import { statusLook } from '../../shared/format/status.ts'
import { formatDuration } from '../../shared/format/time.ts'
import { differenceOf, shareOf } from './differences.ts'
import type { Cell, Sheet } from './sheet.ts'
import { type DayRange, startOf } from './spans.ts'

type Line = LocalAnalytics['series']['lines'][number]

const totalOf = (line: Line | undefined) => (line?.counts ?? []).reduce((sum, count) => sum + count, 0)
const lineNamed = (local: LocalAnalytics | null, name: string) =>
  local?.series.lines.find((line) => line.name === name)

/** A bucket's start in UTC as a table writes it: `11-20`, `11-20 14:00`. */
export function bucketText(timeMs: number, bucketMs: number): string {
  const iso = new Date(timeMs).toISOString()
  return bucketMs >= 86_400_000 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 16)}`
}

/** Buckets that were over before this console began to listen: nothing in them is no record, not nothing. */
function unrecordedBuckets({ series, recordedSince }: LocalAnalytics): number {
  const length = series.lines[0]?.counts.length ?? 0
  if (recordedSince === null) return length
  const over = Math.floor((Date.parse(recordedSince) - Date.parse(series.from)) / series.bucketMs)
  return Math.max(0, Math.min(length, over))
}

/** All arrivals of each bucket together; null where nothing was recorded. */
export function bucketTotals(local: LocalAnalytics): (number | null)[] {
  const { lines } = local.series
  const unrecorded = unrecordedBuckets(local)
  return (lines[0]?.counts ?? []).map((_count, at) => {
    const total = lines.reduce((sum, line) => sum + (line.counts[at] ?? 0), 0)
    return total === 0 && at < unrecorded ? null : total
  })
}

/** How much of a span this console listened in: none of it, a part from some time on, or all of it up to now. */
export function recordOf(local: LocalAnalytics): 'none' | 'part' | 'whole' {
  const { recordedSince, from, to } = local
  if (bucketTotals(local).some((total) => total !== null && total > 0))
    return recordedSince === null || recordedSince > from ? 'part' : 'whole'
  if (recordedSince === null || recordedSince >= to) return 'none'
  return recordedSince > from ? 'part' : 'whole'
}

/** The time of a span before the first record, to be drawn like a hole; none where it began before. */
export function beforeRecord({ series, recordedSince, to }: LocalAnalytics): Hole[] {
  if (recordedSince !== null && recordedSince <= series.from) return []
  const end = recordedSince === null || recordedSince > to ? to : recordedSince
  const durationMs = Date.parse(end) - Date.parse(series.from)
  return [{ from: series.from, to: end, durationMs, proven: true, reason: 'not-listening-yet' }]
}

/** How many buckets have begun. */
export function knownBuckets({ series }: LocalAnalytics): number {
  const length = series.lines[0]?.counts.length ?? 0
  const begun = Math.ceil((Date.parse(series.asOf) - Date.parse(series.from)) / series.bucketMs)
  return Math.max(0, Math.min(length, begun))
}

/** One row per bucket that has begun, oldest first, from the first one with figures. Buckets without a record have none. */
export function arrivalsSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const { series } = local
  const fromMs = Date.parse(series.from)
  const totals = bucketTotals(local)
  const totalsBefore = before ? bucketTotals(before) : []
  return {
    columns: [
      { title: 'From (UTC)', kind: 'text' },
      ...series.lines.map(({ name }) => ({ title: seriesLabel(name), kind: 'count' as const })),
      { title: 'All', kind: 'count' },
      { title: 'All, before', kind: 'count' },
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

/** Events by status: how many arrived, their share of all of their kind, and the period before. */
export function statusSheet(local: LocalAnalytics, before: LocalAnalytics | null): Sheet {
  const { lines } = local.series
  const reports = lines
    .filter(({ name }) => name !== 'mo' && name !== 'quarantined')
    .reduce((sum, line) => sum + totalOf(line), 0)
  return {
    columns: [
      { title: 'Arrived', kind: 'text' },
      { title: 'Events', kind: 'count' },
      { title: 'Of all reports', kind: 'share' },
      { title: 'Before', kind: 'count' },
      { title: 'Difference', kind: 'count-difference' },
      { title: '%', kind: 'percent' },
    ],
    rows: lines.map((line): Cell[] => {
      const now = totalOf(line)
      const then = before ? totalOf(lineNamed(before, line.name)) : null
      const { absolute, relative } = differenceOf(now, then)
      const isReport = line.name !== 'mo' && line.name !== 'quarantined'
      return [seriesLabel(line.name), now, isReport ? shareOf(now, reports) : null, then, absolute, relative]
    }),
  }
}

/** Messages that a report was first heard of in the span. */
export const messagesOf = (local: LocalAnalytics): number =>
  local.outcomes.reduce((sum, { count }) => sum + count, local.otherOutcomes)

/** Messages by their furthest status, with their share of all messages of the span. */
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
      { title: 'Outcome', kind: 'text' },
      { title: 'Messages', kind: 'count' },
      { title: 'Of all messages', kind: 'share' },
      { title: 'Before', kind: 'count' },
      { title: 'Share against before', kind: 'points' },
    ],
    rows: [
      ...local.outcomes.map(({ name, count }) =>
        row(statusLook('message', name).label, count, countBefore(name)),
      ),
      ...(local.otherOutcomes > 0 ? [row('Rarer ones', local.otherOutcomes, null)] : []),
    ],
  }
}

/** Reports by error code, most first. */
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
      { title: 'Code', kind: 'text' },
      { title: 'Reports', kind: 'count' },
      { title: 'Of those with a code', kind: 'share' },
      { title: 'Before', kind: 'count' },
      { title: 'Difference', kind: 'count-difference' },
    ],
    rows: [
      ...local.errorCodes.map(({ code, count }) => row(code, count, countBefore(code))),
      ...(local.otherErrorCodes > 0 ? [row('Rarer ones', local.otherErrorCodes, null)] : []),
    ],
  }
}

const regionNames = new Intl.DisplayNames('en', { type: 'region' })

/** `+44 United Kingdom`, with how many more regions share the code. */
function destinationText({
  callingCode,
  regions,
}: Pick<LocalAnalytics['destinations'][number], 'callingCode' | 'regions'>): string {
  if (callingCode === null) return 'Not in international form'
  const [main] = regions
  if (main === undefined) return `+${callingCode}`
  const more = regions.length > 1 ? ` and ${regions.length - 1} more` : ''
  return `+${callingCode} ${regionNames.of(main) ?? main}${more}`
}

/** Messages by the calling code of their number, with their outcomes. */
export function destinationSheet(local: LocalAnalytics): Sheet {
  const whole = messagesOf(local)
  return {
    columns: [
      { title: 'Destination', kind: 'text' },
      { title: 'Messages', kind: 'count' },
      { title: 'Of all messages', kind: 'share' },
      { title: 'Delivered', kind: 'share' },
      { title: 'Failed or rejected', kind: 'share' },
      { title: 'Expired', kind: 'share' },
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
              'Rarer ones',
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

/** Failed reports by error code and destination. */
export function failureSheet({ groups, others }: FailureGroups): Sheet {
  const all = groups.reduce((sum, { count }) => sum + count, others)
  return {
    columns: [
      { title: 'Code', kind: 'text' },
      { title: 'Destination', kind: 'text' },
      { title: 'Reports', kind: 'count' },
      { title: 'Share', kind: 'share' },
    ],
    rows: [
      ...groups.map((group): Cell[] => [
        group.code,
        destinationText(group),
        group.count,
        shareOf(group.count, all),
      ]),
      ...(others > 0 ? [['Other', '', others, shareOf(others, all)] satisfies Cell[]] : []),
    ],
  }
}

/** The route to a group's events. Without a calling code it covers all destinations. */
export const failureTarget = (
  { code, callingCode }: FailureGroups['groups'][number],
  { startDate, endDate }: DayRange,
) => ({
  path: '/events',
  query: {
    code,
    ...(callingCode === null ? {} : { number: `+${callingCode}` }),
    from: new Date(startOf(startDate)).toISOString(),
    to: new Date(startOf(endDate) + 86_400_000).toISOString(),
  },
})

/** Where the bars of the distribution begin, milliseconds: each at the edge of one of the core's bins. */
const barsMs = [
  0, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
  3_600_000, 18_000_000, 36_000_000, 90_000_000,
]

/** Messages by how long they took, from the first to the last that has any. */
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
    if (toMs === undefined) return `over ${formatDuration(barsMs[at]!)}`
    return at === 0
      ? `under ${formatDuration(toMs)}`
      : `${formatDuration(barsMs[at]!)} to ${formatDuration(toMs)}`
  }
  return {
    columns: [
      { title: 'Took', kind: 'text' },
      { title: 'Messages', kind: 'count' },
      { title: 'Of those measured', kind: 'share' },
    ],
    rows: counts
      .map((count, at): Cell[] => [title(at), count, shareOf(count, measured)])
      .slice(Math.max(0, first), last + 1),
  }
}

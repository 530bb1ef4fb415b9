import { AppError } from '#contract/errors.ts'
import type { DayFigures, DaySpan, LocalAnalytics } from '#contract/views/analytics.ts'
import type { AnalyticsOverview, BillingSummary } from '#contract/domain.ts'
import type { Script } from './script.ts'
import { ago, dayMs, hourMs, live } from './broadcast.ts'
import type { ScriptedTasks } from './tasks.ts'

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)
const daysIn = ({ startDate, endDate }: DaySpan) => (startOf(endDate) - startOf(startDate)) / dayMs + 1

/** Service totals: higher for longer periods, lower for earlier ones. */
export function ordinaryOverview(span: DaySpan): AnalyticsOverview {
  const daysBack = Math.min(90, Math.max(0, Math.round((Date.now() - startOf(span.endDate)) / dayMs)))
  const totalMessages = daysIn(span) * (41_200 - 180 * daysBack)
  const failed = Math.round(totalMessages * 0.031)
  const revenue = totalMessages * 0.042
  const cost = totalMessages * 0.029
  return {
    totalMessages,
    delivered: Math.round(totalMessages * 0.944),
    failed,
    revenue: Math.round(revenue * 100) / 100,
    cost: Math.round(cost * 100) / 100,
    margin: Math.round((revenue - cost) * 100) / 100,
  }
}

/** Two currencies, whose sum belongs to neither. */
export function ordinaryBilling(span: DaySpan): BillingSummary {
  const { revenue, cost, margin } = ordinaryOverview(span)
  const share = (amount: number | null, of: number) => Math.round((amount ?? 0) * of * 100) / 100
  return {
    totalRevenue: revenue,
    totalCost: cost,
    totalMargin: margin,
    byCurrency: [
      { currency: 'EUR', revenue: share(revenue, 0.7), cost: share(cost, 0.66) },
      { currency: 'USD', revenue: share(revenue, 0.3), cost: share(cost, 0.34) },
    ],
  }
}

const linesOf: [name: string, height: number, period: number][] = [
  ['submitted', 420, 11],
  ['delivered', 390, 11],
  ['failed', 14, 7],
  ['expired', 4, 13],
  ['mo', 9, 9],
]

/** Totals of the events in a period, with one gap. */
export function ordinaryLocal({
  from,
  to,
  bucketMs,
}: {
  from: string
  to: string
  bucketMs: number
}): LocalAnalytics {
  const fromMs = Date.parse(from)
  const buckets = Math.ceil((Date.parse(to) - fromMs) / bucketMs)
  const known = Math.max(0, Math.min(buckets, Math.floor((Date.now() - fromMs) / bucketMs)))
  const wave = (height: number, period: number) =>
    Array.from({ length: buckets }, (_item, at) =>
      at < known ? Math.round(((height * bucketMs) / hourMs) * (1.1 + Math.sin(at / period))) : 0,
    )
  const lines = linesOf.map(([name, height, period]) => ({ name, counts: wave(height, period) }))
  const total = (name: string) =>
    lines.find((line) => line.name === name)!.counts.reduce((sum, count) => sum + count, 0)
  const messages = total('submitted')
  const failed = total('failed')
  const share = (of: number) => Math.round(messages * of)
  const gapFromMs = fromMs + Math.round(known * 0.4) * bucketMs
  return {
    from,
    to,
    series: { bucketMs, from, lines, asOf: ago(0) },
    outcomes: [
      { name: 'delivered', count: share(0.93) },
      { name: 'failed', count: failed },
      { name: 'expired', count: share(0.012) },
      { name: 'submitted', count: share(0.02) },
      { name: 'buffered_by_carrier', count: share(0.003) },
    ].filter(({ count }) => count > 0),
    otherOutcomes: 0,
    latency: {
      measured: share(0.92),
      p50Ms: 3_240,
      p90Ms: 11_800,
      p99Ms: 184_000,
      bins: [
        { fromMs: 900, toMs: 950, count: share(0.04) },
        { fromMs: 1_400, toMs: 1_500, count: share(0.2) },
        { fromMs: 3_000, toMs: 3_300, count: share(0.34) },
        { fromMs: 7_000, toMs: 7_500, count: share(0.22) },
        { fromMs: 13_000, toMs: 14_000, count: share(0.09) },
        { fromMs: 180_000, toMs: 190_000, count: share(0.03) },
      ].filter(({ count }) => count > 0),
    },
    errorCodes: [
      { code: '2', count: Math.round(failed * 0.55) },
      { code: '4', count: Math.round(failed * 0.3) },
      { code: '317', count: Math.round(failed * 0.15) },
    ].filter(({ count }) => count > 0),
    otherErrorCodes: 0,
    destinations: [
      {
        callingCode: '49',
        regions: ['DE'],
        messages: share(0.6),
        delivered: share(0.57),
        failed: share(0.02),
        expired: 0,
      },
      {
        callingCode: '44',
        regions: ['GB', 'GG', 'IM', 'JE'],
        messages: share(0.3),
        delivered: share(0.28),
        failed: share(0.01),
        expired: share(0.01),
      },
      {
        callingCode: null,
        regions: [],
        messages: share(0.1),
        delivered: share(0.08),
        failed: 0,
        expired: 0,
      },
    ].filter((row) => row.messages > 0),
    otherDestinations: 0,
    gaps:
      known === 0
        ? []
        : [
            {
              from: new Date(gapFromMs).toISOString(),
              to: new Date(gapFromMs + 2.2 * hourMs).toISOString(),
              durationMs: 2.2 * hourMs,
              proven: true,
              reason: 'closed',
            },
          ],
    gapsTotal: known === 0 ? 0 : 1,
    recordedSince: ago(40 * dayMs),
    asOf: ago(0),
  }
}

/** Service totals over a range of days, and those of local events. */
export function scriptedAnalytics(tasks: ScriptedTasks): Script['analytics'] {
  function daysOf(span: DaySpan): DayFigures[] {
    const length = daysIn(span)
    if (length > 31)
      throw new AppError('INVALID_INPUT', { detail: 'a day-by-day period has at most 31 days' })
    return Array.from({ length }, (_item, at) => {
      const day = new Date(startOf(span.startDate) + at * dayMs).toISOString().slice(0, 10)
      return { day, overview: null, asOf: null, complete: false }
    })
  }
  const openDays = (span: DaySpan) =>
    daysOf(span).filter(({ day, complete }) => startOf(day) <= Date.now() && !complete)

  return {
    overview: (span) => ({ overview: ordinaryOverview(span), freshness: live() }),
    billing: (span) => ({ billing: ordinaryBilling(span), freshness: live() }),
    days: (span) => {
      const requests = openDays(span).length
      return { days: daysOf(span), requests, estimateMs: requests * 400, taskId: null }
    },
    readDays: (span) => {
      const open = openDays(span)
      return tasks.finish({
        kind: 'analytics-days',
        subject: `${span.startDate} to ${span.endDate}`,
        refId: `${span.startDate} to ${span.endDate}`,
        progress: { done: open.length, total: open.length, unit: 'requests' },
      })
    },
    local: ordinaryLocal,
    failures: () => ({
      groups: [
        { code: '2', callingCode: '49', regions: ['DE'], count: 120 },
        { code: '1', callingCode: null, regions: [], count: 14 },
      ],
      others: 3,
      newestOf: null,
      asOf: new Date().toISOString(),
    }),
  }
}

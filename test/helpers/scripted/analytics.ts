import type { Gap } from '#contract/live/events.ts'
import type { DaySpan, LocalAnalytics } from '#contract/views/analytics.ts'
import type { AnalyticsOverview, BillingSummary } from '#contract/domain.ts'
import type { Script } from './script.ts'
import { ago, dayMs, hourMs, live } from './broadcast.ts'

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)
const daysIn = ({ startDate, endDate }: DaySpan) => (startOf(endDate) - startOf(startDate)) / dayMs + 1

/** A hundredth of the messages: more in longer periods, another number after each day. */
const unitOf = (span: DaySpan) => daysIn(span) * (400 + new Date(startOf(span.endDate)).getUTCDate())

/** The service’s totals. */
export function ordinaryOverview(span: DaySpan): AnalyticsOverview {
  const unit = unitOf(span)
  return {
    totalMessages: 100 * unit,
    delivered: 94 * unit,
    failed: 3 * unit,
    revenue: 4.2 * unit,
    cost: 3.1 * unit,
    margin: 1.1 * unit,
  }
}

/** Two currencies, whose sum belongs to neither. */
export function ordinaryBilling(span: DaySpan): BillingSummary {
  const unit = unitOf(span)
  return {
    totalRevenue: 4.2 * unit,
    totalCost: 3.1 * unit,
    totalMargin: 1.1 * unit,
    byCurrency: [
      { currency: 'EUR', revenue: 3 * unit, cost: 2 * unit },
      { currency: 'USD', revenue: 1.2 * unit, cost: 1.1 * unit },
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

const destination = (callingCode: string | null, regions: string[], messages: number) => ({
  callingCode,
  regions,
  messages,
  delivered: messages - 30,
  failed: 20,
  expired: 10,
})

/** Events in every part of a period until now, with one gap. */
export function ordinaryLocal(of: { from: string; to: string; bucketMs: number }): LocalAnalytics {
  const { from, to, bucketMs } = of
  const fromMs = Date.parse(from)
  const buckets = Math.ceil((Date.parse(to) - fromMs) / bucketMs)
  const known = Math.max(0, Math.min(buckets, Math.floor((Date.now() - fromMs) / bucketMs)))
  const lines = linesOf.map(([name, height, period]) => ({
    name,
    counts: Array.from({ length: buckets }, (_item, at) =>
      at < known ? Math.round(height * (1.1 + Math.sin(at / period))) : 0,
    ),
  }))
  const gapFromMs = fromMs + Math.round(known * 0.4) * bucketMs
  const gap: Gap = {
    from: new Date(gapFromMs).toISOString(),
    to: new Date(gapFromMs + 2.2 * hourMs).toISOString(),
    durationMs: 2.2 * hourMs,
    proven: true,
    reason: 'closed',
  }
  return {
    from,
    to,
    series: { bucketMs, from, lines, asOf: ago(0) },
    outcomes: [
      { name: 'delivered', count: 9_300 },
      { name: 'failed', count: 310 },
      { name: 'expired', count: 120 },
      { name: 'submitted', count: 200 },
      { name: 'buffered_by_carrier', count: 30 },
    ],
    otherOutcomes: 0,
    latency: {
      measured: 9_200,
      p50Ms: 3_240,
      p90Ms: 11_800,
      p99Ms: 184_000,
      bins: [
        { fromMs: 900, toMs: 950, count: 400 },
        { fromMs: 3_000, toMs: 3_300, count: 5_400 },
        { fromMs: 7_000, toMs: 7_500, count: 3_100 },
        { fromMs: 180_000, toMs: 190_000, count: 300 },
      ],
    },
    errorCodes: [
      { code: '2', count: 170 },
      { code: '4', count: 93 },
      { code: '317', count: 47 },
    ],
    otherErrorCodes: 0,
    destinations: [
      destination('49', ['DE'], 6_000),
      destination('44', ['GB', 'GG', 'IM', 'JE'], 3_000),
      destination(null, [], 1_000),
    ],
    otherDestinations: 0,
    gaps: known === 0 ? [] : [gap],
    gapsTotal: known === 0 ? 0 : 1,
    recordedSince: ago(40 * dayMs),
    asOf: ago(0),
  }
}

/** Service totals over a range of days, and those of local events. */
export function scriptedAnalytics(): Script['analytics'] {
  return {
    overview: (span) => ({ overview: ordinaryOverview(span), freshness: live() }),
    billing: (span) => ({ billing: ordinaryBilling(span), freshness: live() }),
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

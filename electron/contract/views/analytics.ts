import * as z from 'zod'
import { freshnessSchema, isoTime, procedure } from '../define.ts'
import { analyticsOverviewSchema, billingSummarySchema } from '../domain.ts'
import { eventSeriesSchema, gapSchema } from '../live/events.ts'

/** First and last day as `2026-01-31`, UTC. The spec doesn't say whether the last day is included. */
const daySpanSchema = z.object({ startDate: z.iso.date(), endDate: z.iso.date() })
export type DaySpan = z.infer<typeof daySpanSchema>

/** Bucket widths of local analytics, milliseconds: minute, hour, UTC day. */
export const localBucketsMs = [60_000, 3_600_000, 86_400_000] as const

/** Most rows of a ranking; the rest is counted together. */
export const rankingMax = 100

const countSchema = z.object({ name: z.string(), count: z.int() })

/** Failed reports of a period by error code and destination, largest group first. */
export const failureGroupsSchema = z.object({
  groups: z.array(
    z.object({
      code: z.string(),
      /** Null when the number isn't in international form. */
      callingCode: z.string().nullable(),
      regions: z.array(z.string()),
      count: z.int(),
    }),
  ),
  /** Reports in groups beyond the list. */
  others: z.int(),
  /** How many of the newest events were read; null when the whole period was read. */
  newestOf: z.int().nullable(),
  asOf: isoTime,
})
export type FailureGroups = z.infer<typeof failureGroupsSchema>

/** Local events of a period. Counts only what this computer received. */
export const localAnalyticsSchema = z.object({
  from: isoTime,
  to: isoTime,
  /** Events by status per bucket. */
  series: eventSeriesSchema,
  /** Messages whose first report arrived in the period, by their furthest known status; most first. */
  outcomes: z.array(countSchema),
  /** Messages with outcomes beyond the list. */
  otherOutcomes: z.int(),
  /** From a message's first `submitted` to its first `delivered`, both as received here. */
  latency: z.object({
    /** Messages of the period with both reports in this order. */
    measured: z.int(),
    /** Milliseconds, accurate to 10 %; null when nothing was measured. */
    p50Ms: z.number().nullable(),
    p90Ms: z.number().nullable(),
    p99Ms: z.number().nullable(),
    /** Non-empty bins, ascending. */
    bins: z.array(z.object({ fromMs: z.number(), toMs: z.number(), count: z.int() })),
  }),
  /** Reports by error code, most first. */
  errorCodes: z.array(z.object({ code: z.string(), count: z.int() })),
  otherErrorCodes: z.int(),
  /** Messages by the country calling code of their number, most first. */
  destinations: z.array(
    z.object({
      /** Digits; null when the number is missing or not in international form. */
      callingCode: z.string().nullable(),
      /** Regions that share the code (ISO 3166-1 alpha-2), the main one first. */
      regions: z.array(z.string()),
      messages: z.int(),
      delivered: z.int(),
      /** Failed or rejected. */
      failed: z.int(),
      expired: z.int(),
    }),
  ),
  otherDestinations: z.int(),
  /** Gaps that overlap the period, newest first; at most 500. */
  gaps: z.array(gapSchema),
  gapsTotal: z.int(),
  /** When this computer first listened; nothing is known before. Null if it never did. */
  recordedSince: isoTime.nullable(),
  asOf: isoTime,
})
export type LocalAnalytics = z.infer<typeof localAnalyticsSchema>

/** The service's totals, and statistics of local events. */
export const analyticsContract = {
  /** Service totals of a period; the last stored ones when the service can't be reached. ANALYTICS_DATES_REFUSED. */
  overview: procedure
    .input(daySpanSchema)
    .output(z.object({ overview: analyticsOverviewSchema, freshness: freshnessSchema })),
  /** Like `overview`, by currency. */
  billing: procedure
    .input(daySpanSchema)
    .output(z.object({ billing: billingSummarySchema, freshness: freshnessSchema })),
  /** `from` and `to` must be whole hours. INVALID_INPUT otherwise, or for more than 1,440 buckets. */
  local: procedure
    .input(z.object({ from: isoTime, to: isoTime, bucketMs: z.literal(localBucketsMs) }))
    .output(localAnalyticsSchema),
  /** From local events. INVALID_INPUT for an invalid period. */
  failures: procedure.input(z.object({ from: isoTime, to: isoTime })).output(failureGroupsSchema),
}

import * as z from 'zod'
import { freshnessSchema, isoTime, procedure } from './define.ts'
import { analyticsOverviewSchema, billingSummarySchema } from './domain.ts'
import { eventSeriesSchema, holeSchema } from './events.ts'

/** First and last day, `2026-01-31`, in UTC. Whether the service counts the last day in is not stated by it. */
const daySpanSchema = z.object({ startDate: z.iso.date(), endDate: z.iso.date() })
export type DaySpan = z.infer<typeof daySpanSchema>

/** One day of the service's figures, as it was read. */
const dayFiguresSchema = z.object({
  /** `2026-01-31`, UTC. */
  day: z.string(),
  /** Null while it was not read. */
  overview: analyticsOverviewSchema.nullable(),
  asOf: isoTime.nullable(),
  /** True for a day that was over when it was read: it is not asked for again. */
  complete: z.boolean(),
})
export type DayFigures = z.infer<typeof dayFiguresSchema>

/** Widths of the buckets of the local analytics, milliseconds: a minute, an hour, a UTC day. */
export const localBucketsMs = [60_000, 3_600_000, 86_400_000] as const

/** Rows of the rankings at most; what is rarer is counted together. */
export const rankingMax = 100

const countSchema = z.object({ name: z.string(), count: z.int() })

/** Failed reports of a period by error code and destination, largest group first. */
export const failureGroupsSchema = z.object({
  groups: z.array(
    z.object({
      code: z.string(),
      /** Null where the number is not in international form. */
      callingCode: z.string().nullable(),
      regions: z.array(z.string()),
      count: z.int(),
    }),
  ),
  /** Reports in groups beyond the list. */
  others: z.int(),
  /** How many of the newest events were read; null when the whole period was. */
  newestOf: z.int().nullable(),
  asOf: isoTime,
})
export type FailureGroups = z.infer<typeof failureGroupsSchema>

/** What the events kept here say of a span. All of it counts what arrived at this console, and nothing else. */
export const localAnalyticsSchema = z.object({
  from: isoTime,
  to: isoTime,
  /** Arrivals by status per bucket. */
  series: eventSeriesSchema,
  /** Messages of which a report was first heard in the span, by the furthest status known now; most first. */
  outcomes: z.array(countSchema),
  /** Messages whose outcome is too rare to be listed. */
  otherOutcomes: z.int(),
  /** From a message's first `submitted` to its first `delivered`, as both arrived here. */
  latency: z.object({
    /** Messages of the span of which both arrived, in this order. */
    measured: z.int(),
    /** Milliseconds, to within a tenth; null where nothing was measured. */
    p50Ms: z.number().nullable(),
    p90Ms: z.number().nullable(),
    p99Ms: z.number().nullable(),
    /** Those that are not empty, rising. */
    bins: z.array(z.object({ fromMs: z.number(), toMs: z.number(), count: z.int() })),
  }),
  /** Reports by error code, most first. */
  errorCodes: z.array(z.object({ code: z.string(), count: z.int() })),
  otherErrorCodes: z.int(),
  /** Messages by the country calling code of their number, most first. */
  destinations: z.array(
    z.object({
      /** Digits; null where the number was missing or not in international form. */
      callingCode: z.string().nullable(),
      /** Regions that share the code, ISO 3166-1 alpha-2, the main one first. */
      regions: z.array(z.string()),
      messages: z.int(),
      delivered: z.int(),
      /** Failed or rejected. */
      failed: z.int(),
      expired: z.int(),
    }),
  ),
  otherDestinations: z.int(),
  /** Holes of the listener's record that reach into the span, newest first; at most 500. */
  holes: z.array(holeSchema),
  holesTotal: z.int(),
  /** When this console began to listen; before it nothing is known. Null when it never did. */
  recordedSince: isoTime.nullable(),
  asOf: isoTime,
})
export type LocalAnalytics = z.infer<typeof localAnalyticsSchema>

/** The service's figures over a range of days, and those of the events kept here. */
export const analyticsContract = {
  /**
   * The service's own figures of a span. Answers with the last ones kept for the same span, marked so, when it cannot be asked.
   * Errors: ANALYTICS_DATES_REFUSED.
   */
  overview: procedure
    .input(daySpanSchema)
    .output(z.object({ overview: analyticsOverviewSchema, freshness: freshnessSchema })),
  /** As `overview`, by currency. */
  billing: procedure
    .input(daySpanSchema)
    .output(z.object({ billing: billingSummarySchema, freshness: freshnessSchema })),
  /** What is kept of each day of a span, and what reading the others costs. INVALID_INPUT for more than 31 days. */
  days: procedure.input(daySpanSchema).output(
    z.object({
      days: z.array(dayFiguresSchema),
      /** Requests that `readDays` would send: days that are neither complete nor to come. */
      requests: z.int(),
      /** How long they would take inside the budget, milliseconds. */
      estimateMs: z.number(),
      /** The reading of this span that is under way, or null. */
      taskId: z.string().nullable(),
    }),
  ),
  /** Reads the days of a span one by one, as a task. What was read stays when it is cancelled. */
  readDays: procedure.input(daySpanSchema).output(z.object({ taskId: z.string() })),
  /** `from` and `to` at whole hours. INVALID_INPUT for other times and for more than 1,440 buckets. */
  local: procedure
    .input(z.object({ from: isoTime, to: isoTime, bucketMs: z.literal(localBucketsMs) }))
    .output(localAnalyticsSchema),
  /** From local events. INVALID_INPUT for an invalid period. */
  failures: procedure.input(z.object({ from: isoTime, to: isoTime })).output(failureGroupsSchema),
}

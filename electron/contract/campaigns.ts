import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { guardModeSchema, guardRulesSchema, guardSchema, guardTripSchema } from './campaign-guards.ts'
import { errorViewSchema, freshnessSchema, isoTime, procedure } from './define.ts'
import { campaignSchema } from './domain.ts'
import { campaignStatuses } from './words.ts'

/** How the core reads running campaigns now, and why it does not read them oftener. */
export const campaignWatchSchema = z.object({
  /** Milliseconds from one reading to the next. */
  periodMs: z.number(),
  because: z.enum([
    'receipt',
    'looked-at',
    'guarded',
    'nobody-looks',
    'long-list',
    'budget-low',
    'rate-limited',
  ]),
  /** The last reading that succeeded. Guards looked then, and not since. */
  readAt: isoTime.nullable(),
  /** Why the last reading failed. */
  problem: errorViewSchema.nullable(),
  /** How many campaigns run, as last read; null before. */
  running: z.int().nullable(),
})
export type CampaignWatchState = z.infer<typeof campaignWatchSchema>

/** How one campaign moves, from stored readings of it. */
export const campaignMotionSchema = z.object({
  id: z.string(),
  /** The newest reading. */
  readAt: isoTime.nullable(),
  /** Messages per minute over the last five minutes. Null where it cannot be told: not running, too few or too old readings. */
  ratePerMinute: z.number().nullable(),
  /** Milliseconds to the last recipient at that rate; null where it cannot be told. */
  etaMs: z.number().nullable(),
  /** How long the sent count has not moved while running; null where it moves or that cannot be told. */
  stillMs: z.number().nullable(),
  /** True when it has not moved for so long that somebody should look, though recipients are left. */
  stalled: z.boolean(),
  /** Sent per bucket, oldest first; null where nobody read. */
  spark: z.array(z.number().nullable()),
  sparkBucketMs: z.number(),
  /** The guard that watches it: its own or the usual one. */
  guard: z.object({ mode: guardModeSchema, own: z.boolean(), tripped: z.boolean() }),
})
export type CampaignMotion = z.infer<typeof campaignMotionSchema>

/** Counts as they were from `at` to `until`, by readings in between. */
export const campaignPointSchema = z.object({
  at: isoTime,
  until: isoTime,
  sent: z.number().nullable(),
  failed: z.number().nullable(),
  status: z.string().nullable(),
  /** True when nobody read for long before it: the line is broken there. */
  afterGap: z.boolean(),
})
export type CampaignPoint = z.infer<typeof campaignPointSchema>

/**
 * What a pause really did, from readings after it. `sent`: the request left and nothing is proven yet; `reading`: paused, and
 * the count is watched; then one end: `settled` (the count stood still), `still-moving` (watched for half an hour),
 * `left-paused` (it is no longer paused), `no-count` (the service gives none), `not-paused` (it was never seen paused), `not-read` (the
 * service knows it no more, or it could not be read for half an hour).
 */
export const pauseReceiptSchema = z.object({
  id: z.int(),
  campaignId: z.string(),
  title: z.string(),
  by: z.enum(['operator', 'all', 'guard']),
  state: z.enum([
    'sent',
    'reading',
    'settled',
    'still-moving',
    'left-paused',
    'no-count',
    'not-paused',
    'not-read',
  ]),
  /** When the request left. */
  sentAt: isoTime,
  /** When the campaign was first read as paused. */
  pausedAt: isoTime.nullable(),
  /** sent_count before the request, as answered by the pause, and at the last reading. */
  sentBefore: z.number().nullable(),
  sentAtPause: z.number().nullable(),
  sentLast: z.number().nullable(),
  failedAtPause: z.number().nullable(),
  failedLast: z.number().nullable(),
  /** The count last rose between these two readings; null when it did not rise. */
  movedAfter: isoTime.nullable(),
  movedUntil: isoTime.nullable(),
  readAt: isoTime.nullable(),
  reads: z.int(),
  /** Longest time between two readings: what happened within it is known no closer. */
  longestGapMs: z.number(),
  endedAt: isoTime.nullable(),
  /** The status at the last reading. */
  status: z.string().nullable(),
})
export type PauseReceipt = z.infer<typeof pauseReceiptSchema>

/** One campaign of a pause of all. `left-out`: it began to run after the question, so it was not paused. */
export const pauseAllItemSchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['waiting', 'pausing', 'paused', 'already-paused', 'not-running', 'refused', 'unknown']),
  sentBefore: z.number().nullable(),
  error: errorViewSchema.nullable(),
})
export const pauseAllRunSchema = z.object({
  id: z.string(),
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  items: z.array(pauseAllItemSchema),
  /** Campaigns that began to run after the question: not paused. */
  newOnes: z.array(z.object({ id: z.string(), title: z.string() })),
  /** Why the list could not be read again afterwards, so that new ones are not known. */
  problem: errorViewSchema.nullable(),
})
export type PauseAllRun = z.infer<typeof pauseAllRunSchema>

/** Campaigns whose status was read as another one than before, as read at `readAt`; none where only guards or pauses did something. */
export const campaignChangesSchema = z.object({
  items: z.array(z.object({ campaign: campaignSchema, readAt: isoTime })),
})
export type CampaignChanges = z.infer<typeof campaignChangesSchema>

const spans = ['1h', '24h', '30d'] as const
export const historySpanSchema = z.enum(spans)
export type HistorySpan = z.infer<typeof historySpanSchema>

const confirmName = z.string().optional()
const byId = z.object({ id: z.string().min(1) })

export const campaignsContract = {
  /**
   * One page of the service's list. Answers with the last known page, marked so, when the service cannot be asked. `poll`: asked
   * again and again by a page; answered from what was read within the core's present period, by it or for another page, where that is.
   */
  list: procedure
    .input(
      z.object({
        page: z.int().min(1).default(1),
        perPage: z.int().min(1).max(100).default(20),
        status: z.enum(campaignStatuses).optional(),
        poll: z.boolean().default(false),
      }),
    )
    .output(
      z.object({
        items: z.array(campaignSchema),
        total: z.int(),
        page: z.int(),
        perPage: z.int(),
        freshness: freshnessSchema,
      }),
    ),
  /** Answers at once, and as soon as the core knows of another status of a campaign, whoever brought it about, or a guard did something. */
  watch: procedure.output(eventIterator(campaignChangesSchema)),
  /** How these campaigns move, from what is stored: asks nobody. */
  motion: procedure
    .input(z.object({ ids: z.array(z.string()).max(100) }))
    .output(z.object({ items: z.array(campaignMotionSchema), watch: campaignWatchSchema })),
  /** One campaign with all that is kept of it. SERVICE_NOT_FOUND, and the errors of a call when nothing is kept. */
  detail: procedure
    .input(byId.extend({ span: historySpanSchema.default('1h'), poll: z.boolean().default(false) }))
    .output(
      z.object({
        campaign: campaignSchema,
        freshness: freshnessSchema,
        motion: campaignMotionSchema,
        /** Oldest first, at most 600. */
        points: z.array(campaignPointSchema),
        /** Newest first, at most 20. */
        receipts: z.array(pauseReceiptSchema),
        /** Its own guard; null when it has none. */
        guard: guardSchema.nullable(),
        usualGuard: guardSchema.nullable(),
        /** Newest first, at most 20. */
        trips: z.array(guardTripSchema),
        watch: campaignWatchSchema,
      }),
    ),
  /**
   * Pauses a running campaign: reads it, pauses it, reads it again. The console cannot resume it: the service offers no such call.
   * Errors: CAMPAIGN_NOT_RUNNING, PAUSE_NOT_CONFIRMED, CONFIRMATION_MISMATCH on a production connection.
   */
  pause: procedure.input(byId.extend({ confirmName })).output(
    z.object({
      campaign: campaignSchema,
      /** sent_count read just before the pause; null when the service did not say. */ sentBefore: z
        .number()
        .nullable(),
    }),
  ),
  /** Every running campaign, read now over all pages. `complete` is false when there are more than the core reads. */
  running: procedure.output(
    z.object({ items: z.array(campaignSchema), complete: z.boolean(), asOf: isoTime }),
  ),
  /**
   * Reads the list again and pauses each of `ids` that runs, one request each; what fails does not stop the others. Goes on when
   * the page is closed. While one is under way, it is what is answered. Errors: CONFIRMATION_MISMATCH on a production
   * connection, and those of a call when the list cannot be read: then nothing was paused.
   */
  pauseAll: procedure
    .input(z.object({ ids: z.array(z.string().min(1)).min(1).max(1_000), confirmName }))
    .output(pauseAllRunSchema),
  /** The last pause of all since the console started. */
  pauseAllRun: procedure.output(z.object({ run: pauseAllRunSchema.nullable() })),
  /** Every guard that is set, with its campaign's name as last read, and when guards looked last. */
  guards: procedure.output(
    z.object({
      guards: z.array(guardSchema.extend({ title: z.string().nullable() })),
      watch: campaignWatchSchema,
    }),
  ),
  /** Sets the guard of one campaign, or the usual one with null. To arm one: CONFIRMATION_MISMATCH on a production connection. */
  setGuard: procedure
    .input(
      z.object({
        campaignId: z.string().min(1).nullable(),
        mode: guardModeSchema,
        rules: guardRulesSchema,
        confirmName,
      }),
    )
    .output(guardSchema),
  /**
   * What such a guard would trip on right now, by what was read last: asks nobody. `judged` counts the running campaigns it looked at;
   * `readAt` is when they were read, null when none was.
   */
  tryGuard: procedure
    .input(z.object({ campaignId: z.string().min(1).nullable(), rules: guardRulesSchema }))
    .output(
      z.object({
        judged: z.int(),
        readAt: isoTime.nullable(),
        /** At most 20. */
        trips: z.array(z.object({ campaignId: z.string(), title: z.string(), reading: z.string() })),
        /** How many campaigns would trip. */
        tripped: z.int(),
      }),
    ),
  /** Takes a guard away: the campaign is under the usual one again. */
  removeGuard: procedure.input(z.object({ campaignId: z.string().min(1).nullable() })).output(z.object({})),
  /** What tripped, newest first. */
  trips: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), beforeId: z.int().optional() }))
    .output(z.object({ items: z.array(guardTripSchema) })),
}

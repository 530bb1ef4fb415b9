import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import {
  alertRuleModeSchema,
  alertConditionsSchema,
  alertRuleSchema,
  triggeredAlertSchema,
} from './campaign-alert-rules.ts'
import {
  errorViewSchema,
  freshnessSchema,
  servicePage,
  isoTime,
  openCountSchema,
  procedure,
  saidSchema,
  nothing,
} from '../define.ts'
import { campaignSchema } from '../domain.ts'
import { campaignStatuses } from '../words.ts'

/** How often the core reads running campaigns, and why not more often. */
export const campaignWatchSchema = z.object({
  /** Milliseconds between readings. */
  periodMs: z.number(),
  because: z.enum([
    'receipt',
    'looked-at',
    'guarded',
    'in-background',
    'long-list',
    'budget-low',
    'rate-limited',
  ]),
  /** The last successful reading, when the rules were last checked. */
  readAt: isoTime.nullable(),
  /** Why the last reading failed. */
  problem: errorViewSchema.nullable(),
  /** Running campaigns at the last reading; null before the first. */
  running: openCountSchema.nullable(),
})
export type CampaignWatchState = z.infer<typeof campaignWatchSchema>

/** Progress of one campaign, from stored readings. */
export const campaignMotionSchema = z.object({
  id: z.string(),
  /** The newest reading. */
  readAt: isoTime.nullable(),
  /** Messages per minute over the five minutes before `readAt`. Null when not running or without enough readings. */
  ratePerMinute: z.number().nullable(),
  /** Milliseconds until the last recipient at that rate; null when unknown. */
  etaMs: z.number().nullable(),
  /** How long the sent count hasn't moved while running; null when it moves or is unknown. */
  stillMs: z.number().nullable(),
  /** True when recipients are left and nothing has moved for too long. */
  stalled: z.boolean(),
  /** Sent per bucket, oldest first; null where nothing was read. */
  spark: z.array(z.number().nullable()),
  /** The rule that applies: its own or the default. */
  alertRule: z.object({ mode: alertRuleModeSchema, own: z.boolean(), tripped: z.boolean() }),
})
export type CampaignMotion = z.infer<typeof campaignMotionSchema>

/** Counts that held from `at` until `until`. */
export const campaignPointSchema = z.object({
  at: isoTime,
  until: isoTime,
  sent: z.number().nullable(),
  failed: z.number().nullable(),
  status: z.string().nullable(),
  /** True after a long time without readings: the chart breaks the line here. */
  afterGap: z.boolean(),
})
export type CampaignPoint = z.infer<typeof campaignPointSchema>

/**
 * Measured effect of a pause. `sent`: unproven; `reading`: paused, and the count is being watched. Ends: `settled`
 * (the count stopped), `still-moving` (after half an hour), `left-paused` (no longer paused), `no-count` (the service
 * gives none), `not-paused` (never read as paused), `not-read` (gone from the service, or unreadable for half an
 * hour).
 */
export const pauseReceiptSchema = z.object({
  id: z.int(),
  campaignId: z.string(),
  title: z.string(),
  by: z.enum(['operator', 'all', 'alert-rule']),
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
  /** First reading as paused. */
  pausedAt: isoTime.nullable(),
  /** sent_count before the request, in the response to the pause, and at the last reading. */
  sentBefore: z.number().nullable(),
  sentAtPause: z.number().nullable(),
  sentLast: z.number().nullable(),
  /** The count last rose between these two readings; null if it didn't. */
  movedAfter: isoTime.nullable(),
  movedUntil: isoTime.nullable(),
  readAt: isoTime.nullable(),
  reads: z.int(),
  /** Longest time between two readings: the accuracy of the times above. */
  longestGapMs: z.number(),
  endedAt: isoTime.nullable(),
  /** Status at the last reading. */
  status: z.string().nullable(),
})
export type PauseReceipt = z.infer<typeof pauseReceiptSchema>

/** One campaign of a pause-all. */
export const pauseAllItemSchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['pausing', 'paused', 'already-paused', 'not-running', 'refused', 'unknown']),
  receipt: pauseReceiptSchema.nullable(),
  error: errorViewSchema.nullable(),
})
export const pauseAllRunSchema = z.object({
  id: z.string(),
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  items: z.array(pauseAllItemSchema),
  /** Campaigns that started after the operator confirmed; not paused. */
  newOnes: z.array(z.object({ id: z.string(), title: z.string() })),
  /** Why `newOnes` is unknown: the list couldn't be read again. */
  problem: errorViewSchema.nullable(),
})
export type PauseAllRun = z.infer<typeof pauseAllRunSchema>

/** Campaigns with a new status, alert or rule, as read at `readAt`. Empty when only something unlisted changed. */
export const campaignChangesSchema = z.object({
  items: z.array(z.object({ campaign: campaignSchema, readAt: isoTime, motion: campaignMotionSchema })),
})
export type CampaignChanges = z.infer<typeof campaignChangesSchema>

export const historySpanSchema = z.enum(['1h', '24h', '30d'])
export type HistorySpan = z.infer<typeof historySpanSchema>

const confirmName = z.string().optional()
const byId = z.object({ id: z.string().min(1) })

export const campaignsContract = {
  /**
   * One page of the service's list; the last known page when the service can't be reached. `poll`: a periodic
   * refresh, answered from the core's current reading if it has one.
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
      servicePage(campaignSchema).extend({
        /** Of the running items. */
        motions: z.array(campaignMotionSchema),
        watch: campaignWatchSchema,
      }),
    ),
  /** Current state, then each status change of a campaign, from any cause, and each alert or pause. */
  watch: procedure.output(eventIterator(campaignChangesSchema)),
  /** Progress of campaigns from stored readings. Sends no request. */
  motion: procedure
    .input(z.object({ ids: z.array(z.string()).max(100) }))
    .output(z.object({ items: z.array(campaignMotionSchema), watch: campaignWatchSchema })),
  /** One campaign with all stored data. SERVICE_NOT_FOUND, or the request's errors when nothing is stored. */
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
        /** Null when it has none. */
        alertRule: alertRuleSchema.nullable(),
        defaultAlertRule: alertRuleSchema.nullable(),
        /** Newest first, at most 20. */
        trips: z.array(triggeredAlertSchema),
        /** The colleague whose alert rule paused it last; null if none did. */
        pausedBy: z.object({ name: z.string(), at: isoTime }).nullable(),
        watch: campaignWatchSchema,
      }),
    ),
  /**
   * Pauses a campaign, then reads it to confirm. The API offers no resume. CAMPAIGN_NOT_RUNNING,
   * CAMPAIGN_ALREADY_PAUSED, PAUSE_NOT_CONFIRMED, CONFIRMATION_MISMATCH on production.
   */
  pause: procedure
    .input(byId.extend({ confirmName }))
    /** `receipt` is null if it was deleted meanwhile. */
    .output(z.object({ campaign: campaignSchema, receipt: pauseReceiptSchema.nullable() })),
  /**
   * All running campaigns, read in this period or now; as last read if that fails. `complete` is false when there
   * may be more.
   */
  running: procedure.output(
    z.object({ items: z.array(campaignSchema), complete: z.boolean(), asOf: isoTime }),
  ),
  /**
   * Pauses each campaign of `ids` at once; failures don't stop the others. Then reads the list for others that run.
   * Continues when the page closes; while one runs, returns that one. CONFIRMATION_MISMATCH on production.
   */
  pauseAll: procedure
    .input(z.object({ ids: z.array(z.string().min(1)).min(1).max(1_000), confirmName }))
    .output(pauseAllRunSchema),
  /** The last pause-all since Switchboard started. */
  pauseAllRun: procedure.output(z.object({ run: pauseAllRunSchema.nullable() })),
  /** All alert rules with the campaigns' last known names. */
  alertRules: procedure.output(
    z.object({
      alertRules: z.array(alertRuleSchema.extend({ title: z.string().nullable() })),
      watch: campaignWatchSchema,
      /** Campaigns that run again though their last pause, of the last day, was confirmed. */
      resumed: z.array(pauseReceiptSchema),
    }),
  ),
  /** Sets the rule of a campaign, or the default with null. CONFIRMATION_MISMATCH when arming on production. */
  setAlertRule: procedure
    .input(
      z.object({
        campaignId: z.string().min(1).nullable(),
        mode: alertRuleModeSchema,
        rules: alertConditionsSchema,
        confirmName,
      }),
    )
    .output(alertRuleSchema),
  /**
   * What a rule would trigger on now, from the last reading. Sends no request. `judged` counts the campaigns checked;
   * `readAt` is null when nothing was read.
   */
  tryAlertRule: procedure
    .input(z.object({ campaignId: z.string().min(1).nullable(), rules: alertConditionsSchema }))
    .output(
      z.object({
        judged: z.int(),
        readAt: isoTime.nullable(),
        /** At most 20. */
        trips: z.array(
          z.object({ campaignId: z.string(), title: z.string(), readings: z.array(saidSchema) }),
        ),
        /** Campaigns that would trigger it. */
        tripped: z.int(),
      }),
    ),
  /** Removes a rule; the default then applies to the campaign. */
  removeAlertRule: procedure.input(z.object({ campaignId: z.string().min(1).nullable() })).output(nothing),
  /** Triggered alerts, newest first. */
  trips: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50) }))
    .output(z.object({ items: z.array(triggeredAlertSchema) })),
}

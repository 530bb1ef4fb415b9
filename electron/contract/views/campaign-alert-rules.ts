import * as z from 'zod'
import { isoTime, saidSchema } from '../define.ts'

/**
 * When failures are too many: red everywhere, and the default rule's limit. Fewer than `minSent` messages may be chance. The last `minutes`
 * are looked at again and again, so they need twice as many.
 */
export const tooManyFailed = { percent: 10, minSent: 100, minutes: 15 } as const

/** A share in percent with one decimal, as it is shown. Limits are compared with it, so that no figure contradicts a colour or an alert. */
export const shownPercent = (part: number, whole: number): number => Math.round((part / whole) * 1_000) / 10

/**
 * Failed ÷ sent of a campaign, once at least `minSent` were sent in all, or twice as many in the last
 * `tooManyFailed.minutes`. Divides by failed when
 * that is more than sent.
 */
export const failedShareRule = z.object({
  percent: z.number().min(0.1).max(100),
  minSent: z.int().min(1).max(10_000_000),
})
/** `sent_count` hasn't moved for `minutes` while the campaign ran, with no gap in the readings. */
const stalledRule = z.object({ minutes: z.int().min(1).max(1_440) })
/**
 * Share of final delivery reports with this error code (null: any) in the last `minutes`, once there are
 * `minReports`. Covers all traffic: the spec links no report to a campaign.
 */
const errorShareRule = z.object({
  code: z.int().nullable(),
  percent: z.number().min(0.1).max(100),
  minReports: z.int().min(1).max(1_000_000),
  minutes: z.int().min(1).max(60),
})

/** Rules of an alert; null where a rule is off. */
export const alertConditionsSchema = z.object({
  failedShare: failedShareRule.nullable(),
  stalled: stalledRule.nullable(),
  errorShare: errorShareRule.nullable(),
})
export type AlertConditions = z.infer<typeof alertConditionsSchema>
const alertConditionNameSchema = z.enum(['failed-share', 'stalled', 'error-share'])
export type AlertConditionName = z.infer<typeof alertConditionNameSchema>

/** `notify` alerts; `armed` also pauses the campaign once. `off` on a campaign excludes it from the default rule. */
export const alertRuleModeSchema = z.enum(['off', 'notify', 'armed'])
export type AlertRuleMode = z.infer<typeof alertRuleModeSchema>

/** Alert rules of one campaign, or with `campaignId` null the default for running campaigns without their own. */
export const alertRuleSchema = z.object({
  campaignId: z.string().nullable(),
  mode: alertRuleModeSchema,
  rules: alertConditionsSchema,
  /** Set after an auto-pause: the mode is `notify` until someone arms it again. */
  disarmedAt: isoTime.nullable(),
  /** Who of the team turned on auto-pause, which here only notifies until someone turns it on too; null otherwise. */
  armedBy: z.string().nullable(),
})
export type AlertRule = z.infer<typeof alertRuleSchema>

/** From which share a figure is red: that of the default alert rule unless it is off. */
export const failureLimitOf = (rule: Pick<AlertRule, 'mode' | 'rules'> | null): FailureLimit =>
  (rule && rule.mode !== 'off' && rule.rules.failedShare) || tooManyFailed
export type FailureLimit = z.infer<typeof failedShareRule>

/** The default rule until the operator sets another. */
export const builtInRule: AlertRule = {
  campaignId: null,
  mode: 'notify',
  rules: {
    failedShare: { percent: tooManyFailed.percent, minSent: tooManyFailed.minSent },
    stalled: null,
    errorShare: null,
  },
  disarmedAt: null,
  armedBy: null,
}

/**
 * State of an auto-pause. `deciding` and `sent`: in progress, or were when Switchboard stopped. `not-sent`: nothing
 * was sent, so the rule is armed again. `refused`: `words` has the service's text. `unknown`: sent, but the campaign
 * still ran or couldn't be read; never retried.
 */
export const alertPauseStateSchema = z.enum([
  'deciding',
  'sent',
  'paused',
  'already-paused',
  'not-running',
  'refused',
  'unknown',
  'not-sent',
])
export type AlertPauseState = z.infer<typeof alertPauseStateSchema>

/** One triggering of a rule, from the first reading that triggered to the first that didn't. */
export const triggeredAlertSchema = z.object({
  id: z.int(),
  campaignId: z.string(),
  /** The campaign's name at the time, or its id. */
  title: z.string(),
  rule: alertConditionNameSchema,
  /** True for the campaign's own rule, false for the default. */
  own: z.boolean(),
  mode: alertRuleModeSchema,
  /** The last reading that triggered and its threshold, as text. */
  reading: saidSchema,
  firstAt: isoTime,
  lastAt: isoTime,
  /** Number of readings that triggered. */
  times: z.int(),
  clearedAt: isoTime.nullable(),
  pause: z
    .object({
      state: alertPauseStateSchema,
      decidedAt: isoTime,
      settledAt: isoTime.nullable(),
      /** Result, as text. */
      words: saidSchema.nullable(),
    })
    .nullable(),
})
export type TriggeredAlert = z.infer<typeof triggeredAlertSchema>

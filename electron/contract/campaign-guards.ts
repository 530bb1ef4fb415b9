import * as z from 'zod'
import { isoTime } from './define.ts'

/** Failed ÷ sent of one campaign, once at least `minSent` were sent. Where more failed than were sent, the failed ones count as sent. */
const failedShareRule = z.object({
  percent: z.number().min(0.1).max(100),
  minSent: z.int().min(1).max(10_000_000),
})
/** `sent_count` did not move for so long while the campaign was running, by readings without a gap. */
const stalledRule = z.object({ minutes: z.int().min(1).max(1_440) })
/**
 * Share of final delivery reports that carry an error code (`code` null: any), of all that this console got in the last
 * `minutes`, once there are `minReports`. Of all traffic: the spec gives no link between a report and a campaign.
 */
const errorShareRule = z.object({
  code: z.int().nullable(),
  percent: z.number().min(0.1).max(100),
  minReports: z.int().min(1).max(1_000_000),
  minutes: z.int().min(1).max(60),
})

/** The rules of a guard; null where a rule is off. */
export const guardRulesSchema = z.object({
  failedShare: failedShareRule.nullable(),
  stalled: stalledRule.nullable(),
  errorShare: errorShareRule.nullable(),
})
export type GuardRules = z.infer<typeof guardRulesSchema>
export type GuardRuleName = 'failed-share' | 'stalled' | 'error-share'

/** `notify` tells; `armed` pauses as well, once, and tells. A campaign's own guard that is `off` takes it out of the usual one. */
export const guardModeSchema = z.enum(['off', 'notify', 'armed'])
export type GuardMode = z.infer<typeof guardModeSchema>

/** What watches one campaign, or, with `campaignId` null, every running one that has no guard of its own. */
export const guardSchema = z.object({
  campaignId: z.string().nullable(),
  mode: guardModeSchema,
  rules: guardRulesSchema,
  setAt: isoTime,
  /** Set when a guard that was armed has paused its campaign: it is `notify` since, until somebody arms it again. */
  disarmedAt: isoTime.nullable(),
})
export type Guard = z.infer<typeof guardSchema>

/**
 * How a guard's pause went. `deciding` and `sent` are under way, or were when the console ended; `not-sent`: nothing left this
 * computer, so the guard is armed again; `refused`: the service's own words are in `words`; `unknown`: it was sent, and the
 * campaign was still running, or could not be read: it is not sent again.
 */
export const guardPauseStateSchema = z.enum([
  'deciding',
  'sent',
  'paused',
  'already-paused',
  'not-running',
  'refused',
  'unknown',
  'not-sent',
])
export type GuardPauseState = z.infer<typeof guardPauseStateSchema>

/** One time that a rule tripped: from the first reading that did to the first that no longer did. */
export const guardTripSchema = z.object({
  id: z.int(),
  campaignId: z.string(),
  /** The campaign's name then, or its id. */
  title: z.string(),
  rule: z.enum(['failed-share', 'stalled', 'error-share']),
  /** True when the campaign's own guard tripped, false for the usual one. */
  own: z.boolean(),
  mode: guardModeSchema,
  /** What was read and the threshold, in words, at the last reading that tripped. */
  reading: z.string(),
  firstAt: isoTime,
  lastAt: isoTime,
  /** How many readings tripped. */
  times: z.int(),
  clearedAt: isoTime.nullable(),
  pause: z
    .object({
      state: guardPauseStateSchema,
      decidedAt: isoTime,
      settledAt: isoTime.nullable(),
      /** What came of it, in words. */
      words: z.string().nullable(),
    })
    .nullable(),
})
export type GuardTrip = z.infer<typeof guardTripSchema>

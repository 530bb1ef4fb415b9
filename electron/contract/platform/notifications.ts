import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema, nothing } from '../define.ts'

/** Kinds of notifications. */
export const noteKindSchema = z.enum([
  'silence',
  'listener-down',
  'outage',
  'session-expired',
  'alert-rule',
  'start-missed',
  'opt-out',
  'job-done',
])
export type NoteKind = z.infer<typeof noteKindSchema>
/** Kinds that tell of an alarm: posted to the alert webhook unless the operator chooses others. */
export const alarmKinds: readonly NoteKind[] = [
  'silence',
  'listener-down',
  'outage',
  'session-expired',
  'alert-rule',
  'start-missed',
]

/** Which kinds are on. */
export const notificationSettingsSchema = z.record(noteKindSchema, z.boolean())
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>

/** What a notification says: `title` and `body` of `notes.<language>.json`. */
export const noteTextSchema = z.object({
  text: z.enum([
    'optOuts',
    'optOutsNotHeld',
    'listenerDown',
    'noSubscription',
    'noReports',
    'outage',
    'sessionExpired',
    'startMissed',
    'taskDone',
    'importDone',
    'taskFailed',
    'interrupted',
    'resumable',
    'alert',
    'failing',
    'paused',
    'notPaused',
    'pausedLater',
    'unconfirmed',
    'armedByColleague',
    'disarmedByColleague',
    'pauseFailed',
    'pausesFailed',
    'resumed',
  ]),
  values: z.record(z.string(), z.union([saidSchema, z.number()])),
  /** Shown instead of the body. */
  problem: errorViewSchema.nullable(),
})
export type NoteText = z.infer<typeof noteTextSchema>

/** A notification the host can't show natively, so the page does. */
export const noteSchema = noteTextSchema.extend({
  seq: z.int(),
  kind: noteKindSchema,
  /** Same for notes about the same thing; browsers merge notifications by it across tabs. */
  key: z.string(),
  at: isoTime,
  /** Its connection and that connection's name at the time; null for the app. */
  connection: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** Page with details, while its connection is open. */
  link: z.object({ path: z.string().startsWith('/') }).nullable(),
})
export type Note = z.infer<typeof noteSchema>

/** Format of an alert: Slack's incoming webhooks (also Mattermost, Rocket.Chat), or signed JSON. */
export const alertFormatSchema = z.enum(['slack', 'json'])
export type AlertFormat = z.infer<typeof alertFormatSchema>

/** One alert to the webhook. */
export const alertPostSchema = z.object({
  id: z.int(),
  kind: z.union([noteKindSchema, z.literal('test')]),
  title: z.string(),
  createdAt: isoTime,
  tries: z.int(),
  /** Next try; null when there is none. */
  nextAt: isoTime.nullable(),
  /** `delivered`, or why the last try failed; null before the first. */
  result: saidSchema.nullable(),
})
export type AlertPost = z.infer<typeof alertPostSchema>

/** The alert webhook. The core never returns its address or its stored signing secret. */
export const alertWebhookSchema = z.object({
  /** Host of the address; null without a webhook. */
  host: z.string().nullable(),
  format: alertFormatSchema,
  kinds: z.array(noteKindSchema),
  /** Newest first, at most 50. */
  posts: z.array(alertPostSchema),
})
export type AlertWebhook = z.infer<typeof alertWebhookSchema>

export const notificationsContract = {
  /** `native`: the host shows notifications. */
  get: procedure.output(z.object({ settings: notificationSettingsSchema, native: z.boolean() })),
  set: procedure
    .input(notificationSettingsSchema)
    .output(z.object({ settings: notificationSettingsSchema, native: z.boolean() })),
  /** Notifications not dismissed, newest first, at most 50: now, then after changes. */
  watch: procedure.output(eventIterator(z.object({ notes: z.array(noteSchema) }))),
  /** The alert webhook; again after each change. */
  watchWebhook: procedure.output(eventIterator(alertWebhookSchema)),
  /**
   * Sets the alert webhook; without `url` the address stays. A new signing secret for JSON is returned only here (Standard Webhooks,
   * `whsec_…`). Rejects with INVALID_INPUT unless the address is https, or http on this computer.
   */
  setWebhook: procedure
    .input(
      z.object({
        url: z.string().max(2_000).optional(),
        format: alertFormatSchema,
        kinds: z.array(noteKindSchema),
        newSecret: z.boolean().default(false),
      }),
    )
    .output(z.object({ secret: z.string().nullable() })),
  /** Removes address and secret, and drops waiting alerts. */
  removeWebhook: procedure.output(nothing),
  /** Sends a test alert. Its result is the newest of `posts`. */
  testWebhook: procedure.output(nothing),
  /** Dismisses one note, or all. */
  dismiss: procedure.input(z.object({ seq: z.int().optional() })).output(nothing),
}

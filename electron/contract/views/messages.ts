import * as z from 'zod'
import { errorViewSchema, freshnessSchema, isoTime, procedure, saidSchema, servicePage } from '../define.ts'
import { dncListSchema } from '../people/dnc.ts'
import { messageSchema } from '../domain.ts'
import { eventDetailSchema } from '../live/events.ts'

/** Most ids per lookup or release. */
export const messageIdsMax = 200
/** Longest id read from the service. */
export const messageIdMax = 512

const id = z.string().min(1).max(messageIdMax)
/** `uncheckedKnowingly`: also to recipients that can't be checked against the DNC list. */
const confirmed = { uncheckedKnowingly: z.boolean().default(false), confirmName: z.string().optional() }
const ids = z.array(id).min(1).max(messageIdsMax)

/**
 * Result of releasing one message. `waiting`: not started. `in-flight`: no answer yet. `released`: confirmed.
 * `not-held`: no longer held, so nothing was sent. `blocked`: the recipient mustn't be contacted, so nothing was sent. `refused`: rejected by the service. `unknown`: unconfirmed, never
 * retried automatically. `failed`: could not be sent.
 */
export const releaseStateSchema = z.enum([
  'waiting',
  'in-flight',
  'released',
  'not-held',
  'blocked',
  'refused',
  'unknown',
  'failed',
])
export type ReleaseState = z.infer<typeof releaseStateSchema>

/** One release of one message. */
export const releaseSchema = z.object({
  /** Local number; rises. */
  seq: z.int(),
  messageId: z.string(),
  state: releaseStateSchema,
  /** The service's status afterwards; null if it gave none or wasn't read. */
  statusAfter: z.string().nullable(),
  /** The service's text. */
  serviceText: z.string().nullable(),
  /** Why it was refused, unknown or failed. */
  problem: errorViewSchema.nullable(),
  /** When it was sent, or else settled; null while waiting. */
  at: isoTime.nullable(),
})
export type MessageRelease = z.infer<typeof releaseSchema>

/** An event and the arrival of each delivery. */
export const messageEventSchema = eventDetailSchema.pick({ event: true, copies: true })
export type MessageEvent = z.infer<typeof messageEventSchema>

/**
 * A record and an event that disagree. `ahead`: the event is further; `differs`: different final states; `number`:
 * different recipients.
 */
export const contradictionSchema = z.object({
  kind: z.enum(['ahead', 'differs', 'number']),
  recordSays: z.string(),
  eventSays: z.string(),
  eventSeq: z.int(),
  /** The event arrived after the record was read, so reading again may resolve it. */
  isNewer: z.boolean(),
})
export type Contradiction = z.infer<typeof contradictionSchema>

/** The campaign whose ID is a message's batch, as last read. The spec doesn't say what else a batch is. */
export const campaignOfSchema = z.object({ id: z.string(), status: z.string().nullable() })
export type CampaignOf = z.infer<typeof campaignOfSchema>

/** Everything known about one message. */
export const messageDetailSchema = z.object({
  id: z.string(),
  /**
   * `found`: read now; `last-known`: read earlier; `not-found`: unknown to the service, though an old record may
   * exist; `failed`: see `problem`, and no stored record.
   */
  outcome: z.enum(['found', 'last-known', 'not-found', 'failed']),
  record: messageSchema.nullable(),
  /** Of the record; null if there never was one. */
  freshness: freshnessSchema.nullable(),
  problem: errorViewSchema.nullable(),
  /** Local events, oldest first, at most 500. */
  events: z.array(messageEventSchema),
  /** Furthest status reported. */
  eventStatus: z.string().nullable(),
  campaign: campaignOfSchema.nullable(),
  contradictions: z.array(contradictionSchema),
  /** Releases from here, oldest first. */
  releases: z.array(releaseSchema),
})
export type MessageDetail = z.infer<typeof messageDetailSchema>

/** The local report that contradicts an answer of the service: it is further along, or has another final status. */
export const reportedHereSchema = z.object({ id: z.string(), status: z.string(), at: isoTime })
export type ReportedHere = z.infer<typeof reportedHereSchema>

export const messagesContract = {
  /**
   * One page of the service's list, unfiltered: the spec shows no filters. Any field but the id may be null. The last
   * known page when the service can't be reached. `campaigns`: those of the messages, as far as known.
   */
  list: procedure
    .input(z.object({ page: z.int().min(1).default(1), perPage: z.int().min(1).max(100).default(100) }))
    .output(servicePage(messageSchema).extend({ campaigns: z.array(campaignOfSchema) })),
  /**
   * Looks one id up at the service and in local events. `several` lowers its priority below single lookups. Service
   * errors are values.
   */
  get: procedure.input(z.object({ id, several: z.boolean().default(false) })).output(messageDetailSchema),
  /** Local reports that are further than these statuses or contradict them. Sends no request. */
  reportedHere: procedure
    .input(z.object({ answers: z.array(z.object({ id, status: z.string().nullable() })).max(messageIdsMax) }))
    .output(z.object({ reports: z.array(reportedHereSchema) })),
  /**
   * Reads the message, releases it if still held, and reads it again. A second call during a release gets the same
   * result. CONFIRMATION_MISMATCH on production; DNC_LIST_NOT_FRESH unless `uncheckedKnowingly`; the errors of the first read.
   */
  release: procedure.input(z.object({ id, ...confirmed })).output(releaseSchema),
  /**
   * What to know before a release: its duration in milliseconds, unconfirmed releases of the messages, those whose recipients mustn't be
   * contacted (`blocked`), how many have no number to check, and whether the others can be checked.
   */
  planRelease: procedure
    .input(
      z.object({
        messages: z.array(z.object({ id, to: z.string().nullable() })).max(messageIdsMax),
      }),
    )
    .output(
      z.object({
        etaMs: z.number(),
        unknown: z.array(releaseSchema),
        blocked: z.array(z.object({ id, to: z.string(), reason: saidSchema })),
        withoutNumber: z.int(),
        dncList: dncListSchema,
      }),
    ),
  /** Releases messages one by one, as a task. CONFIRMATION_MISMATCH on production; DNC_LIST_NOT_FRESH unless `uncheckedKnowingly`. */
  releaseMany: procedure
    .input(z.object({ ids, ...confirmed }))
    .output(z.object({ runId: z.string(), taskId: z.string() })),
  /** Releases of a run in order; of the newest without `runId`. Null when there is none. */
  run: procedure.input(z.object({ runId: z.string().optional() })).output(
    z
      .object({
        runId: z.string(),
        taskId: z.string().nullable(),
        /** True while its task exists; `isPaused` until the task is resumed. */
        isRunning: z.boolean(),
        isPaused: z.boolean(),
        /** Why it waits now, as messages in the outbox do; null while it goes on. */
        waits: errorViewSchema.nullable(),
        startedAt: isoTime,
        releases: z.array(releaseSchema),
      })
      .nullable(),
  ),
}

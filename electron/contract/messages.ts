import * as z from 'zod'
import { errorViewSchema, freshnessSchema, isoTime, procedure } from './define.ts'
import { messageSchema } from './domain.ts'
import { eventRowSchema } from './events.ts'

/** Most ids of one lookup and of one release. */
export const messageIdsMax = 200
/** Longest id: what the service's records are read up to. */
export const messageIdMax = 512

const id = z.string().min(1).max(messageIdMax)
const ids = z.array(id).min(1).max(messageIdsMax)

/**
 * What came of asking the service to release one message. `waiting`: not begun. `in-flight`: asked for, no answer yet.
 * `released`: the service said yes. `not-held`: it had left the hold already, so nothing was sent. `refused`: the service said no.
 * `unknown`: asked, and no answer that can be relied on; never asked again by itself. `failed`: it could not be asked.
 */
export const releaseStateSchema = z.enum([
  'waiting',
  'in-flight',
  'released',
  'not-held',
  'refused',
  'unknown',
  'failed',
])
export type ReleaseState = z.infer<typeof releaseStateSchema>

/** One release of one message, as this console wrote it down. */
export const releaseSchema = z.object({
  /** Number of the release here; rises. */
  seq: z.int(),
  messageId: z.string(),
  state: releaseStateSchema,
  /** The service's word on the message just before and after; null when it gave none or was not read. */
  statusBefore: z.string().nullable(),
  statusAfter: z.string().nullable(),
  /** What the service said to the release. */
  serviceText: z.string().nullable(),
  /** Why it was refused, unknown or failed. */
  problem: errorViewSchema.nullable(),
  /** When the request left, or else when it was settled; null while it waits. */
  at: isoTime.nullable(),
})
export type MessageRelease = z.infer<typeof releaseSchema>

/** An event of a message with the arrival of every copy. */
export const messageEventSchema = z.object({
  event: eventRowSchema,
  copies: z.array(z.object({ receivedAt: isoTime, afterFirstMs: z.number() })),
})
export type MessageEvent = z.infer<typeof messageEventSchema>

/**
 * Where the service's record and an event of the same message do not agree. `ahead`: the event is further than the record;
 * `differs`: both name an end, and not the same; `number`: they name different recipients.
 */
export const contradictionSchema = z.object({
  kind: z.enum(['ahead', 'differs', 'number']),
  recordSays: z.string(),
  eventSays: z.string(),
  eventSeq: z.int(),
  /** The event came after the record was read, so that a new reading may settle it. */
  isNewer: z.boolean(),
})
export type Contradiction = z.infer<typeof contradictionSchema>

/** Everything known of one message id. */
export const messageDetailSchema = z.object({
  id: z.string(),
  /**
   * Of the service's answer: `found` just now; `last-known`: not read now, but before; `not-found`: it does not know the id;
   * `failed`: it could not be asked, `problem` says why, and nothing was known before. A record may stand beside `not-found`: what it once was.
   */
  outcome: z.enum(['found', 'last-known', 'not-found', 'failed']),
  record: messageSchema.nullable(),
  /** Of the record; null when there never was one. */
  freshness: freshnessSchema.nullable(),
  problem: errorViewSchema.nullable(),
  /** What arrived at this console's listener about it, oldest first, at most 500. */
  events: z.array(messageEventSchema),
  /** The furthest status that the reports told of. */
  eventStatus: z.string().nullable(),
  contradictions: z.array(contradictionSchema),
  /** Releases from this console, oldest first. */
  releases: z.array(releaseSchema),
})
export type MessageDetail = z.infer<typeof messageDetailSchema>

/** An id that was looked up here, with what was known of it last. */
export const lookupSchema = z.object({
  messageId: z.string(),
  lookedAt: isoTime,
  /** The service's word when it was last read; null when it gave none or was never read. */
  status: z.string().nullable(),
  to: z.string().nullable(),
})
export type MessageLookup = z.infer<typeof lookupSchema>

/** What a report that arrived here says of a message, where an answer of the service says less or something else. */
export const reportedHereSchema = z.object({ id: z.string(), status: z.string(), at: isoTime })
export type ReportedHere = z.infer<typeof reportedHereSchema>

export const messagesContract = {
  /**
   * One page of the service's list, unfiltered: it shows no filters. Any field but the id may be null. Answers with the last known
   * page, marked so, when the service cannot be asked.
   */
  list: procedure
    .input(z.object({ page: z.int().min(1).default(1), perPage: z.int().min(1).max(100).default(100) }))
    .output(
      z.object({
        items: z.array(messageSchema),
        total: z.int(),
        page: z.int(),
        perPage: z.int(),
        freshness: freshnessSchema,
      }),
    ),
  /** Looks one id up at the service and in the events here. `several` gives way to single clicks. Service errors are values. */
  get: procedure.input(z.object({ id, several: z.boolean().default(false) })).output(messageDetailSchema),
  /**
   * Of answers that are shown, `status` as the service gave it, null where it gave none: those of which a report here is further, or
   * names another end. Asks nothing of the service.
   */
  reportedHere: procedure
    .input(z.object({ answers: z.array(z.object({ id, status: z.string().nullable() })).max(messageIdsMax) }))
    .output(z.object({ reports: z.array(reportedHereSchema) })),
  /** Ids looked up here, newest first, at most 50. */
  recent: procedure.output(z.object({ lookups: z.array(lookupSchema) })),
  /** Takes one id, or all of them, off the recent ones, with what was kept of them. */
  forget: procedure.input(z.object({ id: id.optional() })).output(z.object({ forgotten: z.int() })),
  /**
   * Reads the message, releases it unless it has left the hold, reads it again. A second call while one is under way gets the same
   * answer. Errors: CONFIRMATION_MISMATCH on a production connection; whatever keeps the message from being read before.
   */
  release: procedure.input(z.object({ id, confirmName: z.string().optional() })).output(releaseSchema),
  /** How long a release of so many would take, and which of them have a release of unknown outcome. */
  planRelease: procedure
    .input(z.object({ ids }))
    .output(z.object({ etaMs: z.number(), unknown: z.array(releaseSchema) })),
  /** Releases them one after another as a task, which can be paused and stopped. CONFIRMATION_MISMATCH on a production connection. */
  releaseMany: procedure
    .input(z.object({ ids, confirmName: z.string().optional() }))
    .output(z.object({ runId: z.string(), taskId: z.string() })),
  /** The releases of one run, in the order they were asked for. Without a `runId`: of the newest run. Null when there is none. */
  run: procedure.input(z.object({ runId: z.string().optional() })).output(
    z
      .object({
        runId: z.string(),
        taskId: z.string().nullable(),
        /** True while its task is under way; with `isPaused` it begins nothing until it is resumed there. */
        isRunning: z.boolean(),
        isPaused: z.boolean(),
        startedAt: isoTime,
        releases: z.array(releaseSchema),
      })
      .nullable(),
  ),
}

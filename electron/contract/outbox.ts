import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'

/** What one item asks of the service. */
export const outboxOperationSchema = z.enum(['create-contact', 'delete-contact', 'send-ott'])
export type OutboxOperation = z.infer<typeof outboxOperationSchema>

/**
 * `held-back` within its grace time; `queued`; `blocked` behind another item that must be done first; `in-flight`, committed before the
 * request leaves; then `done`, `rejected` by the service, `unknown` (it may have been done; only a person decides), `cancelled`.
 */
export const outboxStateSchema = z.enum([
  'held-back',
  'queued',
  'blocked',
  'in-flight',
  'done',
  'rejected',
  'unknown',
  'cancelled',
])
export type OutboxState = z.infer<typeof outboxStateSchema>

/** The service's answer about the record it created. Null where it gave no value or the record has no such field. */
export const outboxAnswerSchema = z.object({
  /** For a message: the carrier's id, channel, template, and the text as the service rendered it. */
  providerMessageId: z.string().nullable(),
  channelId: z.string().nullable(),
  templateId: z.string().nullable(),
  body: z.string().nullable(),
  createdAt: z.string().nullable(),
  /** For a contact. */
  updatedAt: z.string().nullable(),
})
export type OutboxAnswer = z.infer<typeof outboxAnswerSchema>

export const outboxItemSchema = z.object({
  /** Order of queueing. */
  id: z.int(),
  batchId: z.string(),
  operation: outboxOperationSchema,
  state: outboxStateSchema,
  /** Who it is about, for the list: name and number as queued. */
  name: z.string(),
  phone: z.string(),
  contactId: z.int().nullable(),
  /** The service's id: of what was created, or of what is to be deleted. */
  serviceId: z.string().nullable(),
  /** The service's own word on what it made, as it came; null where it gave none. */
  serviceStatus: z.string().nullable(),
  /** Null until the service has answered, and for items from before answers were stored. */
  answer: outboxAnswerSchema.nullable(),
  /** Requests sent so far. */
  attempts: z.int(),
  /** Why it was rejected or is unknown, with the service's own words in `data.serviceText`. */
  problem: errorViewSchema.nullable(),
  queuedAt: isoTime,
  /** When its request left. */
  sentAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  /** How a person settled an unknown one. */
  resolution: z.enum(['marked-done', 'sent-again', 'discarded']).nullable(),
})
export type OutboxItem = z.infer<typeof outboxItemSchema>

/** What was queued by one action. */
export const outboxBatchSchema = z.object({
  id: z.string(),
  kind: z.enum(['push', 'delete', 'edit', 'ott', 'resend']),
  /** What the operator did, in a few words. */
  title: z.string(),
  createdAt: isoTime,
  counts: z.record(outboxStateSchema, z.int()),
  /** Until then `undo` takes all of it back; null when that is over or nothing can be taken back. */
  undoableUntil: isoTime.nullable(),
  /** Still being put together: nothing of it leaves, and `undo` takes all of it back. */
  open: z.boolean(),
  /** True once it was taken back by `undo`, or while it is. */
  takenBack: z.boolean(),
})
export type OutboxBatch = z.infer<typeof outboxBatchSchema>

/**
 * A deletion of contacts that `undo` takes back. `marking`: contacts are still being marked, and nothing leaves; `held` until `until`;
 * `taking-back`: it is being taken back.
 */
export const undoableDeletionSchema = z.object({
  batchId: z.string(),
  state: z.enum(['marking', 'held', 'taking-back']),
  until: isoTime.nullable(),
  /** Contacts that were to be deleted. */
  chosen: z.int(),
  /** Of those, marked so far. */
  marked: z.int(),
  /** Of the marked, those that stay in the book until the service has deleted them. The others are out of it. */
  requested: z.int(),
})
export type UndoableDeletion = z.infer<typeof undoableDeletionSchema>

/** Why nothing is being sent: paused by the operator, not signed in, the network, the budget, a permission, or nothing to do. */
export const outboxDrainSchema = z.object({
  state: z.enum(['sending', 'idle', 'paused', 'offline', 'signed-out', 'rate-limited', 'stopped']),
  /** Why it is `stopped` or `signed-out`; resuming tries again. */
  problem: errorViewSchema.nullable(),
  counts: z.record(outboxStateSchema, z.int()),
  /** Items done in the last minute; null while nothing moves, and until it has for a whole minute. */
  ratePerMinute: z.number().nullable(),
  etaMs: z.number().nullable(),
  /** When the first of what is held back leaves; until then it can be taken back. Null while nothing is, and while it is not known. */
  heldUntil: isoTime.nullable(),
  /** Deletions of contacts that can be taken back, or are right now, newest first. */
  deletions: z.array(undoableDeletionSchema),
  asOf: isoTime,
})
export type OutboxDrain = z.infer<typeof outboxDrainSchema>

export const outboxFilterSchema = z.object({
  states: z.array(outboxStateSchema).optional(),
  operations: z.array(outboxOperationSchema).optional(),
  batchId: z.string().optional(),
  contactId: z.int().optional(),
  /** Part of name or number. */
  text: z.string().max(200).optional(),
})
export type OutboxFilter = z.infer<typeof outboxFilterSchema>

const selection = z.union([
  z.object({ ids: z.array(z.int()).min(1).max(10_000) }),
  z.object({ filter: outboxFilterSchema }),
])

export const outboxContract = {
  /** The drain's state and counts: at once, then after each change (at most four a second). */
  watch: procedure.output(eventIterator(outboxDrainSchema)),
  /** Items, newest first, keyset-paged. */
  list: procedure
    .input(
      z.object({
        filter: outboxFilterSchema,
        limit: z.int().min(1).max(500).default(100),
        cursor: z.int().optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(outboxItemSchema),
        nextCursor: z.int().nullable(),
        total: z.int(),
        asOf: isoTime,
      }),
    ),
  batches: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), cursor: z.string().optional() }))
    .output(z.object({ items: z.array(outboxBatchSchema), nextCursor: z.string().nullable() })),
  pause: procedure.output(outboxDrainSchema),
  resume: procedure.output(outboxDrainSchema),
  /** Takes a batch back while its grace time lasts. OUTBOX_TOO_LATE after it. */
  undo: procedure.input(z.object({ batchId: z.string() })).output(
    z.object({
      /** Items taken back, and contacts brought back into the book. */
      undone: z.int(),
      /** Contacts that could not come back: another one has their number now. */
      lost: z.int(),
      /** Contacts of a deletion that was stopped by this before it had marked them. */
      unmarked: z.int(),
    }),
  ),
  /** Takes items back whose request has not left. Others are counted as left. */
  cancel: procedure.input(z.object({ selection })).output(z.object({ cancelled: z.int(), left: z.int() })),
  /**
   * Settles items of unknown outcome: `mark-done` (it is there; a deletion is gone), `send-again` (it may then be there twice), `discard`.
   * `serviceId` for one created contact whose id the operator found. Items in another state are left and counted.
   */
  resolve: procedure
    .input(
      z.object({
        selection,
        how: z.enum(['mark-done', 'send-again', 'discard']),
        serviceId: z.string().max(200).optional(),
        /** Needed to send again on a production connection. */
        confirmName: z.string().optional(),
      }),
    )
    .output(z.object({ resolved: z.int(), left: z.int() })),
  /** Queues rejected items again as new ones. Unknown ones are never among them. */
  retryRejected: procedure
    .input(z.object({ selection }))
    .output(z.object({ batchId: z.string().nullable(), queued: z.int(), left: z.int() })),
}

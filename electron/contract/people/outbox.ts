import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema, nothing } from '../define.ts'

export const outboxOperationSchema = z.enum(['create-contact', 'delete-contact', 'send-ott'])
export type OutboxOperation = z.infer<typeof outboxOperationSchema>

/**
 * `undoable`: in its undo window. `scheduled`: waits for a time: its batch's start, or its recipient's hours. `blocked`: waits for another item. `in-flight`: stored before the request is sent.
 * Then `done`, `rejected` by the service or for a blocked number, `unknown` (unconfirmed; only a person resolves it) or `cancelled`.
 */
export const outboxStateSchema = z.enum([
  'undoable',
  'scheduled',
  'queued',
  'blocked',
  'in-flight',
  'done',
  'rejected',
  'unknown',
  'cancelled',
])
export type OutboxState = z.infer<typeof outboxStateSchema>

/**
 * As counted and filtered: a cancelled one that was resent or discarded counts as that; `not-sent` and `held`: rejected by Switchboard,
 * because the number is on the DNC list or on hold.
 */
export const outboxStatusSchema = z.enum([
  ...outboxStateSchema.options,
  'not-sent',
  'held',
  'sent-again',
  'discarded',
])
export type OutboxStatus = z.infer<typeof outboxStatusSchema>

/** The service's response. Null for values it didn't give or the record doesn't have. */
export const outboxAnswerSchema = z.object({
  /** Message: carrier id, channel, template, and text as rendered by the service. */
  providerMessageId: z.string().nullable(),
  channelId: z.string().nullable(),
  templateId: z.string().nullable(),
  body: z.string().nullable(),
  createdAt: z.string().nullable(),
  /** Contact. */
  updatedAt: z.string().nullable(),
})
export type OutboxAnswer = z.infer<typeof outboxAnswerSchema>

export const outboxItemSchema = z.object({
  /** In queueing order. */
  id: z.int(),
  batchId: z.string(),
  operation: outboxOperationSchema,
  state: outboxStateSchema,
  /** Name and number when queued, for the list. */
  name: z.string(),
  phone: z.string(),
  contactId: z.int().nullable(),
  /** The service's id of what was created or will be deleted. */
  serviceId: z.string().nullable(),
  /** Status the service gave the record; null if none. */
  serviceStatus: z.string().nullable(),
  /** Null before the response, and for items older than this field. */
  answer: outboxAnswerSchema.nullable(),
  /** Requests sent. */
  attempts: z.int(),
  /** Why it was rejected or is unconfirmed; the service's text is in `data.serviceText`. */
  problem: errorViewSchema.nullable(),
  queuedAt: isoTime,
  /** When its recipient's hours begin; null when it doesn't wait for them. */
  notBefore: isoTime.nullable(),
  /** When its request was sent. */
  sentAt: isoTime.nullable(),
  endedAt: isoTime.nullable(),
  /** How a person resolved an unconfirmed one. */
  resolution: z.enum(['marked-done', 'sent-again', 'discarded']).nullable(),
})
export type OutboxItem = z.infer<typeof outboxItemSchema>

const minute = z.int().min(0).max(1_440)
/** Hours in local time, as minutes from midnight. */
export const localHoursSchema = z
  .object({ fromMinute: minute, toMinute: minute })
  .refine(({ fromMinute, toMinute }) => fromMinute < toMinute)
export type LocalHours = z.infer<typeof localHoursSchema>

/** Items queued by one action. */
export const outboxBatchSchema = z.object({
  id: z.string(),
  /** `test`: a bulk send's message to one's own number. */
  kind: z.enum(['push', 'delete', 'edit', 'ott', 'test', 'resend']),
  /** Short text for the operator. */
  title: saidSchema,
  createdAt: isoTime,
  counts: z.record(outboxStatusSchema, z.int()),
  /** End of the undo window; null when it can't be undone. */
  undoableUntil: isoTime.nullable(),
  /** Its start, if that was set and has not come; until then it can be undone. */
  startAt: isoTime.nullable(),
  /** Switchboard was closed or asleep, or could not sync the DNC list, so some were not sent in time and a person decides. */
  startMissed: z.boolean(),
  /** The hours that its first scheduled item waits for, and when those of the first and the last begin; null when none waits for hours. */
  waitsFor: z.object({ hours: localHoursSchema, nextAt: isoTime, lastAt: isoTime }).nullable(),
  /** The hours that its scheduled items keep to; null when none has any. */
  hours: localHoursSchema.nullable(),
  /** Still being filled: nothing is sent yet. */
  open: z.boolean(),
  /** True once undone, or while undoing. */
  undone: z.boolean(),
})
export type OutboxBatch = z.infer<typeof outboxBatchSchema>

/**
 * A contact deletion that can be undone. `marking`: contacts are being marked; `held` until `until`; `undoing`: contacts
 * are being restored.
 */
export const undoableDeletionSchema = z.object({
  batchId: z.string(),
  state: z.enum(['marking', 'held', 'undoing']),
  until: isoTime.nullable(),
  /** Contacts to delete. */
  chosen: z.int(),
  /** Marked until now. */
  marked: z.int(),
  /** Of these, contacts that wait for the service's deletion. The others are already removed. */
  requested: z.int(),
})
export type UndoableDeletion = z.infer<typeof undoableDeletionSchema>

/** Problems that let only messages wait. */
export type OutboxWait = 'SENDS_WAIT_FOR_DNC' | 'SENDS_WAIT_FOR_INBOUND'

/** Why inbound messages or colleagues' holds, and so opt-outs, can't be read. Stored by position: add at the end. */
export const inboundProblemSchema = z.enum([
  'inbound.reading',
  'inbound.token',
  'inbound.relay',
  'inbound.secret',
  'inbound.listener',
  'inbound.subscription',
  'inbound.rejected',
  'inbound.team',
  'inbound.checking',
  'inbound.list',
])
export type InboundProblem = z.infer<typeof inboundProblemSchema>

/** Problems despite which a person may send. `inbound.checking` soon ends, and then shows which problem there is. */
export const acceptableProblemSchema = inboundProblemSchema.exclude(['inbound.checking'])
export type AcceptableProblem = z.infer<typeof acceptableProblemSchema>

export const outboxDrainSchema = z.object({
  /** `waiting`: messages wait; other requests go on. */
  state: z.enum(['sending', 'idle', 'paused', 'offline', 'signed-out', 'rate-limited', 'stopped', 'waiting']),
  /** Why it is `stopped`, `waiting` or `signed-out`; resuming retries. */
  problem: errorViewSchema.nullable(),
  counts: z.record(outboxStatusSchema, z.int()),
  /** Items in the last minute; null when idle and during the first minute. */
  ratePerMinute: z.number().nullable(),
  /** At the rate of the last minute; null while that is unknown. */
  etaMs: z.number().nullable(),
  /** End of the first undo window; null when none or unknown. */
  heldUntil: isoTime.nullable(),
  /** The next start, or begin of a recipient's hours; null when none. */
  nextStart: isoTime.nullable(),
  /** Batches that missed their start, or were not all sent in time. */
  missedStarts: z.int(),
  /** How many starts were moved in this run. When it changes, read the batches again. */
  movedStarts: z.int(),
  /** Deletions that can be undone or are being undone, newest first. */
  deletions: z.array(undoableDeletionSchema),
  asOf: isoTime,
})
export type OutboxDrain = z.infer<typeof outboxDrainSchema>

export const outboxStuckSchema = z.object({
  /** Null when none is unconfirmed. */
  unconfirmedSince: isoTime.nullable(),
  /** By the service. */
  rejected: z.int(),
  /** The first of them; null when none. */
  rejectedSince: isoTime.nullable(),
  /** Rejected by Switchboard, because the number must not be contacted. */
  notSent: z.int(),
  notSentSince: isoTime.nullable(),
})
export type OutboxStuck = z.infer<typeof outboxStuckSchema>

export const outboxFilterSchema = z.object({
  states: z.array(outboxStatusSchema).optional(),
  operations: z.array(outboxOperationSchema).optional(),
  batchId: z.string().optional(),
  contactId: z.int().optional(),
  /** Words of the name, a number or part of it in any spelling, several numbers, or the service's ID. */
  text: z.string().max(200).optional(),
})
export type OutboxFilter = z.infer<typeof outboxFilterSchema>

/** Deselected ones, and up to 10,000 that a resend skips, are excepted. */
export const itemSelectionSchema = z.union([
  z.object({ ids: z.array(z.int()).min(1).max(10_000) }),
  z.object({ filter: outboxFilterSchema, exceptIds: z.array(z.int()).max(20_000).optional() }),
])
const selection = itemSelectionSchema

export const outboxContract = {
  /** State and counts: now, then after changes (at most 4/s). */
  watch: procedure.output(eventIterator(outboxDrainSchema)),
  /** Newest first. */
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
  /** Requests that need a decision: since when some are unconfirmed, and those rejected in the last day. */
  stuck: procedure.output(outboxStuckSchema),
  /** Those that wait for their start or missed it, by start (first page only), then the others, newest first. */
  batches: procedure
    .input(
      z.object({
        limit: z.int().min(1).max(200).default(50),
        cursor: z.string().optional(),
        /** This one comes first if the page wouldn't have it. */
        batchId: z.string().optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(outboxBatchSchema),
        nextCursor: z.string().nullable(),
        /** Of the whole outbox, at the same moment. */
        counts: outboxDrainSchema.shape.counts,
      }),
    ),
  pause: procedure.output(outboxDrainSchema),
  resume: procedure.output(outboxDrainSchema),
  /** Sends the messages that wait because of this problem, and of no other; `confirmName` on production. */
  sendAnyway: procedure
    .input(
      z.object({
        problem: z.union([z.literal('SENDS_WAIT_FOR_DNC'), acceptableProblemSchema]),
        confirmName: z.string().optional(),
      }),
    )
    .output(outboxDrainSchema),
  /** Undoes a batch within its undo window; OUTBOX_TOO_LATE after it. */
  undo: procedure.input(z.object({ batchId: z.string() })).output(
    z.object({
      /** Items undone, and contacts restored. */
      undone: z.int(),
      /** Contacts not restored, because another contact has their number. */
      lost: z.int(),
      /** Contacts not yet marked when a deletion was stopped. */
      unmarked: z.int(),
      /** Items that had left before. */
      left: z.int(),
    }),
  ),
  /**
   * Moves the start of a batch that has one, or of its items that wait for their hours; null starts it now, after an undo window.
   * `confirmName` on production; OUTBOX_NOT_WAITING when nothing waits.
   */
  setStart: procedure
    .input(z.object({ batchId: z.string(), at: isoTime.nullable(), confirmName: z.string().optional() }))
    .output(nothing),
  /** Cancels items that were not sent; counts the rest as `left`. */
  cancel: procedure.input(z.object({ selection })).output(z.object({ cancelled: z.int(), left: z.int() })),
  /**
   * Resolves unconfirmed items: `mark-done`, `send-again` (may duplicate) or `discard`. `serviceId` is the id found
   * for one created contact. `blocked`: not resent, because they mustn't be contacted. Other items count as `left`.
   */
  resolve: procedure
    .input(
      z.object({
        selection,
        how: z.enum(['mark-done', 'send-again', 'discard']),
        serviceId: z.string().max(200).optional(),
        /** For `send-again` on production. */
        confirmName: z.string().optional(),
      }),
    )
    .output(z.object({ resolved: z.int(), left: z.int(), blocked: z.int() })),
  /** Queues rejected items again as new ones; never unconfirmed ones. `blocked`: still mustn't be contacted. */
  retryRejected: procedure
    .input(z.object({ selection }))
    .output(z.object({ batchId: z.string().nullable(), queued: z.int(), left: z.int(), blocked: z.int() })),
}

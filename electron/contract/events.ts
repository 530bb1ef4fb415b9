import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

/** Which stored events to show. A member that is absent or an empty list does not filter. All members must hold. */
export const eventFilterSchema = z.object({
  /** `dlr`, `mo`, or `quarantined` for signed deliveries that are neither. */
  kinds: z.array(z.enum(['dlr', 'mo', 'quarantined'])).optional(),
  /** dlr statuses as the service writes them. */
  statuses: z.array(z.string().max(64)).max(32).optional(),
  /** dlr error codes. */
  errorCodes: z.array(z.int()).max(64).optional(),
  /**
   * A number (source or destination): `+49…` or `0049…` is how it begins, digits alone are any part of it, without the zeros before
   * them. Spaces and marks between digits are ignored; a text without digits is in no number.
   */
  number: z.string().max(64).optional(),
  /** Two letters of ISO 3166: a whole `number` without its country is looked for as dialled there, too. */
  region: z.string().length(2).optional(),
  /** Part of the message id or of the inbound text, any case. */
  text: z.string().max(200).optional(),
  /** Arrival at or after. */
  from: isoTime.optional(),
  /** Arrival before. */
  to: isoTime.optional(),
})
export type EventFilter = z.infer<typeof eventFilterSchema>

/** One stored event: a delivery report, an inbound message, or a signed delivery of unknown shape. */
export const eventRowSchema = z.object({
  /** Order of first arrival in this console; rises by at least one. The id of the event here. */
  seq: z.int(),
  kind: z.enum(['dlr', 'mo', 'quarantined']),
  messageId: z.string().nullable(),
  /** dlr status as it came. */
  status: z.string().nullable(),
  errorCode: z.int().nullable(),
  /** The other party's number: destination of a dlr, source of a mo. */
  number: z.string().nullable(),
  /** Our own number of a mo. */
  ownNumber: z.string().nullable(),
  /** Text of a mo; in lists and batches its first 2,000 characters. */
  content: z.string().nullable(),
  /** The service's own time in the event (`delivered_at`, `received_at`), as it came. */
  serviceTime: z.string().nullable(),
  /** When the first copy arrived at this listener. */
  receivedAt: isoTime,
  /** How many deliveries of this event arrived, the first included. */
  copies: z.int(),
  verdict: z.enum(['signed', 'unsigned']),
  /** Why a quarantined event is not understood. */
  quarantineReason: z.string().nullable(),
  /** True when the whole text of a mo is a stop word. */
  stopWord: z.boolean(),
})
export type EventRow = z.infer<typeof eventRowSchema>

export const eventDetailSchema = z.object({
  event: eventRowSchema,
  /** The body as it arrived, as text; bytes that are not UTF-8 are replaced. Cut at 64 KiB. */
  rawBody: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Arrival of every copy, and its distance from the first in milliseconds. */
  copies: z.array(z.object({ receivedAt: isoTime, afterFirstMs: z.number() })),
  /** Everything known of the same message id, oldest first. */
  timeline: z.array(eventRowSchema),
  /** The furthest state that the message reached, which a late report does not undo. */
  messageStatus: z.string().nullable(),
  /** What the service last said of the message, where it was read again because of a hole; `status` null where it did not know it. */
  recovered: z.object({ status: z.string().nullable(), readAt: isoTime }).nullable(),
  /** The spec's meaning of the error code, when it is one of its four. */
  errorMeaning: z.string().nullable(),
})
export type EventDetail = z.infer<typeof eventDetailSchema>

export const eventBatchSchema = z.object({
  /** Events first seen since the last batch, oldest first. At most 500; more follow in the next batch. */
  items: z.array(eventRowSchema),
  /** Events of the filter up to the last position of which another copy arrived since. At most 500. */
  changed: z.array(eventRowSchema),
  /** Highest seq this batch accounts for, whether or not the filter let it through. Give it back as `afterSeq` to go on. */
  upToSeq: z.int(),
  /** All events stored in this connection. */
  storedTotal: z.int(),
  /** Events of the filter, all history; null while they are being counted. */
  matchingTotal: z.int().nullable(),
})
export type EventBatch = z.infer<typeof eventBatchSchema>

export const eventSeriesSchema = z.object({
  bucketMs: z.int(),
  /** Start of the first bucket: a multiple of its width since 1970 UTC, at or before the `from` asked for. */
  from: isoTime,
  /**
   * Events by status per bucket, oldest first; statuses in the order they are drawn. The four of the spec and `mo` are always
   * there; then come statuses it does not name (the rarest together as `other`) and `quarantined`, if any arrived.
   */
  lines: z.array(z.object({ name: z.string(), counts: z.array(z.int()) })),
  asOf: isoTime,
})
export type EventSeries = z.infer<typeof eventSeriesSchema>

/** A span in which this console's listener could not answer. */
export const holeSchema = z.object({
  from: isoTime,
  /** Null while it lasts. */
  to: isoTime.nullable(),
  durationMs: z.number(),
  /** True beyond the service's last retry (about 30 s): what was sent at its start is lost for good. */
  proven: z.boolean(),
  /** Why the listening before it ended: `closed`, `crashed`, `moved`, `suspended`, `not-stored`. */
  reason: z.string(),
})
export type Hole = z.infer<typeof holeSchema>

/** A filter of the Live events page under a name. */
export const savedFilterSchema = z.object({
  name: z.string().trim().min(1).max(60),
  /** The filter as the page's address carries it. */
  query: z.record(z.string().max(20), z.string().max(2_000)),
})
export type SavedFilter = z.infer<typeof savedFilterSchema>
/** Saved filters of a connection at most. */
export const savedFiltersMax = 50

const savedFilters = z.object({ filters: z.array(savedFilterSchema) })

export const eventFormats = ['csv', 'ndjson'] as const
export type EventFormat = (typeof eventFormats)[number]

export const eventsContract = {
  /** Stored events of a filter, newest first. `cursor` is the seq of the last item of the page before; only older ones follow. */
  search: procedure
    .input(
      z.object({
        filter: eventFilterSchema,
        limit: z.int().min(1).max(500).default(100),
        cursor: z.int().optional(),
        /**
         * Answer after about so many milliseconds with what was found by then. Without it, everything is looked through that must be,
         * which takes about a second per million events for a part of a text or number.
         */
        patienceMs: z.int().min(10).max(10_000).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(eventRowSchema),
        /** Null when there are no older ones. With `searchedBackTo`, fewer items than asked for may come before it. */
        nextCursor: z.int().nullable(),
        /** Arrival down to which was looked, where patience ended before the page was full. */
        searchedBackTo: isoTime.optional(),
        /** Null where patience ended before all were counted; `watch` tells it then. */
        matchingTotal: z.int().nullable(),
        storedTotal: z.int(),
        /** Highest seq accounted for: start `watch` after it and nothing is missed or shown twice. */
        upToSeq: z.int(),
        asOf: isoTime,
      }),
    ),
  /** New arrivals of a filter, in batches of 50–100 ms, from `afterSeq` on. Starts with a batch at once. */
  watch: procedure
    .input(z.object({ filter: eventFilterSchema, afterSeq: z.int() }))
    .output(eventIterator(eventBatchSchema)),
  get: procedure.input(z.object({ seq: z.int() })).output(eventDetailSchema),
  /** Saved filters of the active connection, by name. */
  savedFilters: procedure.output(savedFilters),
  /** Saves a filter, in place of one with the same name. INVALID_INPUT when there are too many. */
  saveFilter: procedure.input(savedFilterSchema).output(savedFilters),
  removeFilter: procedure.input(savedFilterSchema.pick({ name: true })).output(savedFilters),
  /** Writes all stored events of a filter into a file, oldest first, with whole texts. The file is the task's `refId`. */
  export: procedure
    .input(z.object({ filter: eventFilterSchema, format: z.enum(eventFormats) }))
    .output(z.object({ taskId: z.string() })),
  /** Arrivals per bucket and status. At most 1,440 buckets, each of whole seconds. */
  series: procedure
    .input(z.object({ from: isoTime, to: isoTime, bucketMs: z.int().min(1_000) }))
    .output(eventSeriesSchema),
  /** Holes in the record of the last `days`, newest first. */
  holes: procedure.input(z.object({ days: z.int().min(1).max(400).default(7) })).output(
    z.object({
      holes: z.array(holeSchema),
      /** When this console began to listen for this connection; before it nothing is known. Null when it never did. */
      recordedSince: isoTime.nullable(),
      asOf: isoTime,
    }),
  ),
}

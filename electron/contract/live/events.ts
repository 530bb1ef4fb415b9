import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { isoTime, procedure, saidSchema } from '../define.ts'

/** Filters stored events; all members must match. An absent member or empty list doesn't filter. */
export const eventFilterSchema = z.object({
  /** `quarantined`: signed deliveries that are neither dlr nor mo. */
  kinds: z.array(z.enum(['dlr', 'mo', 'quarantined'])).optional(),
  /** As the service names them. */
  statuses: z.array(z.string().max(64)).max(32).optional(),
  errorCodes: z.array(z.int()).max(64).optional(),
  /**
   * Source or destination number. `+49…` or `0049…` matches the start, digits alone any part. Spaces and punctuation
   * are ignored; text without digits matches nothing.
   */
  number: z.string().max(64).optional(),
  /** ISO 3166 alpha-2. A complete `number` also matches as dialled in this region. */
  region: z.string().length(2).optional(),
  /** Part of the message id or inbound text; case-insensitive. */
  text: z.string().max(200).optional(),
  /** Received at or after. */
  from: isoTime.optional(),
  /** Received before. */
  to: isoTime.optional(),
})
export type EventFilter = z.infer<typeof eventFilterSchema>

/** One stored event: a delivery report, an inbound message, or a signed delivery of unknown shape. */
export const eventRowSchema = z.object({
  /** Local id; rises in the order of arrival. */
  seq: z.int(),
  kind: z.enum(['dlr', 'mo', 'quarantined']),
  messageId: z.string().nullable(),
  /** As the service sent it. */
  status: z.string().nullable(),
  errorCode: z.int().nullable(),
  /** Destination of a dlr, source of a mo. */
  number: z.string().nullable(),
  /** Recipient of a mo. */
  ownNumber: z.string().nullable(),
  /** Text of a mo; lists and batches have the first 2,000 characters. */
  content: z.string().nullable(),
  /** `delivered_at` or `received_at`; null if it can't be read. */
  serviceTime: isoTime.nullable(),
  /** When the first delivery arrived. */
  receivedAt: isoTime,
  /** Deliveries of this event, with duplicates. */
  copies: z.int(),
  /** From the arrival of the message's `submitted` report to this later report; null if either is missing. */
  latencyMs: z.int().nullable(),
  verdict: z.enum(['signed', 'unsigned']),
  /** Why a quarantined event can't be read. */
  quarantineReason: saidSchema.nullable(),
  /** True when the whole text is an opt-out keyword. */
  optOut: z.boolean(),
})
export type EventRow = z.infer<typeof eventRowSchema>

export const eventDetailSchema = z.object({
  event: eventRowSchema,
  /** Body as text; invalid UTF-8 is replaced. At most 64 KiB. */
  rawBody: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Arrival of each delivery, and milliseconds after the first. */
  copies: z.array(z.object({ receivedAt: isoTime, afterFirstMs: z.number() })),
  /** All events of the same message, oldest first. */
  timeline: z.array(eventRowSchema),
  /** Furthest status of the message; late reports don't undo it. */
  messageStatus: z.string().nullable(),
  /** The message as read from the service after a gap; `status` null if the service didn't know it. */
  recovered: z.object({ status: z.string().nullable(), readAt: isoTime }).nullable(),
})
export type EventDetail = z.infer<typeof eventDetailSchema>

export const eventBatchSchema = z.object({
  /** New events since the last batch, oldest first, at most 500; more follow in the next batch. */
  items: z.array(eventRowSchema),
  /** Earlier events of the filter with a new duplicate. At most 500. */
  changed: z.array(eventRowSchema),
  /** Highest seq covered, matching or not. Pass it as `afterSeq` to continue. */
  upToSeq: z.int(),
  /** All events of this connection. */
  storedTotal: z.int(),
  /** All events that match; null while they are being counted. */
  matchingTotal: z.int().nullable(),
})
export type EventBatch = z.infer<typeof eventBatchSchema>

export const eventSeriesSchema = z.object({
  bucketMs: z.int(),
  /** Start of the first bucket: a multiple of `bucketMs` since 1970 UTC, at or before the requested `from`. */
  from: isoTime,
  /**
   * Events per bucket, oldest first; statuses in drawing order. Always the spec's four and `mo`, then other statuses
   * (the rarest as `other`) and `quarantined` if any arrived.
   */
  lines: z.array(z.object({ name: z.string(), counts: z.array(z.int()) })),
  asOf: isoTime,
})
export type EventSeries = z.infer<typeof eventSeriesSchema>

/** Why nothing arrived although the listener could receive, by the alarms. */
export const missedReasons = ['no-subscription', 'no-reports', 'service-unreachable'] as const
export type MissedReason = (typeof missedReasons)[number]
export const isOfAlarm = (reason: string): boolean => missedReasons.some((one) => one === reason)

/** A gap: a time when no event could be received. */
export const gapSchema = z.object({
  from: isoTime,
  /** Null while it lasts. */
  to: isoTime.nullable(),
  durationMs: z.number(),
  /**
   * True when longer than the service retries (about 30 s): events sent at its start are lost. False for a gap of an alarm: its events
   * may only be late.
   */
  proven: z.boolean(),
  /**
   * Why listening ended before it: `closed`, `crashed`, `moved`, `suspended`, `not-stored`, `no-secret`, `relay-stopped`; `relay-dropped`
   * for deliveries lost at a relay; or one of `missedReasons`.
   */
  reason: z.string(),
})
export type Gap = z.infer<typeof gapSchema>

/** A filter of Live events as in the page's address. */
export const eventQuerySchema = z.record(z.string().max(20), z.string().max(2_000))
const savedFilterSchema = z.object({
  name: z.string().trim().min(1).max(60),
  filter: eventQuerySchema,
})
/** Most saved filters per connection. */
export const savedFiltersMax = 50

const savedFilters = z.object({
  /** `by`: the colleague who saved it, null for this computer. */
  filters: z.array(savedFilterSchema.extend({ by: z.string().nullable() })),
  /** Names of those that can't be read. */
  unreadable: z.array(z.string()),
})

export const eventFormats = ['csv', 'xlsx', 'ndjson'] as const
export type EventFormat = (typeof eventFormats)[number]

export const eventsContract = {
  /** Events of a filter, newest first. `cursor` is the last item's seq; older ones follow. */
  search: procedure
    .input(
      z.object({
        filter: eventFilterSchema,
        limit: z.int().min(1).max(500).default(100),
        cursor: z.int().optional(),
        /** Returns after about this time with what was found. Else a text search reads all: 1 s per million. */
        patienceMs: z.int().min(10).max(10_000).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(eventRowSchema),
        /** Null at the end. With `searchedBackTo`, a page may have fewer items than `limit`. */
        nextCursor: z.int().nullable(),
        /** The time down to which was searched before time ran out. */
        searchedBackTo: isoTime.optional(),
        /** Null when time ran out; `watch` then reports it. */
        matchingTotal: z.int().nullable(),
        storedTotal: z.int(),
        /** Highest seq covered: start `watch` after it to miss and repeat nothing. */
        upToSeq: z.int(),
        asOf: isoTime,
      }),
    ),
  /** New events after `afterSeq`, in batches every 50–100 ms; the first at once. */
  watch: procedure
    .input(z.object({ filter: eventFilterSchema, afterSeq: z.int() }))
    .output(eventIterator(eventBatchSchema)),
  get: procedure.input(z.object({ seq: z.int() })).output(eventDetailSchema),
  savedFilters: procedure.output(savedFilters),
  /** Adds or replaces a filter by name. INVALID_INPUT beyond `savedFiltersMax`. */
  saveFilter: procedure.input(savedFilterSchema).output(savedFilters),
  /** By any name: that of an unreadable filter may be empty or long. */
  removeFilter: procedure.input(z.object({ name: z.string() })).output(savedFilters),
  /** Writes all events of a filter to a file, oldest first, with whole texts. The file is the task's `refId`. */
  export: procedure
    .input(z.object({ filter: eventFilterSchema, format: z.enum(eventFormats) }))
    .output(z.object({ taskId: z.string() })),
  /** Events per bucket and status; at most 1,440 buckets of whole seconds. With a filter it reads the events of the period. */
  series: procedure
    .input(
      z.object({
        from: isoTime,
        to: isoTime,
        bucketMs: z.int().min(1_000),
        filter: eventFilterSchema
          .pick({ number: true, region: true, text: true, errorCodes: true })
          .default({}),
      }),
    )
    .output(eventSeriesSchema),
  /** Gaps of the last `days`, newest first. */
  gaps: procedure.input(z.object({ days: z.int().min(1).max(400).default(7) })).output(
    z.object({
      gaps: z.array(gapSchema),
      /** When this connection first listened; nothing is known before. Null if it never did. */
      recordedSince: isoTime.nullable(),
      asOf: isoTime,
    }),
  ),
}

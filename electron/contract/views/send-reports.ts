import * as z from 'zod'
import { isoTime, procedure, saidSchema } from '../define.ts'
import { itemSelectionSchema } from '../people/outbox.ts'

/**
 * The result of a message, resends included. `waiting`: not sent. `rejected`: by the service. `dnc`, `held`: not sent, because its number is
 * on that list. `erased`: not sent, of an erased person. `unclear`: unconfirmed, also if discarded, or accepted without a message ID of its
 * own. `no-report`: accepted. `no-id`: marked as done by a person without the ID that a report would name. `reported`: see `status`.
 */
export const sendOutcomeSchema = z.enum([
  'waiting',
  'rejected',
  'dnc',
  'held',
  'erased',
  'cancelled',
  'unclear',
  'no-report',
  'no-id',
  'reported',
])

const resendDoubt = z.object({ id: z.int(), phone: z.string() })

const byId = z.object({ id: z.string() })

/** Delivery reports of the messages of a bulk send, and prices of its template's messages. */
export const sendReportsContract = {
  /** Counts by outcome of the last try. `retryable`: messages that certainly didn't arrive and may be sent again; `retried`: those that were. */
  get: procedure.input(byId).output(
    z.object({
      counts: z.array(
        z.object({
          outcome: sendOutcomeSchema,
          /** Of the furthest report, or of the service's answer if it says at once that the message failed; null if not `reported`. */
          status: z.string().nullable(),
          code: z.int().nullable(),
          count: z.int(),
        }),
      ),
      retryable: z.int(),
      retried: z.int(),
      asOf: isoTime,
    }),
  ),
  /**
   * Queues the `retryable` messages again, each once; skips numbers that mustn't be contacted now (`blocked`). DNC_LIST_NOT_FRESH unless
   * `uncheckedKnowingly`; `confirmName` on production.
   */
  retryFailed: procedure
    .input(
      byId.extend({ uncheckedKnowingly: z.boolean().default(false), confirmName: z.string().optional() }),
    )
    .output(z.object({ queued: z.int(), blocked: z.int() })),
  /** How many scheduled requests of a batch would be skipped now, because their numbers mustn't be contacted. */
  toSkip: procedure.input(z.object({ batchId: z.string() })).output(z.object({ count: z.int() })),
  /**
   * What speaks against resending unconfirmed requests. `blocked`: the first of `blockedCount` that mustn't be contacted; none with `reportsOnly`,
   * which doesn't read the lists. `reports`: for each message, the newest delivery report of an arrival that it may have: of its number, of the
   * day after it was sent, and of no other message that Switchboard sent to that number. `more`: only the first 10,000 were checked.
   */
  resendCheck: procedure
    .input(z.object({ selection: itemSelectionSchema, reportsOnly: z.boolean().default(false) }))
    .output(
      z.object({
        reports: z.array(
          resendDoubt.extend({
            messageId: z.string(),
            status: z.string(),
            receivedAt: isoTime,
            blocked: z.boolean(),
          }),
        ),
        blocked: z.array(resendDoubt.extend({ reason: saidSchema })),
        blockedCount: z.int(),
        more: z.boolean(),
      }),
    ),
  /**
   * Prices per segment of earlier messages of the send's template over its channel, as looked up at the service. Null without any. The service
   * names no currency.
   */
  prices: procedure
    .input(byId)
    .output(
      z.object({ prices: z.object({ lowest: z.number(), highest: z.number(), count: z.int() }).nullable() }),
    ),
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { connectionActivitySchema, connectionSchema, secretsViewSchema } from './connections.ts'
import { errorViewSchema, isoTime, procedure, nothing } from '../define.ts'
import { listenerStatusSchema } from '../live/listener.ts'

export const budgetStatusSchema = z.object({
  limitPerMinute: z.int(),
  usedByUs: z.int(),
  /** Requests of the tenant's other programs: drops of the remaining number we didn't cause. */
  usedByOthers: z.int(),
  remaining: z.int(),
  /** When the limit resets, rounded up to seconds; null when that is now or nothing is used. */
  resetsAt: isoTime.nullable(),
  /** When requests continue after a 429, rounded up to seconds; null when not paused. */
  pausedUntil: isoTime.nullable(),
  queued: z.object({ operator: z.int(), live: z.int(), bulk: z.int() }),
})
export type BudgetStatus = z.infer<typeof budgetStatusSchema>

export const sessionStatusSchema = z.object({
  state: connectionActivitySchema.shape.session,
  /** What ended or prevents it. */
  problem: errorViewSchema.nullable(),
  /** End of the refresh token's seven days, for a password sign-in. */
  endsAt: isoTime.nullable(),
})

/** Banner for the operator until dismissed or resolved. */
export const noticeSchema = z.object({
  id: z.string(),
  severity: z.enum(['info', 'warning', 'error']),
  error: errorViewSchema,
})
export type Notice = z.infer<typeof noticeSchema>

export const statusSchema = z.object({
  connection: connectionSchema.nullable(),
  session: sessionStatusSchema,
  network: z.object({
    /** Null before the first request. */
    reachable: z.boolean().nullable(),
    lastAnswerAt: isoTime.nullable(),
    problem: errorViewSchema.nullable(),
  }),
  listener: listenerStatusSchema,
  budget: budgetStatusSchema.nullable(),
  secrets: secretsViewSchema,
  /** Events acknowledged but not yet shown. */
  projectionLag: z.int(),
  storedEvents: z.int(),
  /** Senders with unread messages. */
  unreadConversations: z.int(),
  notices: z.array(noticeSchema),
  asOf: isoTime,
})
export type Status = z.infer<typeof statusSchema>

export const statusContract = {
  /**
   * Status: now, on change (at most 4/s), and each second while a call waits or a rate window runs. Of the connection in front, or of the
   * named one while that is open; nothing comes while it opens.
   */
  watch: procedure
    .input(z.object({ connectionId: z.string() }).optional())
    .output(eventIterator(statusSchema)),
  dismissNotice: procedure.input(z.object({ id: z.string() })).output(nothing),
}

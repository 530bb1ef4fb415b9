import * as z from 'zod'
import { isoTime, procedure } from './define.ts'

/** What the service said of messages whose last report may have been lost in a hole. */
export const recoveryRunSchema = z.object({
  id: z.string(),
  /** The task that reads, while it is not put away. */
  taskId: z.string(),
  startedAt: isoTime,
  /** Null while it was not gone through to its end. */
  endedAt: isoTime.nullable(),
  /** Messages that were read for this hole, in all of its readings. */
  read: z.int(),
  /** Of those, how many the service calls what, by its own word (null where it gave none); the commonest first. */
  byStatus: z.array(z.object({ status: z.string().nullable(), final: z.boolean(), count: z.int() })),
  /** Those the service does not know, or not any more. */
  notFound: z.int(),
  /** Those that could not be read: an id that cannot be asked for, an answer that makes no sense. Read again by the next reading. */
  unreadable: z.int(),
})
export type RecoveryRun = z.infer<typeof recoveryRunSchema>

/** What may be missing because of one hole, and what was done about it. */
export const holeRecoverySchema = z.object({
  /** The hole, by its beginning. */
  from: isoTime,
  /** Messages heard of before the hole's end, of which no final status is known, neither by a report nor by reading them since. */
  open: z.object({ value: z.int(), atLeast: z.boolean() }),
  /** The latest reading for this hole. */
  run: recoveryRunSchema.nullable(),
})
export type HoleRecovery = z.infer<typeof holeRecoverySchema>

export const recoveryContract = {
  /** For each hole of the last days that is proven and over: what is open, and the latest reading. */
  get: procedure
    .input(z.object({ days: z.int().min(1).max(400).default(7) }))
    .output(z.object({ holes: z.array(holeRecoverySchema), asOf: isoTime })),
  /**
   * Reads every open message of a hole at the service, one request each, in the lane of bulk work. A hole that is not there, or not
   * over: NOT_FOUND.
   */
  start: procedure.input(z.object({ from: isoTime })).output(z.object({ taskId: z.string() })),
}

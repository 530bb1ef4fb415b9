import * as z from 'zod'
import { isoTime, openCountSchema, procedure } from '../define.ts'

/** Messages read at the service after a gap. */
export const recoveryRunSchema = z.object({
  id: z.string(),
  /** Task that reads, until it is dismissed. */
  taskId: z.string(),
  startedAt: isoTime,
  /** Null until it finished. */
  endedAt: isoTime.nullable(),
  /** Messages read for this gap, over all runs. */
  read: z.int(),
  /** Messages by the service's status (null if none), most common first. */
  byStatus: z.array(z.object({ status: z.string().nullable(), final: z.boolean(), count: z.int() })),
  /** Unknown to the service. */
  notFound: z.int(),
  /** Unusable ids and failed or unusable answers; the next run tries them again. */
  unreadable: z.int(),
  /** IDs of the first of them, at most 20. */
  unreadableIds: z.array(z.string()),
})
export type RecoveryRun = z.infer<typeof recoveryRunSchema>

/** Possible losses of one gap, and the results of looking them up. */
export const gapRecoverySchema = z.object({
  /** Start of the gap. */
  from: isoTime,
  /** Messages seen before the gap's end without a known final status. */
  open: openCountSchema,
  /** Latest run for this gap. */
  run: recoveryRunSchema.nullable(),
})
export type GapRecovery = z.infer<typeof gapRecoverySchema>

export const recoveryContract = {
  /** Proven, ended gaps of the last days: open messages and the latest run. */
  get: procedure
    .input(z.object({ days: z.int().min(1).max(400).default(7) }))
    .output(z.object({ gaps: z.array(gapRecoverySchema), asOf: isoTime })),
  /** Reads each open message of a gap at the service, as bulk requests. NOT_FOUND for an unknown or open gap. */
  start: procedure.input(z.object({ from: isoTime })).output(z.object({ taskId: z.string() })),
}

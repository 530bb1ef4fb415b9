import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from '../define.ts'
import { scheduledMessageSchema } from '../domain.ts'

/** Most entries read of the service's list. */
export const scheduledMax = 5_000

/** How a read of the whole list ended. */
export const scheduledReadingSchema = z.object({
  asOf: isoTime,
  /** Entries stored. */
  loaded: z.int(),
  /** The service's last total. */
  total: z.int(),
  /** Records that can't be read; older stored answers lack it. */
  unreadable: z.int().optional(),
  /**
   * `whole`: the list didn't change during the read. `moving`: it kept changing, so entries may be missing or gone. `cut`:
   * longer than `scheduledMax`.
   */
  state: z.enum(['whole', 'moving', 'cut']),
})
export type ScheduledReading = z.infer<typeof scheduledReadingSchema>

/** Steps of `read`: `kept`*, `page`*, then one of `done`, `fresh` and `failed`. */
export const scheduledStepSchema = z.discriminatedUnion('kind', [
  /** Part of the last whole answer, with its age in `reading`. */
  z.object({
    kind: z.literal('kept'),
    items: z.array(scheduledMessageSchema),
    reading: scheduledReadingSchema,
    isLast: z.boolean(),
  }),
  /** New or changed entries of a page. */
  z.object({
    kind: z.literal('page'),
    items: z.array(scheduledMessageSchema),
    pagesDone: z.int(),
    pagesTotal: z.int(),
    /** The service's total. */
    total: z.int(),
    /** 1, or more when the list changed and is read again. */
    sweep: z.int(),
  }),
  /** All pages are read. `gone`: ids of earlier steps no longer listed. */
  z.object({ kind: z.literal('done'), reading: scheduledReadingSchema, gone: z.array(z.string()) }),
  /** The stored answer is fresh enough; nothing was read. */
  z.object({ kind: z.literal('fresh'), reading: scheduledReadingSchema }),
  z.object({ kind: z.literal('failed'), error: errorViewSchema }),
])
export type ScheduledStep = z.infer<typeof scheduledStepSchema>

export const scheduledContract = {
  /**
   * Returns the last answer at once, then reads the list page by page unless that answer is younger than
   * `freshForMs`. Ending the call stops it.
   */
  read: procedure
    .input(z.object({ freshForMs: z.int().min(0).default(0) }))
    .output(eventIterator(scheduledStepSchema)),
  /** Writes these entries of the last answer as CSV, in this order; read it with `files`. */
  exportCsv: procedure
    .input(z.object({ ids: z.array(z.string()).min(1).max(scheduledMax) }))
    .output(z.object({ fileId: z.string(), name: z.string(), count: z.int() })),
}

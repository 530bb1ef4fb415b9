import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import { scheduledMessageSchema } from './domain.ts'

/** Most entries that are read of the service's list, and most pages of 100 for them in one sweep. */
export const scheduledMax = 5_000

/** How a reading of the whole list ended. */
export const scheduledReadingSchema = z.object({
  asOf: isoTime,
  /** Entries here. */
  loaded: z.int(),
  /** What the service gave as total last. */
  total: z.int(),
  /**
   * `whole`: the list stood still while it was read. `moving`: it kept changing; what is shown may lack entries or hold some that are
   * gone. `cut`: longer than what is read.
   */
  state: z.enum(['whole', 'moving', 'cut']),
})
export type ScheduledReading = z.infer<typeof scheduledReadingSchema>

/** What `read` tells, in this order: `kept`*, then `page`*, then one of `done` and `failed`. */
export const scheduledStepSchema = z.discriminatedUnion('kind', [
  /** A piece of the last whole answer; `reading` says of when. With `isLast` it is complete. */
  z.object({
    kind: z.literal('kept'),
    items: z.array(scheduledMessageSchema),
    reading: scheduledReadingSchema,
    isLast: z.boolean(),
  }),
  /** Entries that a page just read brought new, or changed. */
  z.object({
    kind: z.literal('page'),
    items: z.array(scheduledMessageSchema),
    pagesDone: z.int(),
    pagesTotal: z.int(),
    /** What the service gives as total. */
    total: z.int(),
    /** 1, or more when the list moved and is swept again. */
    sweep: z.int(),
  }),
  /** All pages are read. `gone` are ids of earlier steps that are on the list no longer. */
  z.object({ kind: z.literal('done'), reading: scheduledReadingSchema, gone: z.array(z.string()) }),
  /** The kept answer is fresh enough: nothing was read. */
  z.object({ kind: z.literal('fresh'), reading: scheduledReadingSchema }),
  z.object({ kind: z.literal('failed'), error: errorViewSchema }),
])
export type ScheduledStep = z.infer<typeof scheduledStepSchema>

export const scheduledContract = {
  /**
   * Gives the last answer at once, then reads the list page by page inside the rate budget, unless that answer is younger than
   * `freshForMs`. Ends after `done`, `fresh` or `failed`; leaving it stops the reading.
   */
  read: procedure
    .input(z.object({ freshForMs: z.int().min(0).default(0) }))
    .output(eventIterator(scheduledStepSchema)),
  /** Writes these entries of the last answer as CSV, in the order given. The file is taken with `files`. */
  exportCsv: procedure
    .input(z.object({ ids: z.array(z.string()).min(1).max(scheduledMax) }))
    .output(z.object({ fileId: z.string(), name: z.string(), count: z.int() })),
}

import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'

/**
 * What is known of an error code: the service's records of that code, the meaning the spec gives a delivery report's code, the
 * operator's own note, and how often it was seen here. Records and dlr codes are compared as texts; whether the two mean the
 * same is not stated, so each is labelled with its source.
 */
export const errorCodeCardSchema = z.object({
  code: z.string(),
  records: z.array(
    z.object({
      id: z.string(),
      description: z.string().nullable(),
      category: z.string().nullable(),
      resolution: z.string().nullable(),
      createdAt: isoTime.nullable(),
      /** When the service last showed it. */
      asOf: isoTime,
    }),
  ),
  /** The spec's meaning of this code in a delivery report. */
  dlrMeaning: z.string().nullable(),
  note: z.string(),
  /** In delivery reports stored here. */
  seen: z.object({ count: z.int(), firstAt: isoTime.nullable(), lastAt: isoTime.nullable() }),
})
export type ErrorCodeCard = z.infer<typeof errorCodeCardSchema>

/** A code as the service writes it; the spec bounds neither its length nor its letters. */
const code = z.string().min(1).max(512)

export const errorCodesContract = {
  /** Full-text search offline, best match first; an empty text lists all by code. */
  search: procedure
    .input(
      z.object({
        text: z.string().max(200),
        onlySeen: z.boolean().default(false),
        limit: z.int().min(1).max(500).default(100),
        cursor: z.string().max(500).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(errorCodeCardSchema),
        nextCursor: z.string().nullable(),
        total: z.int(),
        /** When the oldest record of this page was shown by the service; null when the page has none. */
        oldestAsOf: isoTime.nullable(),
        /** When the service last answered a search; null when it never did. */
        lastAnswerAt: isoTime.nullable(),
      }),
    ),
  /** Asks the service and keeps what it answers. `problem` when it could not; `ignoredText` when most of the answer has nothing to do with the text. */
  searchOnline: procedure
    .input(z.object({ text: z.string().max(200).regex(/\S/, 'holds nothing to search for') }))
    .output(
      z.object({
        items: z.array(errorCodeCardSchema),
        added: z.int(),
        ignoredText: z.boolean(),
        problem: errorViewSchema.nullable(),
        asOf: isoTime,
      }),
    ),
  get: procedure.input(z.object({ code })).output(errorCodeCardSchema),
  setNote: procedure.input(z.object({ code, note: z.string().max(20_000) })).output(errorCodeCardSchema),
  /** Fills the offline copy by a series of searches inside the budget, as a task. One under way is answered again, a paused one goes on. */
  fill: procedure.output(z.object({ taskId: z.string() })),
}

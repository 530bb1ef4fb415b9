import * as z from 'zod'
import { noteVersionsSchema } from '../people/contacts.ts'
import { errorViewSchema, isoTime, procedure, saidSchema } from '../define.ts'

/**
 * Everything known about an error code: service records, the spec's meaning in delivery reports, your note, and local
 * counts. Codes are compared as text; the spec doesn't say that both use the same codes, so each source is labelled.
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
      /** When the service last returned it. */
      asOf: isoTime,
    }),
  ),
  /** The spec's meaning in a delivery report. */
  dlrMeaning: saidSchema.nullable(),
  note: z.string(),
  noteVersions: noteVersionsSchema,
  /** In local delivery reports. */
  seen: z.object({ count: z.int(), firstAt: isoTime.nullable(), lastAt: isoTime.nullable() }),
})
export type ErrorCodeCard = z.infer<typeof errorCodeCardSchema>

/** As the service sends it; the spec limits neither length nor characters. */
const code = z.string().min(1).max(512)

export const errorCodesContract = {
  /** Offline full-text search: best match first, then most seen, then by code. */
  search: procedure
    .input(
      z.object({
        text: z.string().max(200),
        onlySeen: z.boolean().default(false),
        /** Empty for all. */
        category: z.string().max(200).default(''),
        limit: z.int().min(1).max(500).default(100),
        cursor: z.string().max(500).optional(),
      }),
    )
    .output(
      z.object({
        items: z.array(errorCodeCardSchema),
        nextCursor: z.string().nullable(),
        total: z.int(),
        /** All categories of stored records, sorted. */
        categories: z.array(z.string()),
        /** Oldest `asOf` of this page; null when it is empty. */
        oldestAsOf: isoTime.nullable(),
        /** When the service last answered a search; null if never. */
        lastAnswerAt: isoTime.nullable(),
      }),
    ),
  /**
   * Searches at the service and stores the results. `problem` when it failed; `ignoredText` when most results don't
   * match the text.
   */
  searchOnline: procedure
    .input(z.object({ text: z.string().max(200).regex(/\S/, 'input.searchText') }))
    .output(
      z.object({
        items: z.array(errorCodeCardSchema),
        added: z.int(),
        /** Records that can't be read and are skipped. */
        unreadable: z.int(),
        ignoredText: z.boolean(),
        problem: errorViewSchema.nullable(),
        asOf: isoTime,
      }),
    ),
  get: procedure.input(z.object({ code })).output(errorCodeCardSchema),
  setNote: procedure.input(z.object({ code, note: z.string().max(20_000) })).output(errorCodeCardSchema),
  /** Fills the offline copy with a series of searches, as a task. Returns the running task, or resumes a paused one. */
  fill: procedure.output(z.object({ taskId: z.string() })),
}

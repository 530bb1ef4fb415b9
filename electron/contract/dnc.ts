import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import { pastedLength } from './limits.ts'
import { numberReading, readableTwoWays } from './number-reading.ts'

/** How far the local copy of the DNC list can be trusted. */
export const dncCacheSchema = z.object({
  /** `never` synced; `fresh`; `stale` past the age set; `partial` while or after a sync that did not come to its end. */
  state: z.enum(['never', 'fresh', 'stale', 'partial']),
  /** When the last whole sync began: the age of the copy. */
  asOf: isoTime.nullable(),
  /** Entries in the copy, and how many of them have a number that cannot be read. */
  entries: z.int(),
  unreadable: z.int(),
  /** Past this age nothing is called clear, milliseconds. */
  maxAgeMs: z.int(),
  /** The sync under way or to be resumed. */
  sync: z
    .object({
      taskId: z.string().nullable(),
      state: z.enum(['running', 'paused', 'interrupted', 'failed']),
      pagesDone: z.int(),
      pagesTotal: z.int().nullable(),
      problem: errorViewSchema.nullable(),
    })
    .nullable(),
  /** Since the sync before the last: entries that came and went. */
  drift: z.object({ added: z.int(), removed: z.int() }).nullable(),
})
export type DncCache = z.infer<typeof dncCacheSchema>

/** What an action that must leave out listed numbers says of the copy it goes by. */
export const dncListSchema = dncCacheSchema.pick({ state: true, asOf: true })
export type DncList = z.infer<typeof dncListSchema>

/** An entry of the local copy. */
export const dncRowSchema = z.object({
  id: z.int(),
  /** The service's id of the entry; null when it gave none. */
  entryId: z.string().nullable(),
  /** As the service wrote it. */
  phoneNumber: z.string(),
  /** E.164, null when it cannot be read. */
  phone: z.string().nullable(),
  reason: z.string().nullable(),
  createdAt: isoTime.nullable(),
  firstSeenAt: isoTime,
  /** When it was found gone; null while it is on the list. */
  goneAt: isoTime.nullable(),
})
export type DncRow = z.infer<typeof dncRowSchema>

/**
 * The answer about one number out of the local copy. `clear` only from a whole copy within its age; else `not-known`. A local
 * hold blocks too, and so does either for a number without a plus when its digits are taken for an international one; `phone` is as it was
 * read, and `reason` says so. `unparsable` names why in `reason`.
 */
export const offlineVerdictSchema = z.object({
  input: z.string(),
  phone: z.string().nullable(),
  verdict: z.enum(['clear', 'blocked', 'not-known', 'unparsable']),
  /** The DNC reason, the hold's evidence, or why it is not known or cannot be read. */
  reason: z.string().nullable(),
  /** Since when it is on the list. */
  since: isoTime.nullable(),
  source: z.enum(['dnc', 'hold', 'none']),
  /** Age of the copy. */
  asOf: isoTime.nullable(),
})
export type OfflineVerdict = z.infer<typeof offlineVerdictSchema>

/** A check of a file or a pasted list. `notKnown` counts what would be clear with a copy young enough. */
export const dncCheckRunSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['running', 'paused', 'interrupted', 'done', 'failed', 'cancelled']),
  taskId: z.string().nullable(),
  counts: z.object({
    rows: z.int(),
    clear: z.int(),
    blocked: z.int(),
    notKnown: z.int(),
    unparsable: z.int(),
    readableTwoWays,
  }),
  /** How its numbers without a plus were read. */
  region: z.string(),
  ...numberReading,
  /** Age of the copy it was checked against. */
  cacheAsOf: isoTime.nullable(),
  problem: errorViewSchema.nullable(),
  createdAt: isoTime,
  /** Files to take with `files.read`; `clear` holds those not known where the copy was too old, named so. */
  files: z.object({ clear: z.string(), blocked: z.string(), unparsable: z.string() }).nullable(),
})
export type DncCheckRun = z.infer<typeof dncCheckRunSchema>

/** A number that is not to be contacted from here, because of an inbound stop word or by hand. */
export const holdSchema = z.object({
  id: z.int(),
  phone: z.string(),
  /** The whole inbound text, or what the operator wrote. */
  evidence: z.string(),
  source: z.enum(['stop-word', 'by-hand']),
  /** The event that began it. */
  eventSeq: z.int().nullable(),
  since: isoTime,
  endedAt: isoTime.nullable(),
  /** Why it ended: `by-hand`, or `on-dnc` when a sync showed the number. */
  endReason: z.enum(['by-hand', 'on-dnc']).nullable(),
  /** When it was last handed off in an export. */
  handedOffAt: isoTime.nullable(),
})
export type Hold = z.infer<typeof holdSchema>

const page = z.object({ limit: z.int().min(1).max(500).default(100), cursor: z.string().max(500).optional() })

export const dncContract = {
  /** The copy's state: at once, then after each change (at most four a second). */
  watch: procedure.output(eventIterator(dncCacheSchema)),
  /** Reads the whole list anew, or goes on with a sync that was interrupted. */
  sync: procedure.output(z.object({ taskId: z.string() })),
  setMaxAge: procedure
    .input(
      z.object({
        maxAgeMs: z
          .int()
          .min(60_000)
          .max(366 * 86_400_000),
      }),
    )
    .output(dncCacheSchema),
  /** Entries: by a part of the number or reason; `which` shows all of now, what came or what went since the sync before. */
  list: procedure
    .input(
      page.extend({
        text: z.string().max(200).optional(),
        which: z.enum(['all', 'added', 'removed', 'unreadable']),
      }),
    )
    .output(
      z.object({
        items: z.array(dncRowSchema),
        nextCursor: z.string().nullable(),
        total: z.int(),
        cache: dncCacheSchema,
      }),
    ),
  /** One number or a few, out of the local copy and the holds. At most 1,000. */
  checkOffline: procedure
    .input(z.object({ phones: z.array(z.string().max(200)).min(1).max(1_000), region: z.string().length(2) }))
    .output(z.object({ verdicts: z.array(offlineVerdictSchema), cache: dncCacheSchema })),
  /** Asks the service about one number, now. `not-proven` is never clear. */
  checkOnline: procedure.input(z.object({ phone: z.string().max(200), region: z.string().length(2) })).output(
    z.object({
      phone: z.string(),
      verdict: z.enum(['blocked', 'clear', 'not-proven']),
      entry: z
        .object({
          id: z.string().nullable(),
          phoneNumber: z.string(),
          reason: z.string().nullable(),
          createdAt: isoTime.nullable(),
        })
        .nullable(),
      /** Why it is not proven, or that the answer differs from the local copy. */
      remark: z.string().nullable(),
      asOf: isoTime,
    }),
  ),
  /** Checks a file that was handed in (any CSV; the column with the numbers, from 0) or a pasted text, one number a line. */
  checkFile: procedure
    .input(
      z.object({
        name: z.string().min(1).max(255),
        source: z.union([
          z.object({ fileId: z.string(), column: z.int().min(0), hasHeader: z.boolean() }),
          z.object({ text: z.string().max(pastedLength) }),
        ]),
        region: z.string().length(2),
        ...numberReading,
      }),
    )
    .output(z.object({ checkId: z.string(), taskId: z.string() })),
  /** The columns and first rows of a file to check. IMPORT_FILE_* when it is no table. */
  inspectFile: procedure.input(z.object({ fileId: z.string() })).output(
    z.object({
      header: z.array(z.string()),
      sample: z.array(z.array(z.string())),
      hasHeader: z.boolean(),
      guess: z.int(),
    }),
  ),
  checkRuns: procedure
    .input(page)
    .output(z.object({ items: z.array(dncCheckRunSchema), nextCursor: z.string().nullable() })),
  holds: procedure
    .input(page.extend({ which: z.enum(['active', 'ended', 'not-handed-off']) }))
    .output(z.object({ items: z.array(holdSchema), nextCursor: z.string().nullable(), total: z.int() })),
  hold: procedure
    .input(
      z.object({
        phone: z.string().max(200),
        region: z.string().length(2),
        evidence: z.string().min(1).max(2_000),
      }),
    )
    .output(holdSchema),
  release: procedure.input(z.object({ id: z.int() })).output(holdSchema),
  /** Holds not yet handed off (or all active ones), with their evidence, as a CSV; marks them as handed off. */
  exportHandOff: procedure
    .input(z.object({ all: z.boolean() }))
    .output(z.object({ fileId: z.string(), name: z.string(), count: z.int() })),
  stopWords: procedure.output(z.object({ words: z.array(z.string()) })),
  /** For texts that arrive from now on. */
  setStopWords: procedure
    .input(z.object({ words: z.array(z.string().trim().min(1).max(100)).max(200) }))
    .output(z.object({ words: z.array(z.string()) })),
}

import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { skipChoices } from './consent.ts'
import { headerRowSchema } from '../table-format.ts'
import { errorViewSchema, isoTime, procedure, saidSchema } from '../define.ts'
import { pastedLength } from '../limits.ts'
import {
  countryColumn,
  numberColumns,
  numberReading,
  numberRegion,
  readableTwoWays,
} from '../number-reading.ts'

/** State of the offline DNC copy. */
export const dncCacheSchema = z.object({
  /** `stale`: older than `maxAgeMs`. `partial`: a sync is running or ended early. `unreadable`: too many entries can’t be read. `other-key`: read with another API key, which may be another tenant's. `team-stale`: the team's holds are older. */
  state: z.enum(['never', 'fresh', 'stale', 'partial', 'unreadable', 'other-key', 'team-stale']),
  /** Start of the last complete sync. */
  asOf: isoTime.nullable(),
  /** When all of the team's holds were last known; null outside a team. */
  teamReadAt: isoTime.nullable(),
  /** Why messages would wait now: inbound messages or colleagues' holds, and so opt-outs, can't be read. Null while they can. */
  waits: errorViewSchema.nullable(),
  /** Entries, and those whose number can't be read. */
  entries: z.int(),
  unreadable: z.int(),
  /** Of `entries`: missing from the last list, too many at once to be believed. They block until `useShorterList`, or until listed again. */
  kept: z.int(),
  /** Active local holds whose sender can't be read. */
  unreadableHolds: z.int(),
  /** Rises with each change of the local holds. */
  holdsVersion: z.int(),
  /** Entries and holds that may be numbers in national form. Zero once the connection's country is known. */
  withoutCountry: z.int(),
  /** Numbers are never called clear past this age, milliseconds. */
  maxAgeMs: z.int(),
  /** The running or resumable sync. */
  sync: z
    .object({
      taskId: z.string().nullable(),
      state: z.enum(['running', 'paused', 'interrupted', 'failed']),
      pagesDone: z.int(),
      pagesTotal: z.int().nullable(),
      problem: errorViewSchema.nullable(),
    })
    .nullable(),
  /** Entries added and removed between the last two syncs. */
  drift: z.object({ added: z.int(), removed: z.int() }).nullable(),
})
export type DncCache = z.infer<typeof dncCacheSchema>

/** State of the copy that an action uses to skip blocked numbers. */
export const dncListSchema = dncCacheSchema.pick({ state: true, asOf: true, teamReadAt: true, waits: true })
export type DncList = z.infer<typeof dncListSchema>

export const dncRowSchema = z.object({
  id: z.int(),
  /** The service's id; null if it gave none. */
  entryId: z.string().nullable(),
  /** As the service sent it. */
  phoneNumber: z.string(),
  /** E.164; null when unreadable. */
  phone: z.string().nullable(),
  reason: z.string().nullable(),
  createdAt: isoTime.nullable(),
  firstSeenAt: isoTime,
  /** When it disappeared from the list; null while listed. */
  goneAt: isoTime.nullable(),
})
export type DncRow = z.infer<typeof dncRowSchema>

/**
 * Verdict from the offline copy and local holds. `clear` only from a complete copy within its age, else `not-known`, as is a number that an
 * unreadable entry may be. A text that may be several numbers is blocked if one of them is: `reason` says which.
 * `unparsable`: `reason` says why.
 */
export const offlineVerdictSchema = z.object({
  input: z.string(),
  phone: z.string().nullable(),
  verdict: z.enum(['clear', 'blocked', 'not-known', 'unparsable']),
  /** DNC reason, hold evidence, or why it is unknown or invalid. */
  reason: saidSchema.nullable(),
  /** When it was listed. */
  since: isoTime.nullable(),
  /** The list that has, or may have, the number: `none` if it is only unknown because the copy isn't fresh. */
  source: z.enum(['dnc', 'hold', 'none']),
  /** Who of the team put it on hold; null for this computer. */
  author: z.string().nullable(),
  /** Age of the copy. */
  asOf: isoTime.nullable(),
  /** Set if it is surely a landline, by the numbering plan. */
  isLandline: z.literal(true).optional(),
})
export type OfflineVerdict = z.infer<typeof offlineVerdictSchema>

/** Check of a file or pasted list. `notKnown`: the copy isn't fresh, or an unreadable entry may be the number. */
export const dncCheckRunSchema = z.object({
  id: z.string(),
  /** The file's name, or what else was checked. */
  name: saidSchema,
  state: z.enum(['running', 'paused', 'interrupted', 'done', 'failed', 'cancelled']),
  taskId: z.string().nullable(),
  counts: z.object({
    rows: z.int(),
    clear: z.int(),
    blocked: z.int(),
    /** Of these: only the file itself says no, by a column, a tag, a note, its name or another sheet. */
    refused: z.int(),
    notKnown: z.int(),
    /** Of these: an unreadable entry may be the number. */
    maybeListed: z.int(),
    unparsable: z.int(),
    readableTwoWays,
  }),
  /** Region used for numbers without a plus. */
  region: z.string(),
  ...numberReading,
  /** Age of the copy used. */
  cacheAsOf: isoTime.nullable(),
  problem: errorViewSchema.nullable(),
  createdAt: isoTime,
  /**
   * Files for `files.read`. With an outdated copy, `clear` holds the unknown numbers and its name says so. `unknown`: those that an
   * unreadable entry may be; older checks have none.
   */
  files: z
    .object({
      clear: z.string(),
      blocked: z.string(),
      unknown: z.string().nullable(),
      unparsable: z.string(),
    })
    .nullable(),
})
export type DncCheckRun = z.infer<typeof dncCheckRunSchema>

/**
 * Hold on a number: from an opt-out keyword, from a message that may be an opt-out until someone decides, set manually, or imported; here
 * or by a colleague.
 */
export const holdSchema = z.object({
  id: z.int(),
  /** As the sender wrote it; E.164 when set manually. */
  phone: z.string(),
  /** E.164 of the likeliest number; null when it can't be read, so that the hold can't be applied. */
  number: z.string().nullable(),
  /** The whole inbound text, the operator's reason, or the file and value of an import. */
  evidence: z.string(),
  source: z.enum(['opt-out', 'possible-opt-out', 'by-hand', 'import']),
  /** Who of the team holds it; null for this computer. */
  author: z.string().nullable(),
  /** The team has it, so a removal counts for all. */
  shared: z.boolean(),
  /** False for a team's hold that lacks the proof of the team key. */
  verified: z.boolean(),
  /** Delivery that started it, by its number in the journal. */
  eventSeq: z.int().nullable(),
  since: isoTime,
  endedAt: isoTime.nullable(),
  /** `on-dnc`: a sync found the number on the DNC list. */
  endReason: z.enum(['by-hand', 'on-dnc']).nullable(),
  /** Who of the team removed it; null if unknown or outside a team. */
  endedBy: z.string().nullable(),
  /** Last hand-off export. */
  handedOffAt: isoTime.nullable(),
  /** The colleague who exports it; null for this computer. */
  exporter: z.string().nullable(),
  /** In a team, or after one: up to 500 other active holds of the number. */
  others: z.array(z.object({ id: z.int(), evidence: z.string(), author: z.string().nullable() })),
})
export type Hold = z.infer<typeof holdSchema>

const page = z.object({ limit: z.int().min(1).max(500).default(100), cursor: z.string().max(500).optional() })

export const dncContract = {
  /** State of the copy: now, then after changes (at most 4/s). */
  watch: procedure.output(eventIterator(dncCacheSchema)),
  /** Syncs the whole list, or resumes an interrupted sync. */
  sync: procedure.output(z.object({ taskId: z.string() })),
  /** Drops the `kept` entries; `confirmName` on production. DNC_LIST_CHANGED if `kept` and `asOf` are of an earlier list. */
  useShorterList: procedure
    .input(z.object({ kept: z.int(), asOf: isoTime, confirmName: z.string().optional() }))
    .output(dncCacheSchema),
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
  /** Entries by part of a number or reason. `added` and `removed` compare with the previous sync. */
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
  /** Checks up to 1,000 numbers against the copy and holds. */
  checkOffline: procedure
    .input(z.object({ phones: z.array(z.string().max(200)).min(1).max(1_000), region: numberRegion }))
    .output(z.object({ verdicts: z.array(offlineVerdictSchema), cache: dncCacheSchema })),
  /** Checks one number with the service now. Never read `not-proven` as clear. */
  checkOnline: procedure.input(z.object({ phone: z.string().max(200), region: numberRegion })).output(
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
      /** Why it isn't proven, or how it differs from the offline copy. */
      remarks: z.array(saidSchema),
      asOf: isoTime,
    }),
  ),
  /** Checks an uploaded CSV (column from 0), or pasted text with one number per line. */
  checkFile: procedure
    .input(
      z.object({
        /** Of the file; null for a pasted list. */
        name: z.string().min(1).max(255).nullable(),
        source: z.union([
          z.object({
            fileId: z.string(),
            column: z.int().min(0),
            headerRow: headerRowSchema,
            ...numberColumns,
            ...countryColumn,
            consent: skipChoices,
          }),
          z.object({ text: z.string().max(pastedLength) }),
        ]),
        region: z.string().length(2),
        ...numberReading,
      }),
    )
    .output(z.object({ checkId: z.string(), taskId: z.string() })),
  /** Columns and first rows of an uploaded file. IMPORT_FILE_* when it isn't a table. */
  inspectFile: procedure.input(z.object({ fileId: z.string() })).output(
    z.object({
      header: z.array(z.string()),
      sample: z.array(z.array(z.string())),
      headerRow: headerRowSchema,
      phoneColumn: z.int(),
      /** All columns of numbers. The first readable number of a row counts, and a blocked one blocks the row. */
      numberColumns: z.array(z.int()),
      ...countryColumn,
    }),
  ),
  checkRuns: procedure
    .input(page)
    .output(z.object({ items: z.array(dncCheckRunSchema), nextCursor: z.string().nullable() })),
  holds: procedure
    /** `text`: part of the sender, the reason or the file. */
    .input(
      page.extend({
        which: z.enum(['active', 'ended', 'not-handed-off']),
        text: z.string().max(200).optional(),
      }),
    )
    .output(z.object({ items: z.array(holdSchema), nextCursor: z.string().nullable(), total: z.int() })),
  hold: procedure
    .input(
      z.object({
        phone: z.string().max(200),
        region: numberRegion,
        evidence: z.string().min(1).max(2_000),
      }),
    )
    .output(holdSchema),
  /** Ends a hold, and in a team the `others` that were shown with it. */
  release: procedure
    .input(z.object({ id: z.int(), others: z.array(z.int()).max(500).optional() }))
    .output(holdSchema),
  /** Exports holds not yet handed off (or all active ones) with their evidence as CSV, and marks them handed off. */
  exportHandOff: procedure
    .input(z.object({ all: z.boolean() }))
    .output(z.object({ fileId: z.string(), name: z.string(), count: z.int() })),
  optOutKeywords: procedure.output(z.object({ words: z.array(z.string()) })),
  /** Applies to messages that arrive from now on. */
  setOptOutKeywords: procedure
    .input(z.object({ words: z.array(z.string().trim().min(1).max(100)).max(200) }))
    .output(z.object({ words: z.array(z.string()) })),
}

import * as z from 'zod'
import { errorViewSchema, isoTime, procedure, saidSchema } from '../define.ts'
import { consentChoiceSchema, consentColumnSchema } from './consent.ts'
import { dncListSchema } from './dnc.ts'
import { textMap } from '../domain.ts'
import { pastedLength } from '../limits.ts'
import { countryColumn, numberColumns, numberReading, numberRegion } from '../number-reading.ts'
import { encodingSchema, headerRowSchema } from '../table-format.ts'

/** How a file's bytes become rows and cells. `encoding` is a label of the WHATWG Encoding Standard, such as `windows-1251`. */
export const csvFormatSchema = z.object({
  encoding: encodingSchema,
  /** One character. */
  delimiter: z.string().length(1),
  headerRow: headerRowSchema,
})
export type CsvFormat = z.infer<typeof csvFormatSchema>

/**
 * Meaning of a column. `tag` stores it under `tagKey`; `tags` reads a JSON object or list, or `key=value;word|word`.
 * Several columns may be `phone` or `email`: the first usable value by `rank` counts. `country` is the one in which the row's numbers are
 * dialled.
 */
export const columnTargetSchema = z.discriminatedUnion('to', [
  z.object({ to: z.enum(['name', 'first-name', 'last-name', 'country', 'tags', 'note', 'ignore']) }),
  z.object({ to: z.enum(['phone', 'email']), rank: z.int().min(1).max(500).optional() }),
  z.object({ to: z.literal('tag'), tagKey: z.string().min(1).max(200) }),
])
export type ColumnTarget = z.infer<typeof columnTargetSchema>

export const importChoicesSchema = z.object({
  format: csvFormatSchema,
  /** One per column of the file. At least one is `phone`; two `name` columns are joined with a space. */
  columns: z.array(columnTargetSchema).min(1).max(500),
  /** ISO 3166 alpha-2: region for numbers without a plus. */
  defaultRegion: z.string().length(2),
  ...numberReading,
  /** For cells with several numbers: reject the row, or use the first. */
  severalNumbers: z.enum(['reject', 'use-first']),
  /** For numbers with an extension: reject the row, or import the number without it. */
  extensions: z.enum(['reject', 'leave-out']),
  /** For numbers of the right length that no plan knows: reject the row, or import them as written. */
  unknownNumbers: z.enum(['reject', 'import']),
  /** Which row counts when a number repeats in the file. */
  duplicatesInFile: z.enum(['keep-first', 'keep-last']),
  /** For numbers of existing contacts: skip the row, or update the contact with its values. */
  duplicatesInContacts: z.enum(['skip', 'update']),
  /** For blocked numbers: import them marked (never sent to), or skip them. */
  dncHits: z.enum(['import-marked', 'skip']),
  /** For invalid emails and unreadable tags: reject the row, or import it without them. */
  badEmails: z.enum(['reject', 'leave-out']),
  badTags: z.enum(['reject', 'leave-out']),
  /** For commas in a tag cell: several tags, one tag, or as `badTags`. */
  tagCommas: z.enum(['split', 'as-one', 'reject', 'leave-out']),
  /** Added to every contact of this import. */
  extraTags: textMap,
  /** A column of the preview that isn't here is `hold` with the values that are `isNo`. */
  consent: z.array(consentChoiceSchema).max(50).default([]),
})
export type ImportChoices = z.infer<typeof importChoicesSchema>

/**
 * Result of a row. `new` and `update` are stored; `unchanged` matches an existing contact; the others are not stored.
 * `dnc`: skipped by choice.
 */
export const rowOutcomeSchema = z.enum([
  'new',
  'update',
  'unchanged',
  'duplicate-in-file',
  'duplicate-in-contacts',
  'dnc',
  'invalid',
])
export type RowOutcome = z.infer<typeof rowOutcomeSchema>

/**
 * Problem of a row. Email and tag problems, `number-several`, `number-extension` and `number-possible` reject it only by choice;
 * `number-two-ways` never does.
 */
export const rowProblemSchema = z.enum([
  'number-empty',
  'number-none',
  'number-short',
  'number-long',
  'number-letters',
  'number-extension',
  'number-several',
  'number-rounded',
  'number-region',
  'number-country',
  'number-unknown',
  'number-possible',
  'number-two-ways',
  'number-next-column',
  'email',
  'email-next-column',
  'tags',
  'tag-commas',
  'not-a-contact',
  'encoding',
  'malformed',
  'extra-cells',
  'field-too-long',
])
export type RowProblem = z.infer<typeof rowProblemSchema>

/** Why a row is listed: what rejected it, or an outcome that skips it. */
const listedReasonSchema = z.enum([
  ...rowProblemSchema.options,
  ...rowOutcomeSchema.extract(['duplicate-in-file', 'duplicate-in-contacts', 'dnc']).options,
])
export type ListedReason = z.infer<typeof listedReasonSchema>

/**
 * Rows per outcome, adding up to `rows`. `marked`: stored but blocked. `nameless`: no name afterwards, within `new`
 * and `update`. `partial`: imported without its email, tags or further numbers. `problems` counts rows of every outcome; a rejected
 * row counts once.
 */
export const importCountsSchema = z.object({
  rows: z.int(),
  new: z.int(),
  update: z.int(),
  unchanged: z.int(),
  duplicateInFile: z.int(),
  duplicateInContacts: z.int(),
  dnc: z.int(),
  invalid: z.int(),
  marked: z.int(),
  partial: z.int(),
  nameless: z.int(),
  problems: z.partialRecord(rowProblemSchema, z.int()),
})
export type ImportCounts = z.infer<typeof importCountsSchema>

/** A row of the file and its result. */
export const importRowSchema = z.object({
  /** From 1, without the header and blank lines. */
  rowNumber: z.int(),
  /** Row number in a spreadsheet, as shown to people: the blank lines count. */
  sheetRow: z.int(),
  /** Line it starts on, from 1. */
  line: z.int(),
  /** As in the file, each cut at 500 characters. */
  cells: z.array(z.string()),
  /** E.164; null when the phone can't be read. */
  phone: z.string().nullable(),
  /** The contact's name, cut likewise. */
  name: z.string(),
  outcome: rowOutcomeSchema,
  /** Reason, as text; null for a complete `new` row. */
  reason: saidSchema.nullable(),
})
export type ImportRow = z.infer<typeof importRowSchema>

export const importRecordSchema = z.object({
  id: z.string(),
  fileName: z.string(),
  sizeBytes: z.int(),
  /** `prepared` until started; `undone` after an undo. */
  state: z.enum([
    'prepared',
    'running',
    'paused',
    'interrupted',
    'done',
    'cancelled',
    'failed',
    'undoing',
    'undone',
  ]),
  choices: importChoicesSchema.nullable(),
  /** Of the rows stored until now. */
  counts: importCountsSchema,
  /** Numbers put on hold because their rows say no; an undo keeps these holds. */
  held: z.int(),
  taskId: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  /** False when nothing can be undone; `undoNote` says why. */
  canUndo: z.boolean(),
  undoNote: saidSchema.nullable(),
  /** True when an undo kept some contacts that still exist. */
  keptAny: z.boolean(),
})
export type ImportRecord = z.infer<typeof importRecordSchema>

const readingSchema = z.object({ region: z.string(), ...numberReading })

const byId = z.object({ importId: z.string() })

export const importsContract = {
  /** Detects an uploaded file's format, first rows and columns. IMPORT_FILE_* when it isn't a table. */
  inspect: procedure
    .input(z.object({ fileId: z.string(), format: csvFormatSchema.partial().optional() }))
    .output(
      z.object({
        importId: z.string(),
        format: csvFormatSchema,
        /** Names as in the file, with duplicates; `Column 1` without a header. */
        header: z.array(z.string()),
        guesses: z.array(columnTargetSchema),
        /** As the last import with these titles had them; null for none. */
        former: z
          .object({
            columns: z.array(columnTargetSchema),
            reading: z.object({ region: z.string(), hasCountryCodes: z.boolean() }),
          })
          .nullable(),
        /** Columns whose title is about consent to be contacted. */
        consent: z.array(z.int()),
        /** First rows. */
        sample: z.array(z.array(z.string())),
        /** Oddities as text: mixed line ends, uneven rows, replaced bytes. */
        warnings: z.array(saidSchema),
        sizeBytes: z.int(),
      }),
    ),
  /**
   * Guesses how the numbers without a plus of a file's columns, or of a text with one per line, are read. `region`, the expected one,
   * or else the connection's country, wins unless the numbers clearly contradict it. Without either, `usual` is tried, the last country used:
   * a person chooses if the numbers also fit another one. Without any, the numbers alone decide. `reading` is null if a person must choose
   * from `choices`. `numbers` have no plus and were judged, `valid` of them fit the likeliest reading.
   */
  guessReading: procedure
    .input(
      z.object({
        source: z.union([
          z.object({
            fileId: z.string(),
            format: csvFormatSchema.partial().optional(),
            columns: z.array(z.int().nonnegative()).min(1).max(500),
            ...countryColumn,
          }),
          z.object({ text: z.string().max(pastedLength) }),
        ]),
        region: numberRegion,
        usual: numberRegion,
      }),
    )
    .output(
      z.object({
        reading: readingSchema.nullable(),
        /** The likeliest first. */
        choices: z.array(
          readingSchema.extend({
            valid: z.int(),
            /** The same texts in each choice. `phone`: E.164, also of several numbers; null if it can't be read. */
            samples: z.array(z.object({ text: z.string(), phone: z.string().nullable() })),
          }),
        ),
        numbers: z.int(),
        valid: z.int(),
      }),
    ),
  /** The columns of a whole file that say who must not be contacted. */
  consent: procedure
    .input(
      z.object({
        fileId: z.string(),
        headerRow: headerRowSchema,
        phoneColumn: z.int().min(0),
        ...numberColumns,
        ...countryColumn,
        region: z.string().length(2),
        ...numberReading,
      }),
    )
    .output(z.object({ items: z.array(consentColumnSchema) })),
  /**
   * Counts what the import would do with the current contacts; stores nothing. A newer preview of the same file ends
   * it. Samples are in file order, at most 50 of each kind.
   */
  preview: procedure.input(byId.extend({ choices: importChoicesSchema })).output(
    z.object({
      counts: importCountsSchema,
      samples: z.array(z.object({ outcome: rowOutcomeSchema, rows: z.array(importRowSchema) })),
      problems: z.array(z.object({ problem: rowProblemSchema, rows: z.array(importRowSchema) })),
      consent: z.array(consentColumnSchema),
      /** Numbers that the import puts on hold by such columns, and that aren't on hold yet. */
      toHold: z.int(),
      /** Such numbers that are on hold already. */
      heldBefore: z.int(),
      /** Rows that say no beside a number that can't be read: nothing is put on hold for them. */
      unreadRefusals: z.int(),
      /** Offline DNC copy used for marking. */
      dncList: dncListSchema,
      asOf: isoTime,
    }),
  ),
  /** Starts an import as a task. Cancelling keeps the stored rows, which can be undone. */
  start: procedure
    .input(byId.extend({ choices: importChoicesSchema }))
    .output(z.object({ taskId: z.string() })),
  list: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), cursor: z.string().optional() }))
    .output(z.object({ items: z.array(importRecordSchema), nextCursor: z.string().nullable() })),
  get: procedure.input(byId).output(importRecordSchema),
  /**
   * Rejected, skipped or partly stored rows, in file order; fewer than `limit` when rows are long. `only`: rows with this
   * reason. `total` counts all reasons and grows while the import runs. A cursor past the end returns none; a foreign one
   * is INVALID_INPUT.
   */
  rejected: procedure
    .input(
      byId.extend({
        only: listedReasonSchema.optional(),
        limit: z.int().min(1).max(500).default(100),
        cursor: z.string().optional(),
      }),
    )
    .output(z.object({ items: z.array(importRowSchema), nextCursor: z.string().nullable(), total: z.int() })),
  /** Writes invalid or all rejected rows as a CSV you can import again, with row, outcome and reason. */
  exportRejected: procedure
    .input(byId.extend({ rows: z.enum(['invalid', 'all']).default('invalid') }))
    .output(z.object({ taskId: z.string() })),
  /** Undoes an import: deletes its contacts and restores those it changed. Contacts on the service stay. `confirmName` on production. */
  undo: procedure
    .input(byId.extend({ confirmName: z.string().optional() }))
    .output(z.object({ taskId: z.string() })),
}

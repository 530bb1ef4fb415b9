import * as z from 'zod'
import { errorViewSchema, isoTime, procedure } from './define.ts'
import { dncListSchema } from './dnc.ts'
import { textMap } from './domain.ts'
import { numberReading } from './number-reading.ts'

/** How the bytes of a file become rows and cells. */
export const csvFormatSchema = z.object({
  encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'latin1']),
  /** One character. */
  delimiter: z.string().length(1),
  /** The first row names the columns. */
  hasHeader: z.boolean(),
})
export type CsvFormat = z.infer<typeof csvFormatSchema>

/** What becomes of a column. `tag` writes it under `tagKey`; `tags` reads a JSON object or list, or `key=value;word|word`. */
export const columnTargetSchema = z.discriminatedUnion('to', [
  z.object({ to: z.enum(['name', 'first-name', 'last-name', 'phone', 'email', 'tags', 'note', 'ignore']) }),
  z.object({ to: z.literal('tag'), tagKey: z.string().min(1).max(200) }),
])
export type ColumnTarget = z.infer<typeof columnTargetSchema>

export const importChoicesSchema = z.object({
  format: csvFormatSchema,
  /** One for each column of the file, in its order. Exactly one is `phone`; two `name` columns are joined with a space. */
  columns: z.array(columnTargetSchema).min(1).max(500),
  /** Two letters of ISO 3166: numbers without a plus are read as of there. */
  defaultRegion: z.string().length(2),
  ...numberReading,
  /** The same number twice in the file: which row counts. */
  duplicatesInFile: z.enum(['keep-first', 'keep-last']),
  /** The number is in the book already: leave the book's contact, or fill and overwrite it with what the row has. */
  duplicatesInBook: z.enum(['skip', 'update']),
  /** Numbers on the DNC list or held: bring them in marked, or leave them out. Marked ones are never sent. */
  dncHits: z.enum(['import-marked', 'skip']),
  /** Invalid e-mails and unreadable tags: reject the row, or import it without them. */
  badEmails: z.enum(['reject', 'leave-out']),
  badTags: z.enum(['reject', 'leave-out']),
  /** Commas between tags in a cell: several tags, one with commas, or as of `badTags`. */
  tagCommas: z.enum(['split', 'as-one', 'reject', 'leave-out']),
  /** Put on every contact of this import. */
  extraTags: textMap,
})
export type ImportChoices = z.infer<typeof importChoicesSchema>

/**
 * What becomes of a row. `new` and `update` are stored; `unchanged` is in the book already with nothing to change;
 * `duplicate-in-file`, `duplicate-in-book`, `dnc` (left out by choice) and `invalid` are not stored.
 */
export const rowOutcomeSchema = z.enum([
  'new',
  'update',
  'unchanged',
  'duplicate-in-file',
  'duplicate-in-book',
  'dnc',
  'invalid',
])
export type RowOutcome = z.infer<typeof rowOutcomeSchema>

/** What is wrong with a row. Those of an e-mail, of tags and `number-two-ways` reject it only by choice. */
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
  'number-unknown',
  'number-two-ways',
  'email',
  'tags',
  'tag-commas',
  'malformed',
  'extra-cells',
  'field-too-long',
])
export type RowProblem = z.infer<typeof rowProblemSchema>

/**
 * Rows per outcome; together they are all rows of the file. `marked` counts stored ones on DNC or held, `nameless` those that have no name
 * then, within `new` and `update`. `partial` counts those of `new`, `update` and `unchanged` that had an e-mail or tags that were left out.
 * `problems` counts rows of every outcome; a rejected row counts once, for what rejected it.
 */
export const importCountsSchema = z.object({
  rows: z.int(),
  new: z.int(),
  update: z.int(),
  unchanged: z.int(),
  duplicateInFile: z.int(),
  duplicateInBook: z.int(),
  dnc: z.int(),
  invalid: z.int(),
  marked: z.int(),
  partial: z.int(),
  nameless: z.int(),
  problems: z.partialRecord(rowProblemSchema, z.int()),
})
export type ImportCounts = z.infer<typeof importCountsSchema>

/** A row of the file with what becomes of it. */
export const importRowSchema = z.object({
  /** Number of the row among those of the file, the header and blank lines not counted, from 1. */
  rowNumber: z.int(),
  /** The row as a spreadsheet numbers it, and as people are told: a header is row 1, blank lines are counted. */
  sheetRow: z.int(),
  /** The line it begins on, from 1. */
  line: z.int(),
  /** The cells as they stand in the file; long ones cut at 500 characters. */
  cells: z.array(z.string()),
  /** What it was read as; null where the phone cannot be read. */
  phone: z.string().nullable(),
  outcome: rowOutcomeSchema,
  /** Why, in words an operator can act on; null for a `new` one that is whole. */
  reason: z.string().nullable(),
})
export type ImportRow = z.infer<typeof importRowSchema>

export const importRecordSchema = z.object({
  id: z.string(),
  fileName: z.string(),
  sizeBytes: z.int(),
  /** `prepared` until it is started; `undone` after an undo. */
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
  /** Of what is stored so far; whole when it is done. */
  counts: importCountsSchema,
  taskId: z.string().nullable(),
  problem: errorViewSchema.nullable(),
  /** When the import was started. */
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  /** False when nothing of it is left to take back; `undoNote` then says why. */
  canUndo: z.boolean(),
  undoNote: z.string().nullable(),
  /** True after an undo while contacts that it kept are in the book. */
  keptAny: z.boolean(),
})
export type ImportRecord = z.infer<typeof importRecordSchema>

const byId = z.object({ importId: z.string() })

export const importsContract = {
  /** Looks into a file that was handed in: its format, its first rows, a guess for each column. IMPORT_FILE_* when it is no table. */
  inspect: procedure
    .input(z.object({ fileId: z.string(), format: csvFormatSchema.partial().optional() }))
    .output(
      z.object({
        importId: z.string(),
        format: csvFormatSchema,
        /** Header names, or `Column 1` where there is none; as they stand, duplicates included. */
        header: z.array(z.string()),
        guesses: z.array(columnTargetSchema),
        /** First rows as cells. */
        sample: z.array(z.array(z.string())),
        /** What is odd about the file, for the operator: mixed line ends, rows of differing length, a replaced byte. */
        warnings: z.array(z.string()),
        sizeBytes: z.int(),
      }),
    ),
  /**
   * Guesses from a file's first numbers the region of those without a plus. `region` is the computer's; it decides between regions that
   * fit alike. `numbers` have no plus, `valid` of them are numbers of the guessed region; `alike` other regions fit as well.
   */
  guessRegion: procedure
    .input(
      byId.extend({
        format: csvFormatSchema,
        column: z.int().nonnegative(),
        region: z.string().length(2),
      }),
    )
    .output(
      z.object({
        region: z.string(),
        ownCodeIsPlus: z.boolean(),
        numbers: z.int(),
        valid: z.int(),
        alike: z.int(),
      }),
    ),
  /**
   * Reads the whole file under these choices against the book of now and counts what the import would do, storing nothing. Ends early
   * when another preview of the same file begins. Samples are in file order, at most 50 of each kind.
   */
  preview: procedure.input(byId.extend({ choices: importChoicesSchema })).output(
    z.object({
      counts: importCountsSchema,
      samples: z.array(z.object({ outcome: rowOutcomeSchema, rows: z.array(importRowSchema) })),
      problems: z.array(z.object({ problem: rowProblemSchema, rows: z.array(importRowSchema) })),
      /** The copy of the Do Not Contact list by which rows were marked. */
      dncList: dncListSchema,
      asOf: isoTime,
    }),
  ),
  /** Starts it. The task pauses, resumes and cancels; what is stored when it is cancelled stays, and can be undone. */
  start: procedure
    .input(byId.extend({ choices: importChoicesSchema }))
    .output(z.object({ taskId: z.string() })),
  list: procedure
    .input(z.object({ limit: z.int().min(1).max(200).default(50), cursor: z.string().optional() }))
    .output(z.object({ items: z.array(importRecordSchema), nextCursor: z.string().nullable() })),
  get: procedure.input(byId).output(importRecordSchema),
  /**
   * Rows that were not stored, or not whole, and are listed, in file order; fewer than `limit` where they are long. `total`: how many are listed by
   * now, more while the import runs. A cursor behind the last row gives none; one that is no cursor of this list is INVALID_INPUT.
   */
  rejected: procedure
    .input(byId.extend({ limit: z.int().min(1).max(500).default(100), cursor: z.string().optional() }))
    .output(z.object({ items: z.array(importRowSchema), nextCursor: z.string().nullable(), total: z.int() })),
  /**
   * Writes the invalid rows, or all rejected ones, as a CSV that you can import again: the file's own columns and delimiter, then row,
   * outcome and reason.
   */
  exportRejected: procedure
    .input(byId.extend({ rows: z.enum(['invalid', 'all']).default('invalid') }))
    .output(z.object({ taskId: z.string() })),
  /** Takes back what the import did: contacts it made go, contacts it changed get their former values. Those on the service stay. */
  undo: procedure.input(byId).output(z.object({ taskId: z.string() })),
}

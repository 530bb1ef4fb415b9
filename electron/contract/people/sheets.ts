import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { procedure } from '../define.ts'

/** A file as a table that imports, list checks and sends read. */
export const openedTableSchema = z.object({
  /** The table's file: the upload itself when it is text. */
  fileId: z.string(),
  /** Whether it was made from another file, so that its format is known. */
  isConverted: z.boolean(),
  /** Of a workbook, in its order; else empty. */
  sheets: z.array(z.object({ name: z.string(), isHidden: z.boolean() })),
  /** Position of the sheet that was read. */
  sheet: z.int(),
  /** Names of the other sheets that list refusals: rows with their numbers are marked in the first column. */
  refusing: z.array(z.string()),
  /** Rows of such sheets without a number, unless a row of the table has their email beside one. `texts` name the first. */
  unmatched: z.object({ rows: z.int(), sheets: z.array(z.string()), texts: z.array(z.string()) }),
  /** Rows with values that the workbook hides. They are in the table. */
  hiddenRows: z.int(),
  /** Formulas that no program has calculated. Their cells are empty. */
  uncalculated: z.int(),
  /** Whether rows name several people: `apart`, each has a row of the table; `together`, not, as asked or because the titles leave it open. */
  people: z.enum(['one', 'apart', 'together']),
  /** Titles of the columns of consent that count for all people of a row. */
  sharedConsents: z.array(z.string()),
})
export type OpenedTable = z.infer<typeof openedTableSchema>

/** Workbooks (`.xlsx`, `.ods`), contact cards (`.vcf`) and lists of households as tables. */
export const sheetsContract = {
  /**
   * Opens an upload as a table. Without `sheet`, reads the one with the most phone numbers. With `isTogether`, rows that name several people
   * stay as they are; without it, if their titles may be those of one. Yields progress, then the table, which is a
   * file of its own with the upload's name. Ending the call cancels. IMPORT_FILE_UNREADABLE, FILE_GONE, DISK_FULL.
   */
  open: procedure
    .input(
      z.object({ fileId: z.string(), sheet: z.int().min(0).optional(), isTogether: z.boolean().optional() }),
    )
    .output(
      eventIterator(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('reading'), doneBytes: z.number(), totalBytes: z.number() }),
          openedTableSchema.extend({ kind: z.literal('table') }),
        ]),
      ),
    ),
}

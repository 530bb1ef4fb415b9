import type { Database } from '../../database/open.ts'
import type { ImportedBatch } from '../book/protocol.ts'
import { noCounts } from './judge-rows.ts'
import type { ImportCounts, RowProblem } from './protocol.ts'

/** How far an import is: committed with its rows. */
export interface ImportCursor {
  row: number
  /** As the rows were judged; what the book made of them is in its `imports`. */
  counts: ImportCounts
  /** Length of the file of rejected rows. */
  rejectedBytes: number
  /** Of the file, read until then; absent in those of before. */
  doneBytes?: number
}

/**
 * What the book made of rows of which the judge said that so many are new and so many update a contact, as a correction of the
 * judge's counts: others may have put their numbers in, or taken them away, since the file was compared with it.
 */
export function correctionOf(
  stored: ImportedBatch,
  judged: Pick<ImportCounts, 'new' | 'update'>,
): ImportCounts {
  return {
    ...noCounts(),
    new: stored.created - judged.new,
    update: stored.updated - judged.update,
    unchanged: stored.unchanged,
    duplicateInBook: stored.taken,
  }
}

export function sumOf(a: ImportCounts, b: ImportCounts): ImportCounts {
  const sum = { ...a, problems: { ...a.problems } }
  const { problems, ...others } = b
  for (const name of Object.keys(others) as (keyof typeof others)[]) sum[name] += others[name]
  for (const [name, count] of Object.entries(problems) as [RowProblem, number][])
    sum.problems[name] = (sum.problems[name] ?? 0) + count
  return sum
}

/** How far the book has an import on disk, and the correction of its counts; the start for one of which it has nothing. */
export function committed(book: Database, importId: string): ImportCursor & { correction: ImportCounts } {
  const row = book
    .prepare<[string], ImportedBatch & { cursor: string }>(
      'SELECT cursor, created, updated, unchanged, taken FROM imports WHERE id = ?',
    )
    .get(importId)
  if (!row || row.cursor === '')
    return { row: 0, counts: noCounts(), rejectedBytes: 0, doneBytes: 0, correction: noCounts() }
  const cursor = JSON.parse(row.cursor) as ImportCursor
  // One that began under an earlier version counted less.
  const counts = { ...noCounts(), ...cursor.counts }
  return { ...cursor, counts, correction: correctionOf(row, counts) }
}

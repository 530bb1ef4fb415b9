import type { Database } from '../../database/open.ts'
import type { ImportedBatch } from '../contact-store/protocol.ts'
import { noCounts } from './judge-rows.ts'
import type { RowProblem } from '../table/rejected-rows.ts'
import type { ImportCounts } from './import-types.ts'

/** An import's progress, committed with its rows. */
export interface ImportCursor {
  row: number
  /** As judged; the contact store's results are in `imports`. */
  counts: ImportCounts
  /** Length of the file of rejected rows. */
  rejectedBytes: number
  /** Bytes of the file read. */
  doneBytes: number
}

/**
 * Correction of the judge's counts for stored rows: others may have added or removed their numbers since the
 * comparison.
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
    duplicateInContacts: stored.taken,
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

/** Committed progress of an import, and the correction of its counts. */
export function committed(
  contactsDb: Database,
  importId: string,
): ImportCursor & { correction: ImportCounts } {
  const row = contactsDb
    .prepare<[string], ImportedBatch & { cursor: string }>(
      'SELECT cursor, created, updated, unchanged, taken FROM imports WHERE id = ?',
    )
    .get(importId)
  if (!row || row.cursor === '')
    return { row: 0, counts: noCounts(), rejectedBytes: 0, doneBytes: 0, correction: noCounts() }
  const cursor = JSON.parse(row.cursor) as ImportCursor
  return { ...cursor, correction: correctionOf(row, cursor.counts) }
}

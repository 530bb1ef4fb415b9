import type { Database } from '../../database/open.ts'
import { noCounts } from './judge-rows.ts'
import type { ImportCounts } from '../../contract/people/imports.ts'

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

/** Committed progress of an import. `stored`: counts corrected for numbers that others added or removed meanwhile. */
export function committed(contactsDb: Database, importId: string): ImportCursor & { stored: ImportCounts } {
  const row = contactsDb
    .prepare<[string], Record<'created' | 'updated' | 'unchanged' | 'taken', number> & { cursor: string }>(
      'SELECT cursor, created, updated, unchanged, taken FROM imports WHERE id = ?',
    )
    .get(importId)
  if (!row || row.cursor === '')
    return { row: 0, counts: noCounts(), rejectedBytes: 0, doneBytes: 0, stored: noCounts() }
  const cursor = JSON.parse(row.cursor) as ImportCursor
  const stored = {
    ...cursor.counts,
    new: row.created,
    update: row.updated,
    unchanged: cursor.counts.unchanged + row.unchanged,
    duplicateInContacts: cursor.counts.duplicateInContacts + row.taken,
  }
  return { ...cursor, stored }
}

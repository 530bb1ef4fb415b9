import type { ContactTables } from './contact-tables.ts'
import { changedHere, contactStates } from './store-types.ts'

const onService = contactStates.indexOf('service')
/** Rows of ended undo windows to delete in one transaction. */
const forgottenAtOnce = 5_000

/** A bulk tag change that can still be undone. */
export interface TagBatch {
  batchId: string
  /** Contacts that were changed. */
  count: number
  untilMs: number
}

/** Changes the tags of many contacts and keeps the former tags until the undo window ends. */
export function createTagUndo(tables: ContactTables) {
  const { db } = tables
  const jsonOf = db.prepare<[number], string>('SELECT json FROM tag_sets WHERE id = ?').pluck()
  const contact = db.prepare<[number], { tagSet: number; marks: number; state: number }>(
    'SELECT tag_set AS tagSet, marks, state FROM contacts WHERE id = ?',
  )
  const put = db.prepare<[number, number, number, number, number]>(
    'UPDATE contacts SET tag_set = ?, marks = ?, updated_ms = ?, touched = ? WHERE id = ?',
  )
  const keep = db.prepare<[string, number, number, number, number]>(
    `INSERT INTO tag_undo (batch_id, contact_id, before_set, after_set, marks) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (batch_id, contact_id) DO UPDATE SET after_set = excluded.after_set`,
  )
  const addBatch = db.prepare<[string, number, number]>(
    `INSERT INTO tag_batches (id, count, until_ms) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET count = count + excluded.count, until_ms = excluded.until_ms`,
  )
  const newest = db.prepare<[number], TagBatch>(
    `SELECT id AS batchId, count, until_ms AS untilMs FROM tag_batches WHERE until_ms > ? AND count > 0
     ORDER BY until_ms DESC LIMIT 1`,
  )
  const next = db.prepare<
    [string, number],
    { contactId: number; beforeSet: number; afterSet: number; marks: number }
  >(
    `SELECT contact_id AS contactId, before_set AS beforeSet, after_set AS afterSet, marks FROM tag_undo
     WHERE batch_id = ? ORDER BY contact_id LIMIT ?`,
  )
  const drop = db.prepare<[string, number]>('DELETE FROM tag_undo WHERE batch_id = ? AND contact_id = ?')
  const dropBatch = db.prepare<[string]>('DELETE FROM tag_batches WHERE id = ?')
  const dropOld = db.prepare<[number, number]>(
    `DELETE FROM tag_undo WHERE rowid IN
       (SELECT u.rowid FROM tag_undo u JOIN tag_batches b ON b.id = u.batch_id WHERE b.until_ms <= ? LIMIT ?)`,
  )
  const dropOldBatches = db.prepare<[number]>('DELETE FROM tag_batches WHERE until_ms <= ?')

  function set(id: number, tagSet: number, marks: number, nowMs: number): void {
    const touched = tables.nextTouched()
    put.run(tagSet, marks, nowMs, touched, id)
    tables.changed(id, touched)
  }

  return {
    /** Sets each contact's tags to `nextTags`; `batch` keeps the former ones. Returns how many changed. Needs a transaction. */
    change(
      ids: readonly number[],
      nextTags: (tagsJson: string) => string,
      batch: { id: string; untilMs: number } | null,
      nowMs: number,
    ): number {
      const sets = new Map<number, number>()
      let count = 0
      for (const id of ids) {
        const before = contact.get(id)
        if (!before) continue
        let after = sets.get(before.tagSet)
        if (after === undefined) {
          after = tables.tagSetOf(nextTags(jsonOf.get(before.tagSet)!))
          sets.set(before.tagSet, after)
        }
        if (after === before.tagSet) continue
        set(id, after, before.state === onService ? before.marks | changedHere : before.marks, nowMs)
        if (batch) keep.run(batch.id, id, before.tagSet, after, before.marks)
        count++
      }
      if (batch && count > 0) addBatch.run(batch.id, count, batch.untilMs)
      return count
    },
    newest: (nowMs: number): TagBatch | null => newest.get(nowMs) ?? null,
    /** Restores the next contacts of a batch, except those whose tags changed since. One transaction. */
    undo: (batchId: string, limit: number, nowMs: number) =>
      tables.write(
        () => {
          const rows = next.all(batchId, limit)
          let restored = 0
          for (const { contactId, beforeSet, afterSet, marks } of rows) {
            const now = contact.get(contactId)
            if (now?.tagSet === afterSet) {
              const bits =
                now.state === onService ? (now.marks & ~changedHere) | (marks & changedHere) : now.marks
              set(contactId, beforeSet, bits, nowMs)
              restored++
            }
            drop.run(batchId, contactId)
          }
          const more = rows.length === limit
          if (!more) dropBatch.run(batchId)
          return { restored, left: rows.length - restored, more }
        },
        ({ restored }) => restored > 0,
      ),
    /** Deletes some former tags whose undo window has ended. Returns how many; 0 when none are left. */
    forget: (nowMs: number): number =>
      tables.write(
        () => {
          const { changes } = dropOld.run(nowMs, forgottenAtOnce)
          if (changes === 0) dropOldBatches.run(nowMs)
          return changes
        },
        () => false,
      ),
  }
}

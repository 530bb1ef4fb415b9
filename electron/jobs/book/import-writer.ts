import { contactStates } from './book-types.ts'
import { isSameContact, mergeRow } from './merge-row.ts'
import type { BookTables, StoredContact } from './book-tables.ts'
import type { ImportBatch, ImportedBatch, ImportRow, UndoneBatch } from './protocol.ts'

const local = contactStates.indexOf('local')

/** What the book does for imports: stores their rows with how far they came, and takes them back. */
export interface ImportWriter {
  store(batch: ImportBatch): ImportedBatch
  /** Where an import stopped, null when it never began. */
  cursor(importId: string): string | null
  undo(importId: string, limit: number, nowMs: number): UndoneBatch
}

export function createImportWriter(tables: BookTables): ImportWriter {
  const { db } = tables
  const readImport = db.prepare<[string], { cursor: string }>('SELECT cursor FROM imports WHERE id = ?')
  const saveImport = db.prepare(`
    INSERT INTO imports (id, cursor, created, updated, unchanged, taken)
    VALUES (@importId, @cursor, @created, @updated, @unchanged, @taken)
    ON CONFLICT (id) DO UPDATE SET cursor = excluded.cursor, created = created + excluded.created,
      updated = updated + excluded.updated, unchanged = unchanged + excluded.unchanged, taken = taken + excluded.taken`)
  const remember = db.prepare<[string, number, string, number]>(
    `INSERT INTO import_changes (import_id, contact_id, before_json, after_touched) VALUES (?, ?, ?, ?)
     ON CONFLICT (import_id, contact_id) DO UPDATE SET after_touched = excluded.after_touched`,
  )
  const tagsOf = db.prepare<[number], string>('SELECT json FROM tag_sets WHERE id = ?').pluck()
  const madeBy = db.prepare<[string, number, number], StoredContact>(`
    SELECT id, digits, name, email, tag_set AS tagSet, state, marks, service_id AS serviceId, note,
      last_problem AS lastProblem, import_id AS importId, created_ms AS createdMs, updated_ms AS updatedMs, touched
    FROM contacts WHERE import_id = ? AND id > ? ORDER BY id LIMIT ?`)
  const changedBy = db.prepare<
    [string, number],
    { contactId: number; beforeJson: string; afterTouched: number }
  >(`
    SELECT contact_id AS contactId, before_json AS beforeJson, after_touched AS afterTouched
    FROM import_changes WHERE import_id = ? ORDER BY contact_id LIMIT ?`)
  const forgetChange = db.prepare<[string, number]>(
    'DELETE FROM import_changes WHERE import_id = ? AND contact_id = ?',
  )
  /** From where the undo goes on: contacts that stay would be found again and again. */
  const undoneUpTo = new Map<string, number>()

  function update(row: ImportRow, id: number, { importId, nowMs }: ImportBatch): 'updated' | 'unchanged' {
    const before = tables.whole(id)!
    const fields = { ...before, tagsJson: tagsOf.get(before.tagSet) ?? '{}' }
    const after = mergeRow(fields, row)
    if (isSameContact(after, fields)) return 'unchanged'
    const { name, email, note } = after
    const next: StoredContact = { ...before, name, email, note, tagSet: tables.tagSetOf(after.tagsJson) }
    const touched = tables.nextTouched()
    tables.put({ ...next, updatedMs: nowMs, touched })
    remember.run(importId, id, JSON.stringify(before), touched)
    return 'updated'
  }

  return {
    store: (batch) =>
      tables.write(
        () => {
          const result: ImportedBatch = { created: 0, updated: 0, unchanged: 0, taken: 0 }
          for (const row of batch.rows) {
            const id = tables.idOf(row.digits)
            if (id === undefined) {
              const { digits, name, email, note, marks } = row
              tables.insert({
                id: null,
                digits,
                name,
                email,
                note,
                marks,
                tagSet: tables.tagSetOf(row.tagsJson),
                state: local,
                serviceId: null,
                lastProblem: null,
                importId: batch.importId,
                createdMs: batch.nowMs,
                updatedMs: batch.nowMs,
                touched: tables.nextTouched(),
              })
              result.created++
            } else if (row.update) result[update(row, id, batch)]++
            else result.taken++
          }
          saveImport.run({ importId: batch.importId, cursor: batch.cursor, ...result })
          return result
        },
        ({ created, updated }) => created + updated > 0,
      ),

    cursor: (importId) => readImport.get(importId)?.cursor ?? null,

    undo: (importId, limit, nowMs) =>
      tables.write(
        () => {
          const result: UndoneBatch = { removed: 0, restored: 0, left: 0, more: false }
          const changed = changedBy.all(importId, limit)
          for (const { contactId, beforeJson, afterTouched } of changed) {
            forgetChange.run(importId, contactId)
            const now = tables.whole(contactId)
            // Changed by hand since, or gone: what is there now is the operator's wish.
            if (!now || now.touched !== afterTouched) {
              result.left++
              continue
            }
            const before = JSON.parse(beforeJson) as StoredContact
            const { name, email, note, tagSet } = before
            tables.put({ ...now, name, email, note, tagSet, updatedMs: nowMs, touched: tables.nextTouched() })
            result.restored++
          }
          const made =
            changed.length < limit
              ? madeBy.all(importId, undoneUpTo.get(importId) ?? 0, limit - changed.length)
              : []
          for (const contact of made) {
            undoneUpTo.set(importId, contact.id)
            // One that the service has, or may have, or is about to get, is not taken away behind its back.
            if (contact.state !== local && contact.state !== contactStates.indexOf('failed')) result.left++
            else {
              tables.remove(contact.id)
              result.removed++
            }
          }
          result.more = changed.length + made.length === limit
          return result
        },
        ({ removed, restored }) => removed + restored > 0,
      ),
  }
}

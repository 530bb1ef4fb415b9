import { type ContactTables, storedColumns, type StoredContact } from './contact-tables.ts'
import { changedHere, contactStates } from './store-types.ts'
import type { UndoProgress, UndoneBatch } from './protocol.ts'

/** States of contacts the service doesn't know. */
const ownStates = [contactStates.indexOf('local'), contactStates.indexOf('failed')]

type Undone = Omit<UndoneBatch, 'more'>

/** An import's contacts still to undo, after `afterId`. */
interface Range {
  no: number
  afterId: number
  lastId: number
}

const nothing: Range & Undone = { no: 0, afterId: 0, lastId: 0, removed: 0, restored: 0, left: 0 }

/** An import creates contacts with both times equal; marks and the outbox don't change that. */
const isChangedSince = ({ createdMs, updatedMs }: StoredContact): boolean => updatedMs !== createdMs

/** Undoes imports in pieces. Progress is committed with each piece, so a later run continues. */
export function createImportUndo({ db, ...tables }: ContactTables): {
  progress(importId: string): UndoProgress
  step(importId: string, limit: number): UndoneBatch
} {
  const find = db.prepare<[string], Range & Undone>(`
    SELECT no, max(first_id - 1, undone_up_to) AS afterId, last_id AS lastId, undo_removed AS removed,
      undo_restored AS restored, undo_left AS left FROM imports WHERE id = ?`)
  // In a recovered store, an import may have only its changes and no row.
  const save = db.prepare<{ importId: string; upToId: number } & Undone>(`
    INSERT INTO imports (id, cursor, first_id, last_id, undone_up_to, undo_removed, undo_restored, undo_left)
    VALUES (@importId, '', 0, 0, 0, @removed, @restored, @left)
    ON CONFLICT (id) DO UPDATE SET undone_up_to = max(undone_up_to, @upToId), undo_removed = @removed,
      undo_restored = @restored, undo_left = @left`)
  const madeBy = db.prepare<[number, number, number, number], StoredContact>(`
    SELECT ${storedColumns} FROM contacts WHERE id > ? AND id <= ? AND import_no = ? ORDER BY id LIMIT ?`)
  const changedBy = db.prepare<
    [string, number],
    { contactId: number; beforeJson: string; afterTouched: number }
  >(`
    SELECT contact_id AS contactId, before_json AS beforeJson, after_touched AS afterTouched
    FROM import_changes WHERE import_id = ? ORDER BY contact_id LIMIT ?`)
  const forgetChange = db.prepare<[string, number]>(
    'DELETE FROM import_changes WHERE import_id = ? AND contact_id = ?',
  )
  const countChanges = db
    .prepare<[string], number>('SELECT count(*) FROM import_changes WHERE import_id = ?')
    .pluck()
  const countMade = db
    .prepare<[number, number, number], number>(
      'SELECT count(*) FROM contacts WHERE id > ? AND id <= ? AND import_no = ?',
    )
    .pluck()

  const countAtService = db
    .prepare<[string], number>(
      `SELECT count(*) FROM imports i JOIN contacts c ON c.id BETWEEN i.first_id AND i.last_id AND c.import_no = i.no
       WHERE i.id = ? AND c.state NOT IN (${ownStates.join(', ')})`,
    )
    .pluck()

  function progress(importId: string): UndoProgress {
    const { no, afterId, lastId, ...undone } = find.get(importId) ?? nothing
    const ahead = countChanges.get(importId)! + countMade.get(afterId, lastId, no)!
    return { ...undone, ahead, atService: countAtService.get(importId)! }
  }

  const step = (importId: string, limit: number): UndoneBatch =>
    tables.write(
      () => {
        const { no, afterId, lastId, ...before } = find.get(importId) ?? nothing
        const undone = { ...before }
        const changed = changedBy.all(importId, limit)
        for (const { contactId, beforeJson, afterTouched } of changed) {
          forgetChange.run(importId, contactId)
          const now = tables.stored(contactId)
          // Edited or deleted since: keep the operator's version.
          if (!now || now.touched !== afterTouched) {
            undone.left++
            continue
          }
          // Restores the time of change, so that an undo of an earlier import still sees its own version.
          const former = JSON.parse(beforeJson) as StoredContact
          const { name, firstName, lastName, email, note, tagSet, updatedMs } = former
          // In sync with the service if it was before.
          const marks = (now.marks & ~changedHere) | (former.marks & changedHere)
          const touched = tables.nextTouched()
          const fields = { name, firstName, lastName, email, note, tagSet }
          tables.put({ ...now, ...fields, marks, updatedMs, touched }, true)
          undone.restored++
        }
        // Skips contacts that stay, or they would be found again.
        const made = madeBy.all(afterId, lastId, no, limit - changed.length)
        for (const contact of made) {
          // Keep contacts the service has, may have or will get, and edited ones.
          if (!ownStates.includes(contact.state) || isChangedSince(contact)) undone.left++
          else {
            tables.remove(contact.id)
            undone.removed++
          }
        }
        const looked = changed.length + made.length
        if (looked > 0) save.run({ importId, upToId: made.at(-1)?.id ?? 0, ...undone })
        const isChanged = undone.removed + undone.restored > before.removed + before.restored
        return { batch: { ...undone, more: looked === limit }, isChanged }
      },
      ({ isChanged }) => isChanged,
    ).batch

  return { progress, step }
}

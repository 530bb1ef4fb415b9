import type { BookTables, StoredContact } from './book-tables.ts'
import { changedHere, contactStates } from './book-types.ts'
import type { UndoneBatch } from './protocol.ts'

/** States of contacts that only this book knows of. */
const ownStates = [contactStates.indexOf('local'), contactStates.indexOf('failed')]

/** An import gives what it makes one time for both; marks and the ways of the outbox leave it. */
const isChangedSince = ({ createdMs, updatedMs }: StoredContact): boolean => updatedMs !== createdMs

/** Takes imports back, a piece at a time. */
export function createImportUndo({ db, ...tables }: BookTables): {
  ahead(importId: string): number
  step(importId: string, limit: number): UndoneBatch
} {
  const find = db.prepare<[string], { no: number; firstId: number; lastId: number }>(
    'SELECT no, first_id AS firstId, last_id AS lastId FROM imports WHERE id = ?',
  )
  const madeBy = db.prepare<[number, number, number, number], StoredContact>(`
    SELECT id, digits, name, email, tag_set AS tagSet, state, marks, service_id AS serviceId, note,
      last_problem AS lastProblem, import_no AS importNo, created_ms AS createdMs, updated_ms AS updatedMs, touched
    FROM contacts WHERE id > ? AND id <= ? AND import_no = ? ORDER BY id LIMIT ?`)
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
  /** From where the undo goes on: contacts that stay would be found again and again. */
  const undoneUpTo = new Map<string, number>()

  function ahead(importId: string): number {
    const range = find.get(importId)
    const changes = countChanges.get(importId)!
    return range
      ? changes + countMade.get(undoneUpTo.get(importId) ?? range.firstId - 1, range.lastId, range.no)!
      : changes
  }

  const step = (importId: string, limit: number): UndoneBatch =>
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
          // With the time of its last change by somebody else: whoever made it can still tell that nobody changed it since.
          const before = JSON.parse(beforeJson) as StoredContact
          const { name, email, note, tagSet, updatedMs } = before
          // As the service has it, if it was so before.
          const marks = (now.marks & ~changedHere) | (before.marks & changedHere)
          const touched = tables.nextTouched()
          tables.put({ ...now, name, email, note, tagSet, marks, updatedMs, touched }, true)
          result.restored++
        }
        const range = find.get(importId)
        const room = limit - changed.length
        const made =
          range && room > 0
            ? madeBy.all(undoneUpTo.get(importId) ?? range.firstId - 1, range.lastId, range.no, room)
            : []
        for (const contact of made) {
          undoneUpTo.set(importId, contact.id)
          // One that the service has, or may have, or is about to get, is not taken away behind its back; nor is somebody's work.
          if (!ownStates.includes(contact.state) || isChangedSince(contact)) result.left++
          else {
            tables.remove(contact.id)
            result.removed++
          }
        }
        result.more = changed.length + made.length === limit
        return result
      },
      ({ removed, restored }) => removed + restored > 0,
    )

  return { ahead, step }
}

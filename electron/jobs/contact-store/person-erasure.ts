import type { ContactTables, StoredContact } from './contact-tables.ts'
import { createOtherReadingWrites } from './other-readings.ts'
import type { ErasedPerson, PersonTraces } from './protocol.ts'

/** Finds and removes everything the store has of one number: the contact, restorable deleted contacts, and values from before an import. */
export function createPersonErasure(tables: ContactTables) {
  const { db } = tables
  const otherReadings = createOtherReadingWrites(db)
  const trashed = db.prepare<[number], { contactId: number; json: string }>(
    `SELECT contact_id AS contactId, contact_json AS json FROM trash WHERE contact_json ->> '$.digits' = ?`,
  )
  const dropTrash = db.prepare<[number]>('DELETE FROM trash WHERE contact_id = ?')
  const changes = db.prepare<[number], { importId: string; contactId: number; json: string }>(
    `SELECT import_id AS importId, contact_id AS contactId, before_json AS json FROM import_changes
     WHERE before_json ->> '$.digits' = ?`,
  )
  const dropChange = db.prepare<[string, number]>(
    'DELETE FROM import_changes WHERE import_id = ? AND contact_id = ?',
  )
  const tagUndo = db.prepare<[number], { beforeSet: number; afterSet: number }>(
    'SELECT before_set AS beforeSet, after_set AS afterSet FROM tag_undo WHERE contact_id = ?',
  )
  const dropTagUndo = db.prepare<[number]>('DELETE FROM tag_undo WHERE contact_id = ?')
  const sharing = db
    .prepare<[number], number>(
      'SELECT count(*) FROM other_readings o JOIN contacts c ON c.digits = o.digits WHERE o.other = ?',
    )
    .pluck()

  function recordsOf(digits: number) {
    const id = tables.idOf(digits)
    const contact = id === undefined ? undefined : tables.stored(id)
    const inTrash = trashed.all(digits)
    const before = changes.all(digits)
    const records = [
      ...(contact ? [contact] : []),
      ...[...inTrash, ...before].map(({ json }) => JSON.parse(json) as StoredContact),
    ]
    return { contact, inTrash, before, records }
  }

  return {
    /**
     * Names and emails that belong to the number, and the contacts that have it beside their own. Notes and tags are removed but not
     * searched for: others may have the same.
     */
    traces(digits: number): PersonTraces {
      const fields = recordsOf(digits).records.flatMap(({ name, email }) => [name, email])
      const texts = [...new Set(fields)].filter((text) => text !== '')
      return { texts, otherContacts: sharing.get(digits)! }
    },
    /** One transaction. */
    erase: (digits: number): ErasedPerson =>
      tables.write(
        () => {
          const { contact, inTrash, before, records } = recordsOf(digits)
          if (contact) tables.remove(contact.id)
          otherReadings.drop(digits)
          for (const { contactId } of inTrash) dropTrash.run(contactId)
          for (const { importId, contactId } of before) dropChange.run(importId, contactId)
          const formerSets = records.flatMap(({ id }) => {
            const sets = tagUndo.all(id).flatMap(({ beforeSet, afterSet }) => [beforeSet, afterSet])
            dropTagUndo.run(id)
            return sets
          })
          tables.dropUnusedSets([...records.map(({ tagSet }) => tagSet), ...formerSets])
          return { contacts: contact ? 1 : 0, deleted: inTrash.length, importValues: before.length }
        },
        ({ contacts }) => contacts > 0,
      ),
  }
}

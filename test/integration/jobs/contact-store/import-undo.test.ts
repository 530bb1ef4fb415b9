import { expect, test } from 'vitest'
import { createImportUndo } from '#electron/jobs/contact-store/import-undo.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'

test('resumes an undo where an earlier run ended and adds up both counts', () => {
  const { contactsDb, tables, write, insert } = openContacts()
  contactsDb.exec("INSERT INTO imports (no, id, cursor, first_id, last_id) VALUES (1, 'import', '', 1, 10)")
  write(() => {
    for (let id = 1; id <= 10; id++)
      // Some were edited since: they stay.
      insert({ digits: 14_155_550_100 + id, importNo: 1, createdMs: 5, updatedMs: id % 4 === 1 ? 6 : 5 })
  })
  const none = { removed: 0, restored: 0, left: 0 }
  const first = createImportUndo(tables)
  expect(first.progress('import')).toEqual({ ...none, ahead: 10, atService: 0 })
  expect(first.step('import', 6)).toEqual({ ...none, removed: 4, left: 2, more: true })
  const next = createImportUndo(tables)
  expect(next.progress('import')).toEqual({ ...none, removed: 4, left: 2, ahead: 4, atService: 0 })
  expect(next.step('import', 6)).toEqual({ ...none, removed: 7, left: 3, more: false })
  expect(next.progress('import')).toEqual({ ...none, removed: 7, left: 3, ahead: 0, atService: 0 })
  expect(next.step('none', 6)).toEqual({ ...none, more: false })
})

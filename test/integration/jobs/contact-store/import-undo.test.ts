import { expect, test } from 'vitest'
import { createImportUndo } from '#electron/jobs/contact-store/import-undo.ts'
import { openContacts, someContact } from '../../../helpers/open-contacts.ts'

test('resumes an undo where an earlier run ended and adds up both counts', () => {
  const { contactsDb, tables } = openContacts()
  contactsDb.exec("INSERT INTO imports (no, id, cursor, first_id, last_id) VALUES (1, 'import', '', 1, 10)")
  tables.write(
    () => {
      for (let id = 1; id <= 10; id++)
        tables.insert({
          ...someContact,
          id: null,
          digits: 14_155_550_100 + id,
          importNo: 1,
          createdMs: 5,
          // Edited since: it stays.
          updatedMs: id % 4 === 1 ? 6 : 5,
          touched: tables.nextTouched(),
        })
    },
    () => true,
  )
  expect(createImportUndo(tables).progress('import')).toEqual({
    removed: 0,
    restored: 0,
    left: 0,
    ahead: 10,
    atService: 0,
  })
  expect(createImportUndo(tables).step('import', 6)).toEqual({
    removed: 4,
    restored: 0,
    left: 2,
    more: true,
  })
  const next = createImportUndo(tables)
  expect(next.progress('import')).toEqual({ removed: 4, restored: 0, left: 2, ahead: 4, atService: 0 })
  expect(next.step('import', 6)).toEqual({ removed: 7, restored: 0, left: 3, more: false })
  expect(next.progress('import')).toEqual({ removed: 7, restored: 0, left: 3, ahead: 0, atService: 0 })
  expect(next.step('none', 6)).toEqual({ removed: 0, restored: 0, left: 0, more: false })
})

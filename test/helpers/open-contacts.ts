import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openDatabase } from '#electron/database/open.ts'
import type { SchemaName } from '#electron/database/schemas.ts'
import { createContactTables, type StoredContact } from '#electron/jobs/contact-store/contact-tables.ts'
import { quietLog } from './quiet-log.ts'
import { tempFolder } from './temp-folder.ts'

/** Empty contacts in the test's own folder; `open` adds connections to them and to their index. */
export function openContacts() {
  const folder = tempFolder()
  const open = (schema: SchemaName) => {
    const opened = openDatabase({ file: join(folder, `${schema}.db`), schema, log: quietLog })
    onTestFinished(opened.close)
    return opened.db
  }
  const contactsDb = open('book')
  return { open, contactsDb, tables: createContactTables(contactsDb) }
}

/** What most drafts and import rows in tests share. */
export const someDraft = { others: [], name: '', firstName: '', lastName: '', email: '', tagsJson: '{}' }

/** What most contacts in tests share. */
export const someContact: Omit<StoredContact, 'id' | 'digits' | 'touched'> = {
  name: '',
  firstName: '',
  lastName: '',
  email: '',
  tagSet: 1,
  state: 0,
  marks: 0,
  serviceId: null,
  note: '',
  lastProblem: null,
  importNo: null,
  createdMs: 0,
  updatedMs: 0,
}

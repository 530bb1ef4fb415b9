import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Database, openDatabase } from '#electron/database/open.ts'
import type { SchemaName } from '#electron/database/schemas.ts'
import { createContactStore } from '#electron/jobs/contact-store/contact-store.ts'
import { createContactTables, type StoredContact } from '#electron/jobs/contact-store/contact-tables.ts'
import { createFakeClock } from './fake-clock.ts'
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
  return contactsIn(open, open('contacts'))
}

/** An open contact store in the test's own folder, with a clock that the test moves. `feed`: what its index receives. */
export function openStore(feed: Parameters<typeof createContactStore>[0]['feed'] = () => null) {
  const folder = tempFolder()
  const fileOf = (name: string) => join(folder, name)
  const clock = createFakeClock()
  const events = { changed: () => {}, damaged: () => {} }
  const store = createContactStore({ clock, log: quietLog, events, feed })
  const files = { contactsFile: fileOf('contacts.db'), searchFile: fileOf('search.db') }
  void store.functions.open(files)
  onTestFinished(() => void store.functions.close())
  return { store, clock, fileOf, files }
}

/** Contacts in this database; `insert` and `change` need a `write` around them. */
export function contactsIn(open: (schema: SchemaName) => Database, contactsDb: Database) {
  const tables = createContactTables(contactsDb)
  return {
    open,
    contactsDb,
    tables,
    write: <T>(work: () => T): T => tables.write(work, () => true),
    /** Stores a contact. @returns its ID. */
    insert: (contact: Partial<StoredContact> & Pick<StoredContact, 'digits'>): number =>
      tables.insert({ ...someContact, ...contact, id: null, touched: tables.nextTouched() }),
    change: (id: number, change: Partial<StoredContact>): void =>
      tables.put({ ...tables.stored(id)!, ...change, touched: tables.nextTouched() }, true),
  }
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

import { expect, test } from 'vitest'
import { marks } from '#electron/jobs/contact-store/store-types.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createImportSession } from '#electron/jobs/contact-store/import-session.ts'
import { openContacts, someDraft } from '../../../helpers/open-contacts.ts'

interface Row {
  name: string
  marks: number
  note: string
}

/** An import into an empty store and the stored contacts, in the order of numbers. */
function importing() {
  const { contactsDb, tables, write, change } = openContacts()
  const session = createImportSession(tables, 'import', systemClock)
  let digits = 447_911_000_000
  return {
    tables,
    session,
    store(rows: readonly Row[]) {
      const drafts = rows.map((row) => ({ ...someDraft, ...row, digits: digits++, id: 0 }))
      const batch = { rows: drafts, others: [], fresh: rows.length, merges: false, cursor: `${digits}` }
      return session.store({ ...batch, rowsRead: rows.length, rowsAhead: 0, nowMs: 1 })
    },
    stored: () => contactsDb.prepare<[], Row>('SELECT name, marks, note FROM contacts ORDER BY digits').all(),
    write,
    change,
    /** Change numbers: of contacts by ID, and of the last change or deletion. */
    touched: {
      all: () => contactsDb.prepare<[], number>('SELECT touched FROM contacts ORDER BY id').pluck().all(),
      newestChange: () =>
        contactsDb.prepare<[], number>('SELECT touched FROM changes ORDER BY rowid DESC').pluck().get()!,
    },
    idOf: (name: string) =>
      contactsDb.prepare<[string], number>('SELECT min(id) FROM contacts WHERE name = ?').pluck().get(name)!,
  }
}

/** Enough rows for several statements and a rest; `what` says which get marks and notes. */
const rows = (count: number, what: (at: number) => Partial<Row>): Row[] =>
  Array.from({ length: count }, (_, at) => ({ name: `Person ${at}`, marks: 0, note: '', ...what(at) }))

test.each<[string, (at: number) => Partial<Row>]>([
  ['all listed', () => ({ marks: marks.dnc })],
  ['all held', () => ({ marks: marks.held })],
  ['alternately listed and held', (at) => ({ marks: at % 4 })],
  ['one listed of many', (at) => ({ marks: at === 70 ? marks.dnc : 0 })],
  ['one with a note', (at) => ({ note: at === 70 ? 'Met at the fair' : '' })],
  ['marks and notes', (at) => ({ marks: at % 3, note: at % 5 === 0 ? `Note ${at}` : '' })],
  ['none', () => ({})],
])('keeps the marks and notes of each of many rows: %s', (_, what) => {
  const { session, store, stored } = importing()
  const imported = [...rows(120, what), ...rows(130, () => ({})), ...rows(64, what)]
  store(imported)
  session.release()
  expect(stored()).toEqual(imported)
})

test('gives each contact its own change number, apart from earlier and later changes', () => {
  const { tables, session, store, touched, idOf, write, change } = importing()
  const numbers: number[] = []
  const inContacts = (name: string, work: (id: number) => void) => {
    write(() => work(idOf(name)))
    numbers.push(touched.newestChange())
  }
  const edit = (id: number) => change(id, { email: 'a@b.example' })
  store(rows(3, () => ({})))
  session.release()
  numbers.push(...touched.all())
  inContacts('Person 0', edit)
  inContacts('Person 1', tables.remove)
  for (const count of [170, 1, 50]) store(rows(count, () => ({})))
  session.release()
  numbers.push(...touched.all().slice(2))
  inContacts('Person 0', tables.remove)
  inContacts('Person 2', edit)
  expect(numbers.length).toBe(3 + 2 + 221 + 2)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
})

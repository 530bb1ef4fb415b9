import { expect, onTestFinished, test } from 'vitest'
import { openReader } from '#electron/database/open.ts'
import type { ContactStore } from '#electron/jobs/contact-store/contact-store.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createImportSession } from '#electron/jobs/contact-store/import-session.ts'
import type { ImportBatch } from '#electron/jobs/contact-store/protocol.ts'
import { openContacts, openStore, someDraft } from '../../../helpers/open-contacts.ts'

/** Open contacts, with the messages their index receives. */
function openFedStore() {
  const fed: string[] = []
  const tell = (what: string) => () => Promise.resolve(void fed.push(what))
  const { store, clock, files } = openStore(() => ({
    catchUp: tell('catch up'),
    complete: tell('complete'),
  }))
  const reader = openReader(files.contactsFile)
  onTestFinished(reader.close)
  const numbers = () =>
    reader.db.prepare<[], number>('SELECT digits FROM contacts ORDER BY digits').pluck().all()
  return { store, clock, numbers, fed }
}

const first = 14_155_550_100

/** Rows of new contacts from number `from`. `rowsAhead`: how much of the file to announce. */
function batch(from: number, to: number, change: Partial<ImportBatch> = {}): ImportBatch {
  const rows = Array.from({ length: to - from }, (_, index) => {
    const at = from + index
    return { ...someDraft, digits: first + at, name: `Person ${at}`, note: '', marks: 0, id: 0 }
  })
  const read = { others: [], cursor: `${to}`, rowsRead: to, rowsAhead: 0 }
  return { rows, fresh: to - from, merges: false, nowMs: 1, ...read, ...change }
}

async function begin(store: ContactStore, importId = 'import') {
  const { functions, gone } = store.serveImport()
  onTestFinished(gone)
  return { functions, gone, cursor: await functions.openImport(importId) }
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => first + at)

test('refuses queued batches after a failed one and resumes from the disk', async () => {
  const { store, numbers, fed } = openFedStore()
  const one = await begin(store)
  await one.functions.importRows(batch(0, 10))
  await one.functions.releaseImport()
  await one.functions.importRows(batch(10, 20))
  // A row that claims to be new but has a stored number: SQLite refuses it.
  const refusal = /UNIQUE constraint/
  await expect(one.functions.importRows(batch(15, 25))).rejects.toThrow(refusal)
  await expect(one.functions.importRows(batch(25, 35))).rejects.toThrow(refusal)
  await expect(one.functions.releaseImport()).rejects.toThrow(refusal)
  await one.functions.closeImport()
  expect(numbers()).toEqual(upTo(10))

  const again = await begin(store)
  expect(again.cursor).toBe('10')
  await again.functions.importRows(batch(10, 35))
  await again.functions.closeImport()
  expect(numbers()).toEqual(upTo(35))
  expect(fed.slice(-2)).toEqual(['catch up', 'complete'])
})

test('ends an import whose rows are all stored though the search index fails', async () => {
  const complete = () => Promise.reject(new Error('The disk is full'))
  const { store } = openStore(() => ({ catchUp: () => Promise.resolve(), complete }))
  const { functions } = await begin(store)
  await functions.importRows(batch(0, 10))
  await functions.closeImport()
})

test('commits after 0.3 s when others wait, else after 2.5 s', async () => {
  const { store, clock, numbers } = openFedStore()
  const { functions } = await begin(store)
  await functions.importRows(batch(0, 10))
  await clock.advance(2_400)
  await functions.importRows(batch(10, 20))
  expect(numbers()).toEqual([])
  await clock.advance(100)
  await functions.importRows(batch(20, 30))
  expect(numbers()).toEqual(upTo(30))

  await functions.importRows(batch(30, 40))
  const early = store.functions.setNote(1, 'early', 1)
  expect(numbers()).toEqual(upTo(30))
  await clock.advance(300)
  await functions.importRows(batch(40, 50))
  await early
  expect(numbers()).toEqual(upTo(50))

  await functions.importRows(batch(50, 60))
  await clock.advance(300)
  await store.functions.setNote(1, 'late', 1)
  expect(numbers()).toEqual(upTo(60))
})

test('lets others write between batches that arrive together', async () => {
  const { store, clock, numbers } = openFedStore()
  const { functions } = await begin(store)
  await functions.importRows(batch(0, 10))
  await clock.advance(300)
  const together = [functions.importRows(batch(10, 20)), functions.importRows(batch(20, 30))]
  await store.functions.setNote(1, 'between', 1)
  expect(numbers()).toEqual(upTo(10))
  await Promise.all(together)
  await functions.closeImport()
  expect(numbers()).toEqual(upTo(30))
})

test('lets the same job reopen a failed import, and others write and import meanwhile', async () => {
  const { store, numbers } = openFedStore()
  const one = await begin(store)
  await one.functions.importRows(batch(0, 10))
  await expect(one.functions.importRows(batch(5, 15))).rejects.toThrow('UNIQUE')
  await expect(store.functions.setNote(1, 'no such contact', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const other = await begin(store, 'other')
  await other.functions.importRows(batch(90, 91))
  await other.functions.closeImport()
  expect(await one.functions.openImport('import')).toBe('')
  await one.functions.importRows(batch(0, 10))
  await one.functions.closeImport()
  expect(numbers()).toEqual([...upTo(10), first + 90])
})

test.each(['at its end', 'at a pause', 'when its job is gone', 'when the contacts are closed'])(
  'rolls back a stretch that cannot be committed %s',
  async (moment) => {
    const { store, numbers } = openFedStore()
    const one = await begin(store)
    // With so many rows announced the indexes are dropped; the duplicate shows when they are rebuilt.
    await one.functions.importRows(batch(0, 10, { rowsAhead: 1_000_000 }))
    await one.functions.importRows(batch(5, 15, { rowsAhead: 1_000_000 }))
    if (moment === 'at its end') await expect(one.functions.closeImport()).rejects.toThrow('UNIQUE')
    if (moment === 'at a pause') await expect(one.functions.releaseImport()).rejects.toThrow('UNIQUE')
    if (moment === 'when its job is gone') one.gone()
    if (moment === 'when the contacts are closed') await store.functions.close()
    expect(numbers()).toEqual([])
    if (moment === 'when the contacts are closed') return
    const next = await begin(store)
    expect(next.cursor).toBe('')
    await next.functions.importRows(batch(0, 15))
    await next.functions.closeImport()
    expect(numbers()).toEqual(upTo(15))
  },
)

test('restores the usual settings after a failed commit', () => {
  const { contactsDb: db, tables } = openContacts()
  db.exec('CREATE TABLE refusing (id REFERENCES contacts (id) DEFERRABLE INITIALLY DEFERRED)')
  const setting = () => db.pragma('wal_autocheckpoint', { simple: true })
  const usual = setting()
  const session = createImportSession(tables, 'import', systemClock)
  session.store(batch(0, 10, { rowsAhead: 1_000_000 }))
  db.exec('INSERT INTO refusing VALUES (999)')
  expect(() => session.release()).toThrow('FOREIGN KEY')
  session.abort()
  expect(setting()).toBe(usual)
  expect(db.prepare('SELECT count(*) FROM contacts').pluck().get()).toBe(0)
})

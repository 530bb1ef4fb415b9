import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openReader } from '#electron/database/open.ts'
import { type ContactStore, createContactStore } from '#electron/jobs/contact-store/contact-store.ts'
import { createFakeClock, type FakeClock } from '../../../../helpers/fake-clock.ts'
import { someDraft } from '../../../../helpers/open-contacts.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

let folder: string
let store: ContactStore
let clock: FakeClock
const fileOf = (name: string) => join(folder, name)
const bytes = () => ['book.db', 'book.db-wal'].map((name) => readFileSync(fileOf(name), 'latin1')).join('')

beforeEach(async () => {
  folder = tempFolder()
  clock = createFakeClock()
  store = createContactStore({
    clock,
    log: quietLog,
    events: { changed: () => {}, damaged: () => {} },
    feed: () => null,
  })
  store.functions.open({ contactsFile: fileOf('book.db'), searchFile: fileOf('search.db') })
  openDatabase({ file: fileOf('search.db'), schema: 'search', log: quietLog }).close()
  onTestFinished(() => void store.functions.close())
  const draft = {
    ...someDraft,
    digits: 4_917_123_456_701,
    name: 'Ada Lovelace',
    email: 'ada@x.example',
  }
  await store.functions.create(draft, 0, 1)
  await store.functions.setNote(1, 'prefers mornings', 2)
})

test('removes a deleted contact from disk five seconds after its undo window', async () => {
  await store.functions.trash([1], 'batch')
  await store.functions.purge('batch')
  expect(bytes()).toContain('Ada Lovelace')
  await clock.advance(5_000)
  for (const text of ['Ada Lovelace', 'ada@x.example', 'prefers mornings'])
    expect(bytes()).not.toContain(text)
})

test('removes it later when a reader holds the log', async () => {
  const reader = openReader(fileOf('book.db'))
  onTestFinished(reader.close)
  reader.db.exec('BEGIN')
  reader.db.prepare('SELECT count(*) FROM contacts').get()
  await store.functions.trash([1], 'batch')
  await store.functions.purge('batch')
  await clock.advance(5_000)
  expect(bytes()).toContain('Ada Lovelace')
  reader.db.exec('COMMIT')
  await clock.advance(1_000)
  expect(bytes()).not.toContain('Ada Lovelace')
})

test('removes former tags from disk once the undo window of a bulk tag change has ended', async () => {
  const tagged = (set: Record<string, string>, remove: string[], untilMs: number) =>
    store.functions.tag(
      {
        selection: { ids: [1] },
        set,
        remove,
        afterId: 0,
        limit: 10,
        undo: { id: `until ${untilMs}`, untilMs },
      },
      clock.now(),
    )
  await tagged({ title: 'Countess of Lovelace' }, [], clock.now())
  await tagged({ title: 'none' }, [], clock.now() + 600_000)
  await clock.advance(540_000)
  expect(bytes()).toContain('Countess of Lovelace')
  for (let minute = 0; minute < 3; minute++) {
    await clock.advance(60_000)
    await nextTurn()
  }
  await expect.poll(() => clock.advance(1_000).then(bytes)).not.toContain('Countess of Lovelace')
})

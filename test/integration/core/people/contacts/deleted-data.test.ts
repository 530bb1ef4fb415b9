import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDatabase, openReader } from '#electron/database/open.ts'
import { openStore, someDraft } from '../../../../helpers/open-contacts.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

let opened: ReturnType<typeof openStore>
const bytes = () =>
  ['contacts.db', 'contacts.db-wal'].map((name) => readFileSync(opened.fileOf(name), 'latin1')).join('')

beforeEach(async () => {
  opened = openStore()
  const { store, files } = opened
  openDatabase({ file: files.searchFile, schema: 'search', log: quietLog }).close()
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
  const { store, clock } = opened
  await store.functions.trash([1], 'batch')
  await store.functions.purge('batch')
  expect(bytes()).toContain('Ada Lovelace')
  await clock.advance(5_000)
  for (const text of ['Ada Lovelace', 'ada@x.example', 'prefers mornings'])
    expect(bytes()).not.toContain(text)
})

test('removes it later when a reader holds the log', async () => {
  const { store, clock } = opened
  const reader = openReader(opened.files.contactsFile)
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
  const { store, clock } = opened
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

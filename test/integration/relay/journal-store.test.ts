import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openReader } from '#electron/database/open.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { openJournalStore } from '#electron/relay/journal-store.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { delivery, storeContract } from './store-contract.ts'

const opener = (folder: string, continueAfterSeq = 0, clock: Clock = systemClock) =>
  openJournalStore({ folder, clock, log: quietLog, continueAfterSeq: () => continueAfterSeq })

storeContract('the journal', () => {
  const folder = join(tempFolder(), 'inbox')
  return { open: () => Promise.resolve(opener(folder)) }
})

it('has another id once its journal was deleted', async () => {
  const folder = join(tempFolder(), 'inbox')
  const before = opener(folder)
  await before.append([delivery('x')])
  await before.close()
  for (const suffix of ['', '-wal', '-shm', '.witness'])
    rmSync(join(folder, `journal.db${suffix}`), { force: true })
  const after = opener(folder)
  expect(after.id).not.toBe(before.id)
  expect(await after.append([delivery('x')])).toEqual([1])
  await after.close()
})

it('has another id once its id file was deleted, and keeps its deliveries', async () => {
  const folder = join(tempFolder(), 'inbox')
  const before = opener(folder)
  await before.append([delivery('x'), delivery('x')])
  await before.close()
  rmSync(join(folder, 'relay-id'))
  const after = opener(folder)
  expect(after.id).not.toBe(before.id)
  expect(await after.extent()).toMatchObject({ firstSeq: 1, lastSeq: 2 })
  await after.close()
})

it('continues numbering above what a console has, after an older copy was restored', async () => {
  const store = opener(join(tempFolder(), 'inbox'), 500)
  expect(await store.append([delivery('x')])).toEqual([501])
  await store.close()
})

it('leaves nothing of an erased delivery in its files once nobody reads them', async () => {
  const folder = join(tempFolder(), 'inbox')
  const clock = createFakeClock()
  const store = opener(folder, 0, clock)
  await store.append([delivery('Ada Lovelace'), delivery('x')])
  const other = openReader(join(folder, 'journal.db'))
  other.db.exec('BEGIN')
  other.db.prepare('SELECT count(*) FROM deliveries').get()
  expect(await store.erase([1], () => true)).toBe(1)
  const inFiles = () =>
    ['', '-wal'].some((suffix) => readFileSync(join(folder, `journal.db${suffix}`)).includes('Ada Lovelace'))
  expect(inFiles()).toBe(true)
  other.close()
  await clock.advance(10_000)
  expect(inFiles()).toBe(false)
  await store.close()
})

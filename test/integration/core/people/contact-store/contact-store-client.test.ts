import { once } from 'node:events'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createContactStoreClient } from '#electron/core/people/contact-store/contact-store-client.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { someDraft } from '../../../../helpers/open-contacts.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

function openStore(mayRest = () => false) {
  const clock = createFakeClock()
  const folder = tempFolder()
  const files = { contactsFile: join(folder, 'contacts.db'), searchFile: join(folder, 'search.db') }
  const contactStore = createContactStoreClient({
    ...files,
    clock,
    log: quietLog,
    mayRest,
  })
  onTestFinished(() => contactStore.stop())
  return { contactStore, files, clock }
}

test('reads the contacts of a selection by text and state piece by piece', async () => {
  const { contactStore } = openStore()
  for (const [at, name] of ['Ada', 'Bob', 'Ada', 'Ada'].entries())
    await contactStore.create({ ...someDraft, digits: 49_30_000_001 + at, name }, 0, 0)
  expect(await Promise.resolve(contactStore.reads), 'a promise resolves to it').toBe(contactStore.reads)
  const selection = { filter: { text: 'ada', states: ['local' as const] }, exceptIds: [3] }
  expect(await contactStore.reads.ids(selection, 0, 1)).toEqual([1])
  expect(await contactStore.reads.ids(selection, 1, 1)).toEqual([4])
  expect(await contactStore.reads.ids(selection, 4, 1)).toEqual([])
  expect(await contactStore.reads.ids({ ids: [4, 2, 9] }, 0, 10)).toEqual([2, 4])
})

/** Another store takes the threads that earlier ones left. */
const useKeptThreads = () => openStore().contactStore.open()

/** Threads started from now on. */
function startedThreads(): Worker[] {
  const started: Worker[] = []
  const note = (worker: Worker) => void started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  return started
}

test('needs no thread without contacts: not for its databases, nor to mark none of them', async () => {
  await useKeptThreads()
  const started = startedThreads()
  const { contactStore, files, clock } = openStore()
  const again = createContactStoreClient({ ...files, clock, log: quietLog })
  onTestFinished(() => again.stop())
  expect(await contactStore.check()).toEqual([])
  expect(await contactStore.setMarks({ mark: 'dnc', add: [49_30_000_001], remove: [] })).toBe(0)
  expect(started).toEqual([])
  await contactStore.create({ ...someDraft, digits: 49_30_000_001 }, 0, 0)
  expect(await contactStore.setMarks({ mark: 'dnc', add: [49_30_000_001], remove: [] })).toBe(1)
  await contactStore.stop()
  expect(started).toHaveLength(2)
  expect(await again.check()).toEqual([])
  expect(again.isEmpty()).toBe(false)
  expect(started, 'they were kept').toHaveLength(2)
})

test('ends unused threads only where they may, and starts them again for a call', async () => {
  await useKeptThreads()
  const started = startedThreads()
  let mayRest = false
  const { contactStore, clock } = openStore(() => mayRest)
  await contactStore.open()
  await clock.advance(60_000)
  expect(await contactStore.reads.count({})).toBe(0)
  expect(started).toHaveLength(2)
  mayRest = true
  const ended = Promise.all(started.map((worker) => once(worker, 'exit')))
  await clock.advance(30_000)
  await ended
  expect(await contactStore.reads.count({})).toBe(0)
  expect(started).toHaveLength(4)
})

import { once } from 'node:events'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createContactStoreClient } from '#electron/core/people/contact-store/contact-store-client.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'

test('ends unused threads only where they may, and starts them again for a call', async () => {
  const started: Worker[] = []
  const note = (worker: Worker) => void started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const clock = createFakeClock()
  let mayRest = false
  const folder = tempFolder()
  const contactStore = createContactStoreClient({
    contactsFile: join(folder, 'book.db'),
    searchFile: join(folder, 'search.db'),
    clock,
    log: quietLog,
    mayRest: () => mayRest,
  })
  onTestFinished(() => contactStore.stop())
  await contactStore.open()
  await clock.advance(60_000)
  expect(await contactStore.count({})).toBe(0)
  expect(started).toHaveLength(2)
  mayRest = true
  const ended = Promise.all(started.map((worker) => once(worker, 'exit')))
  await clock.advance(30_000)
  await ended
  expect(await contactStore.count({})).toBe(0)
  expect(started).toHaveLength(4)
})

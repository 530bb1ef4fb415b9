import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { createOperations } from '#electron/core/outbox/operations.ts'
import { createOutboxRepository } from '#electron/core/outbox/outbox.repository.ts'
import { createOutboxService } from '#electron/core/outbox/outbox.service.ts'
import { createApiKey } from '#electron/core/service-client/credentials.ts'
import { createServiceClient } from '#electron/core/service-client/create-service-client.ts'
import { defaultDialect } from '#electron/core/service-client/dialect.ts'
import { openDatabase } from '#electron/database/open.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'
import { startOutbox } from './outbox-fixture.ts'
import { usualChoices } from '../../helpers/contact-files.ts'
import { phoneOf } from './outbox-phone.ts'

const graceMs = 20_000

/** The outbox over a database and a book that may refuse to bring contacts back. Nothing it sends arrives. */
function start(file: string, restore: (batchId: string) => Promise<{ restored: number }>) {
  const clock = createFakeClock()
  const opened = openDatabase({ file, schema: 'state', log: quietLog })
  const sent: string[] = []
  const purged: string[] = []
  const client = createServiceClient({
    baseUrl: 'http://127.0.0.1:1/v1',
    credentials: createApiKey({ apiKey: 'key' }),
    clock,
    random: seededRandom(1),
    dialect: () => defaultDialect,
    log: quietLog,
    fetch: (url) => {
      sent.push(url as string)
      return Promise.resolve(Response.json({ message: 'deleted' }))
    },
  })
  const outbox = createOutboxService({
    repository: createOutboxRepository(opened.db),
    client,
    operations: createOperations(client),
    effects: { wake() {}, settled: () => Promise.resolve(), stop: () => Promise.resolve() },
    trash: { restore, purge: (batchId) => Promise.resolve(purged.push(batchId)) },
    isInBook: () => true,
    blockedBecause: () => null,
    connection: () => {
      throw new Error('nothing here asks for it')
    },
    clock,
    log: quietLog,
  })
  outbox.start()
  let isOpen = true
  const stop = async () => {
    if (!isOpen) return
    isOpen = false
    client.close()
    const stopping = outbox.stop()
    await clock.advance(5_000)
    await stopping
    opened.close()
  }
  onTestFinished(stop)
  return { outbox, clock, sent, purged, stop }
}

const deletion = (n: number) => ({
  operation: 'delete-contact' as const,
  name: `Contact ${n}`,
  phone: phoneOf(n),
  contactId: n + 1,
  serviceId: `c-${n}`,
  body: null,
  afterId: null,
})

test('an undo that the book refuses is done at the next try, or at the next start; nothing of it leaves meanwhile', async () => {
  const file = join(tempFolder(), 'state.db')
  const refuse = () => Promise.reject(new AppError('BOOK_FAILED', { detail: 'for the test' }))
  const first = start(file, refuse)
  const { batchId } = first.outbox.begin({ kind: 'delete', title: 'Deleted', graceMs })
  first.outbox.add(batchId, [0, 1, 2].map(deletion))
  first.outbox.go()
  await expect(first.outbox.undo(batchId)).rejects.toMatchObject({ code: 'BOOK_FAILED' })
  await first.clock.advance(3 * graceMs)
  await expect(first.outbox.undo(batchId)).rejects.toMatchObject({ code: 'BOOK_FAILED' })
  expect(first.purged).toEqual([])
  expect(first.outbox.batches(10, undefined).items).toMatchObject([{ undoableUntil: null, takenBack: true }])
  await first.stop()

  const restored: string[] = []
  const second = start(file, (id) => Promise.resolve({ restored: restored.push(id) }))
  await second.clock.advance(3 * graceMs)
  expect(restored).toEqual([batchId])
  expect(second.outbox.batches(10, undefined).items).toMatchObject([{ undoableUntil: null, takenBack: true }])
  await expect(second.outbox.undo(batchId)).rejects.toMatchObject({ code: 'OUTBOX_TOO_LATE' })
  expect(second.outbox.drain().counts).toMatchObject({ cancelled: 3, 'held-back': 0, queued: 0 })
  expect([...first.sent, ...second.sent, ...second.purged]).toEqual([])
})

test('what is added to a batch late has a grace time of its own, and what was taken back takes nothing more', async () => {
  const { outbox, clock, sent } = start(join(tempFolder(), 'state.db'), () =>
    Promise.resolve({ restored: 0 }),
  )
  const { batchId } = outbox.begin({ kind: 'delete', title: 'Deleted', graceMs })
  outbox.add(batchId, [deletion(0)])
  outbox.go()
  await clock.advance(graceMs - 1_000)
  expect(outbox.hold(batchId, graceMs)).toBe(true)
  outbox.add(batchId, [deletion(1)])
  await clock.advance(graceMs - 1_000)
  expect(sent).toEqual([])
  expect(outbox.drain().counts).toMatchObject({ 'held-back': 2 })
  expect(outbox.drain().heldUntil).toBe(new Date(clock.now() + 1_000).toISOString())
  await clock.advance(5_000)
  expect(sent).toHaveLength(2)
  expect(outbox.drain().heldUntil).toBeNull()
  // Its work was paused for longer than its grace time.
  expect(outbox.hold(batchId, graceMs)).toBe(true)
  outbox.add(batchId, [deletion(2)])
  expect(await outbox.undo(batchId)).toBe(1)
  expect(outbox.hold(batchId, graceMs)).toBe(false)
  await clock.advance(3 * graceMs)
  expect(sent).toHaveLength(2)
})

test('batches of one millisecond are all on one page or the next', () => {
  const { outbox } = start(join(tempFolder(), 'state.db'), () => Promise.resolve({ restored: 0 }))
  const begun = [1, 2, 3, 4, 5].map((n) => outbox.begin({ kind: 'push', title: `Pushed ${n}` }).batchId)
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = outbox.batches(2, cursor)
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(seen).toEqual(begun.reverse())
})

test('a large deletion that is undone while it is still being done goes no further, and everybody is back', async () => {
  const { rpc } = await startOutbox()
  const total = 2_500
  const bytes = Buffer.from(
    ['name,phone', ...Array.from({ length: total }, (_, n) => `Contact ${n},${phoneOf(n)}`)].join('\n'),
  )
  const { fileId } = await rpc.files.begin({ name: 'contacts.csv', sizeBytes: bytes.length })
  await rpc.files.append({ fileId, offset: 0, base64: bytes.toString('base64') })
  const { importId, format, guesses } = await rpc.imports.inspect({ fileId })
  const begun = await rpc.imports.start({
    importId,
    choices: {
      format,
      columns: guesses,
      defaultRegion: 'US',
      ...usualChoices,
    },
  })
  const ended = async (taskId: string) => {
    for await (const { tasks } of await rpc.tasks.watch()) {
      const task = tasks.find(({ id }) => id === taskId)
      if (task && ['done', 'failed', 'cancelled'].includes(task.state)) return task
    }
    throw new Error('the stream of tasks ended')
  }
  await ended(begun.taskId)
  const { taskId, batchId } = await rpc.contacts.delete({ selection: { filter: {}, exceptIds: [] } })
  await rpc.outbox.undo({ batchId: batchId! })
  expect(await ended(taskId!)).toMatchObject({ state: 'done', problem: null })
  expect((await rpc.contacts.summary()).total).toBe(total)
})

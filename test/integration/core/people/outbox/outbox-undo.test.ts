import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { AppError, type ErrorCode } from '#contract/errors.ts'
import { createContactDeletions } from '#electron/core/people/contacts/contact-deletions.ts'
import { createOutboxRepository } from '#electron/core/people/outbox/outbox.repository.ts'
import type { TasksService } from '#electron/core/platform/tasks/tasks.service.ts'
import { openDatabase } from '#electron/database/open.ts'
import { importFile } from '../../../../helpers/contact-files.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'
import { startAlone } from './outbox-alone.ts'
import { startOutbox } from './outbox-fixture.ts'
import { phoneOf } from './outbox-items.ts'

const graceMs = 20_000

const deletion = (n: number) => ({
  operation: 'delete-contact' as const,
  name: `Contact ${n}`,
  phone: phoneOf(n),
  contactId: n + 1,
  serviceId: `c-${n}`,
  body: null,
  afterId: null,
})

/** Starts a deletion whose undo window begins now. */
function beginHeld(outbox: ReturnType<typeof startAlone>['outbox']): string {
  const { batchId } = outbox.begin({ kind: 'delete', title: 'Deleted', open: true })
  outbox.hold(batchId, graceMs)
  return batchId
}

test('retries a failed undo later or at the next start and sends nothing meanwhile', async () => {
  const file = join(tempFolder(), 'state.db')
  const refuse = () => Promise.reject(new AppError('CONTACTS_FAILED', { detail: 'for the test' }))
  const first = startAlone(file, { restore: refuse })
  const batchId = beginHeld(first.outbox)
  first.outbox.add(batchId, [0, 1, 2].map(deletion))
  first.outbox.go()
  await expect(first.outbox.undo({ batchId })).rejects.toMatchObject({ code: 'CONTACTS_FAILED' })
  await first.clock.advance(3 * graceMs)
  await expect(first.outbox.undo({ batchId })).rejects.toMatchObject({ code: 'CONTACTS_FAILED' })
  expect(first.purged).toEqual([])
  expect(first.outbox.batches({ limit: 10 }).items).toMatchObject([{ undoableUntil: null, undone: true }])
  await first.stop()

  const restored: string[] = []
  const second = startAlone(file, {
    restore: (id) => Promise.resolve({ restored: restored.push(id), lost: 0 }),
  })
  await second.clock.advance(3 * graceMs)
  expect(restored).toEqual([batchId])
  expect(second.outbox.batches({ limit: 10 }).items).toMatchObject([{ undoableUntil: null, undone: true }])
  await expect(second.outbox.undo({ batchId })).rejects.toMatchObject({ code: 'OUTBOX_TOO_LATE' })
  expect(second.outbox.drain().counts).toMatchObject({ cancelled: 3, undoable: 0, queued: 0 })
  expect([...first.sent, ...second.sent, ...second.purged]).toEqual([])
})

test('gives late additions their own undo window, and an undone batch accepts none', async () => {
  const { outbox, clock, sent } = startAlone(join(tempFolder(), 'state.db'))
  const batchId = beginHeld(outbox)
  outbox.add(batchId, [deletion(0)])
  outbox.go()
  await clock.advance(graceMs - 1_000)
  expect(outbox.hold(batchId, graceMs)).toBe(true)
  outbox.add(batchId, [deletion(1)])
  await clock.advance(graceMs - 1_000)
  expect(sent).toEqual([])
  expect(outbox.drain().counts).toMatchObject({ undoable: 2 })
  expect(outbox.drain().heldUntil).toBe(new Date(clock.now() + 1_000).toISOString())
  await clock.advance(5_000)
  expect(sent).toHaveLength(2)
  expect(outbox.drain().heldUntil).toBeNull()
  // Its task was paused for longer than the undo window.
  expect(outbox.hold(batchId, graceMs)).toBe(true)
  outbox.add(batchId, [deletion(2)])
  expect(await outbox.undo({ batchId })).toEqual({ undone: 1, lost: 0, unmarked: 0, left: 2 })
  expect(outbox.hold(batchId, graceMs)).toBe(false)
  await clock.advance(3 * graceMs)
  expect(sent).toHaveLength(2)
})

test('starts the undo window only once the batch is complete', async () => {
  const { outbox, clock, sent } = startAlone(join(tempFolder(), 'state.db'))
  const { batchId } = outbox.begin({ kind: 'delete', title: 'Deleted', open: true, chosen: 3 })
  expect(outbox.batches({ limit: 1 }).items[0]!.undoableUntil).toBeNull()
  outbox.add(batchId, [deletion(0), deletion(1)])
  outbox.marked(batchId, { marked: 2, requested: 2 })
  outbox.go()
  await clock.advance(10 * graceMs)
  expect(sent).toEqual([])
  expect(outbox.drain()).toMatchObject({
    heldUntil: null,
    deletions: [{ batchId, state: 'marking', until: null, chosen: 3, marked: 2, requested: 2 }],
  })
  expect(outbox.batches({ limit: 10 }).items).toMatchObject([{ open: true, undoableUntil: null }])
  outbox.add(batchId, [deletion(2)])
  outbox.marked(batchId, { marked: 1, requested: 1 })
  expect(outbox.hold(batchId, graceMs)).toBe(true)
  outbox.go()
  const until = new Date(clock.now() + graceMs).toISOString()
  expect(outbox.drain()).toMatchObject({ heldUntil: until, deletions: [{ state: 'held', until, marked: 3 }] })
  await clock.advance(graceMs - 1_000)
  expect(sent).toEqual([])
  await clock.advance(5_000)
  expect(sent).toHaveLength(3)
  expect(outbox.drain().deletions).toEqual([])
})

test('reopens a deletion that resumes while it is released, and loses nothing', async () => {
  const { outbox, clock, purged } = startAlone(join(tempFolder(), 'state.db'))
  const batchId = beginHeld(outbox)
  outbox.add(
    batchId,
    Array.from({ length: 10_000 }, (_, n) => deletion(n)),
  )
  outbox.go()
  await clock.advance(graceMs)
  const before = outbox.drain().counts.undoable
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(10_000)
  expect(outbox.hold(batchId, 'open')).toBe(true)
  outbox.add(batchId, [deletion(10_000)])
  for (let turn = 0; turn < 30; turn++) await nextTurn()
  expect(outbox.drain().counts.undoable).toBe(before + 1)
  expect(purged).toEqual([])
  expect(outbox.batches({ limit: 10 }).items).toMatchObject([{ open: true }])
  outbox.hold(batchId, graceMs)
  outbox.go()
  await clock.advance(graceMs)
  await expect.poll(() => purged).toEqual([batchId])
  expect(outbox.drain().counts.undoable).toBe(0)
})

test('reopens a deletion that resumes while its contacts are removed', async () => {
  const { promise: forgotten, resolve: forget } = Promise.withResolvers<undefined>()
  const { outbox, clock, purged } = startAlone(join(tempFolder(), 'state.db'), { purging: () => forgotten })
  const batchId = beginHeld(outbox)
  outbox.go()
  await clock.advance(graceMs)
  expect(purged).toEqual([batchId])
  expect(outbox.hold(batchId, 'open')).toBe(true)
  forget(undefined)
  await nextTurn()
  expect(outbox.batches({ limit: 10 }).items).toMatchObject([{ open: true }])
})

test('releases a deletion whose creation ends while its batch is released', async () => {
  let [createId, followerId] = [0, 0]
  const { outbox, clock } = startAlone(join(tempFolder(), 'state.db'), {
    change: (repository) => ({
      ...repository,
      heldOf(...args) {
        // Between two pieces.
        if (args[2] > 0 && repository.get(followerId)?.state === 'blocked') {
          repository.update(createId, { state: 'unknown' })
          void outbox.resolve({ selection: { ids: [createId] }, how: 'mark-done', serviceId: 'c-0' })
        }
        return repository.heldOf(...args)
      },
    }),
  })
  outbox.pause()
  const create = { ...deletion(0), operation: 'create-contact' as const, serviceId: null }
  createId = outbox.add(outbox.begin({ kind: 'push', title: 'Push' }).batchId, [create])[0]!
  const batchId = beginHeld(outbox)
  followerId = outbox.add(batchId, [{ ...deletion(0), serviceId: null, afterId: createId }])[0]!
  outbox.add(
    batchId,
    Array.from({ length: 600 }, (_, n) => deletion(n + 1)),
  )
  outbox.go()
  await clock.advance(graceMs)
  await expect.poll(() => outbox.batches({ limit: 1 }).items).toMatchObject([{ undoableUntil: null }])
  expect(outbox.drain().counts).toMatchObject({ undoable: 0, blocked: 0 })
})

test('retries the rejected deletion of a blocked number', async () => {
  const { outbox } = startAlone(join(tempFolder(), 'state.db'), {
    isBlocked: true,
    change(repository) {
      repository.addBatch({ id: 'b', kind: 'delete', title: 'Deleted', createdMs: 1 })
      repository.add('b', deletion(0), 'rejected', 1)
      return repository
    },
  })
  expect(await outbox.retryRejected({ selection: { filter: {} } })).toMatchObject({ queued: 1, blocked: 0 })
})

const doubt = { problem: { code: 'DELETION_REPEATED', data: {} } } as const
test.each([
  ['continues when its new record is replaced', 'withdraw', { queued: 1, unknown: 0 }],
  ['is unconfirmed when its new record is cancelled', 'cancel', { queued: 0, unknown: 1 }],
] as const)('the deletion of an old record that may be done %s', async (_what, how, counts) => {
  let created = 0
  const { outbox } = startAlone(join(tempFolder(), 'state.db'), {
    change(repository) {
      repository.addBatch({ id: 'b', kind: 'edit', title: 'Edited', createdMs: 1 })
      const item = { ...deletion(0), contactId: null, oldOf: 1 }
      const afterId = repository.add('b', item, 'queued', 1)
      repository.update(afterId, doubt)
      const create = { ...deletion(0), operation: 'create-contact' as const, serviceId: null, afterId }
      created = repository.add('b', create, 'blocked', 1)
      return repository
    },
  })
  outbox.pause()
  if (how === 'withdraw') expect(outbox.withdraw([created])).toEqual([created])
  else await outbox.cancel({ selection: { ids: [created] } })
  expect(outbox.drain().counts).toMatchObject({ ...counts, cancelled: 1, blocked: 0 })
})

test('answers two undos at the same moment alike and undoes once', async () => {
  const restored: string[] = []
  const { outbox } = startAlone(join(tempFolder(), 'state.db'), {
    async restore(batchId) {
      restored.push(batchId)
      await nextTurn()
      return { restored: 3, lost: 1 }
    },
  })
  const { batchId } = outbox.begin({ kind: 'delete', title: 'Deleted', open: true, chosen: 10 })
  outbox.add(batchId, [0, 1].map(deletion))
  outbox.marked(batchId, { marked: 6, requested: 2 })
  const answer = { undone: 5, lost: 1, unmarked: 4, left: 0 }
  expect(await Promise.all([outbox.undo({ batchId }), outbox.undo({ batchId })])).toEqual([answer, answer])
  expect(restored).toEqual([batchId])
  await expect(outbox.undo({ batchId })).rejects.toMatchObject({ code: 'OUTBOX_TOO_LATE' })
})

test('lists each of many batches from one millisecond on exactly one page', () => {
  const { outbox } = startAlone(join(tempFolder(), 'state.db'))
  const begun = [1, 2, 3, 4, 5].map((n) => outbox.begin({ kind: 'push', title: `Pushed ${n}` }).batchId)
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = outbox.batches({ limit: 2, cursor })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  }
  expect(seen).toEqual(begun.reverse())
})

/** Imports this many contacts. */
async function addMany(rpc: Rpc, total: number): Promise<void> {
  const rows = Array.from({ length: total }, (_, n) => `Contact ${n},${phoneOf(n)}`)
  await importFile(rpc, 'contacts.csv', ['name,phone', ...rows].join('\n'))
}

test('stops and undoes a large deletion that is still being prepared', async () => {
  const { rpc } = await startOutbox()
  const total = 2_500
  await addMany(rpc, total)
  const { taskId, batchId } = await rpc.contacts.delete({ selection: { filter: {}, exceptIds: [] } })
  const { undone, lost, unmarked } = await rpc.outbox.undo({ batchId: batchId! })
  expect([undone + unmarked, lost]).toEqual([total, 0])
  expect(await taskEnd(rpc, taskId!)).toMatchObject({
    state: 'cancelled',
    counts: { deleted: 0 },
    problem: null,
  })
  expect((await rpc.contacts.summary()).total).toBe(total)
  expect((await rpc.outbox.batches({})).items).toMatchObject([{ open: false, undone: true }])
  const expected = { deleted: 0, broughtBack: undone, lost: 0, untouched: total - undone }
  await expect.poll(async () => (await rpc.tasks.get({ id: taskId! })).counts).toEqual(expected)

  const whole = await rpc.contacts.delete({ selection: { filter: {}, exceptIds: [] } })
  expect(await taskEnd(rpc, whole.taskId!)).toMatchObject({ state: 'done', counts: { deleted: total } })
  await rpc.outbox.undo({ batchId: whole.batchId! })
  await expect
    .poll(async () => (await rpc.tasks.get({ id: whole.taskId! })).counts)
    .toEqual({ deleted: 0, broughtBack: total, lost: 0, untouched: 0 })
})

test('sends nothing of a paused large deletion, keeps its part when cancelled, and undoes it with its task', async () => {
  const { rpc, skip } = await startOutbox()
  await addMany(rpc, 2_500)
  const everybody = { filter: {}, exceptIds: [] }
  /** Starts the deletion of everybody and pauses it between two of its ten steps. */
  async function deletePart() {
    const started = await rpc.contacts.delete({ selection: everybody })
    const id = started.taskId!
    for (let done = 0; done === 0;) done = (await rpc.tasks.get({ id })).progress.done
    await rpc.tasks.pause({ id })
    return started
  }
  const first = await deletePart()
  expect(first.undoableUntil).toBeNull()
  skip(10 * graceMs)
  const deletions = async () => {
    for await (const drain of await rpc.outbox.watch()) return drain.deletions
  }
  expect(await deletions()).toMatchObject([
    { batchId: first.batchId, state: 'marking', until: null, chosen: 2_500 },
  ])
  await rpc.outbox.undo({ batchId: first.batchId! })
  expect((await rpc.tasks.get({ id: first.taskId! })).state).toBe('cancelled')
  expect((await rpc.contacts.summary()).total).toBe(2_500)

  const second = await deletePart()
  await rpc.tasks.cancel({ id: second.taskId! })
  await expect.poll(deletions).toMatchObject([{ batchId: second.batchId, state: 'held' }])
  expect((await rpc.tasks.get({ id: second.taskId! })).state).toBe('cancelled')
})

test('starts the undo window of a deletion whose task is gone at the next start', async () => {
  const file = join(tempFolder(), 'state.db')
  const first = startAlone(file)
  const { batchId } = first.outbox.begin({ kind: 'delete', title: 'Deleted', open: true, chosen: 1 })
  first.outbox.add(batchId, [deletion(0)])
  await first.stop()
  const second = startAlone(file)
  const deletions = (unfinished: string[]) =>
    createContactDeletions({
      outbox: second.outbox,
      tasks: {
        onEnd: () => () => {},
        list: () => unfinished.map((refId) => ({ refId, endedAt: null })),
      } as unknown as TasksService,
      deleteRows: () => Promise.reject(new Error('nothing is deleted here')),
      clock: second.clock,
      log: quietLog,
    })
  deletions([batchId]).start()
  expect(second.outbox.drain().deletions).toMatchObject([{ state: 'marking', until: null }])
  deletions([]).start()
  expect(second.outbox.drain().deletions).toMatchObject([{ state: 'held' }])
  await second.clock.advance(2 * graceMs)
  expect(second.sent).toHaveLength(1)
})

test('counts what needs a decision by all items, not by a page of them', () => {
  const { db, close } = openDatabase({ file: join(tempFolder(), 'state.db'), schema: 'state', log: quietLog })
  onTestFinished(close)
  const repository = createOutboxRepository(db)
  const batchId = 'b-1'
  repository.addBatch({ id: batchId, kind: 'push', title: 'Pushed', createdMs: 0 })
  const put = (state: 'rejected' | 'unknown', endedMs: number, code: ErrorCode = 'SERVICE_REJECTED') => {
    const item = {
      operation: 'create-contact',
      name: '',
      phone: '+447700900001',
      contactId: null,
      serviceId: null,
      body: {},
      afterId: null,
    } as const
    repository.update(repository.add(batchId, item, state, 0), { endedMs, problem: { code, data: {} } })
  }
  repository.transaction(() => {
    put('rejected', 900)
    for (let at = 0; at < 3_000; at++) put('rejected', 1_000 + at)
    put('rejected', 1_500, 'ON_DNC')
    for (let at = 0; at < 600; at++) put('unknown', 5_000 + at)
  })
  expect(repository.stuck(1_000)).toEqual({
    unconfirmedSince: new Date(5_000).toISOString(),
    rejected: 3_000,
    rejectedSince: new Date(1_000).toISOString(),
    notSent: 1,
    notSentSince: new Date(1_500).toISOString(),
  })
  expect(repository.stuck(9_000)).toMatchObject({ rejected: 0, rejectedSince: null })
})

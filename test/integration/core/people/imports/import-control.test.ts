import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { allContacts, choicesFor, upload } from '../../../../helpers/contact-files.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { shareSandbox, startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const shared = shareSandbox()
afterEach(async () => {
  const { rpc } = shared
  const { items } = await rpc.imports.list({ limit: 50 })
  for (const { id, canUndo } of items)
    if (canUndo) await taskEnd(rpc, (await rpc.imports.undo({ importId: id })).taskId)
  expect((await rpc.contacts.summary()).total).toBe(0)
})

const rows = 4_000
/** Makes the file several megabytes: an import can pause after each. */
const padding = 'x'.repeat(1_000)
const people = (from = 0) =>
  [
    'name,phone,ignored',
    ...Array.from(
      { length: rows },
      (_, at) => `Person ${at},${at % 10 ? `+49171${2_000_000 + from + at}` : 'x'},${padding}`,
    ),
  ].join('\n')

async function begin(from = 0) {
  const { rpc } = shared
  const { importId, choices } = await choicesFor(rpc, await upload(rpc, 'people.csv', people(from)))
  const { taskId } = await rpc.imports.start({ importId, choices })
  return { importId, taskId, state: async () => (await rpc.imports.get({ importId })).state }
}

/** An import that is paused before it has read its file, however fast the machine is. */
async function beginPaused() {
  const started = await begin()
  await shared.rpc.tasks.pause({ id: started.taskId })
  await expect.poll(started.state).toBe('paused')
  return started
}

/** Lets a paused import store the next part of its file, until contacts are stored. It stays paused. */
const storeSome = (core: Rpc, id: string) =>
  expect
    .poll(async () => {
      await Promise.all([core.tasks.resume({ id }), core.tasks.pause({ id })])
      return (await core.contacts.summary()).total
    })
    .toBeGreaterThan(0)

test('stores nothing while paused, then completes', async () => {
  const { rpc } = shared
  const { taskId, importId } = await beginPaused()
  const contact = await rpc.contacts.create({ name: 'Meanwhile', phone: '+14155550100', email: '', tags: {} })
  const before = await rpc.contacts.summary()
  // Reads as many rows as the import would: by then, one that runs on has stored more.
  await choicesFor(rpc, await upload(rpc, 'meanwhile.csv', people(rows)))
  expect((await rpc.contacts.summary()).total).toBe(before.total)
  await rpc.tasks.resume({ id: taskId })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
  expect(await rpc.imports.get({ importId })).toMatchObject({
    state: 'done',
    counts: { rows, new: rows * 0.9, invalid: rows * 0.1 },
  })
  expect((await rpc.contacts.summary()).total).toBe(rows * 0.9 + 1)
  await rpc.contacts.delete({ selection: { ids: [contact.contact.id] } })
})

test('keeps stored rows when cancelled, counts them exactly and can undo them', async () => {
  const { rpc } = shared
  const { taskId, importId } = await beginPaused()
  await storeSome(rpc, taskId)
  await rpc.tasks.cancel({ id: taskId })
  const task = await taskEnd(rpc, taskId)
  const record = await rpc.imports.get({ importId })
  expect([task.state, record.state]).toEqual(['cancelled', 'cancelled'])
  expect((await rpc.contacts.summary()).total).toBe(record.counts.new)
  expect(record.counts.new).toBeLessThan(rows * 0.9)
  const { total } = await rpc.imports.rejected({ importId, limit: 1 })
  expect(total).toBe(record.counts.invalid)
  expect(record.canUndo).toBe(true)
})

test('runs two imports one after the other', async () => {
  const { rpc } = shared
  const first = await begin()
  const second = await begin(rows)
  expect(await taskEnd(rpc, first.taskId)).toMatchObject({ state: 'done', problem: null })
  expect(await taskEnd(rpc, second.taskId)).toMatchObject({ state: 'done', problem: null })
  expect((await rpc.contacts.summary()).total).toBe(2 * rows * 0.9)
})

test('cancels an import that waits for another', async () => {
  const { rpc } = shared
  const first = await begin()
  await rpc.tasks.pause({ id: first.taskId })
  const second = await begin(rows)
  await rpc.tasks.cancel({ id: second.taskId })
  expect(await taskEnd(rpc, second.taskId)).toMatchObject({ state: 'cancelled' })
  await rpc.tasks.resume({ id: first.taskId })
  expect(await taskEnd(rpc, first.taskId)).toMatchObject({ state: 'done' })
  expect((await rpc.contacts.summary()).total).toBe(rows * 0.9)
})

test('marks a number that is put on hold during the import', async () => {
  const { rpc } = shared
  const { taskId } = await beginPaused()
  const phone = `+49171${2_000_000 + rows - 2}`
  // Behind the core's back, whose own update would arrive after an import in one transaction.
  const state = new Database(join(shared.dataDir, 'connections', 'sandbox', 'state.db'))
  const { lastInsertRowid } = state
    .prepare(
      "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES (?, ?, 'stop', 'by-hand', 1)",
    )
    .run(phone, Number(phone.slice(1)))
  state.close()
  await rpc.tasks.resume({ id: taskId })
  expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
  expect((await allContacts(rpc, { held: true })).map((contact) => contact.phone)).toEqual([phone])
  await rpc.dnc.release({ id: Number(lastInsertRowid) })
})

test('reports and undoes stored rows when cancelled after an interruption', async () => {
  const { next, importId, taskId } = await breakOff()
  const task = await next.tasks.get({ id: taskId })
  const { total } = await next.contacts.summary()
  expect(await next.imports.get({ importId })).toMatchObject({
    state: 'interrupted',
    counts: { ...task.counts, new: total },
  })
  await next.tasks.cancel({ id: taskId })
  const record = await next.imports.get({ importId })
  expect(record).toMatchObject({ state: 'cancelled', counts: { new: total }, canUndo: true })
  expect(record.endedAt).not.toBeNull()
  await taskEnd(next, (await next.imports.undo({ importId })).taskId)
  expect((await next.contacts.summary()).total).toBe(0)
})

/** A console that ended during its import, and the next one on the same folder. */
async function breakOff(): Promise<{ next: Rpc; importId: string; taskId: string }> {
  const own = await startInSandbox()
  const { importId, choices } = await choicesFor(own.rpc, await upload(own.rpc, 'people.csv', people()))
  const { taskId } = await own.rpc.imports.start({ importId, choices })
  await own.rpc.tasks.pause({ id: taskId })
  await expect.poll(async () => (await own.rpc.tasks.get({ id: taskId })).state).toBe('paused')
  await storeSome(own.rpc, taskId)
  await own.stopCore()
  return { next: (await startInSandbox({ after: own })).rpc, importId, taskId }
}

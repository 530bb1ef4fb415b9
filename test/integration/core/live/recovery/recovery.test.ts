import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { deliverEvents, dlrBody } from '../../../../helpers/deliver-events.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { eventsStored, taskEnd, taskWhere } from '../../../../helpers/wait-for.ts'
import { serviceSecret, startInSandbox, startListening } from '../../../../helpers/test-core.ts'

const tenMinutesMs = 600_000

const deliver = (rpc: Rpc, messageId: string, status: string) =>
  deliverEvents(rpc, serviceSecret, dlrBody(messageId, status))

/**
 * A console that saw `submitted` for some of the sandbox's messages and for an unknown one, and was then away for ten minutes: its data is
 * moved back by that time.
 */
async function afterAGap() {
  // Messages on the same port before and after: a moved listener would be a different gap.
  const first = await startListening()
  const { items } = await first.rpc.messages.list({ page: 1, perPage: 100 })
  const statuses = new Map(items.slice(0, 12).map(({ id, status }) => [String(id), String(status)]))
  for (const id of [...statuses.keys(), 'nobody-knows-it', '..']) await deliver(first.rpc, id, 'submitted')
  await deliver(first.rpc, 'long-done', 'submitted')
  await deliver(first.rpc, 'long-done', 'delivered')
  await eventsStored(first.rpc, statuses.size + 4)
  const { connections } = await first.rpc.connections.list()
  const port = Number(new URL((await first.rpc.listener.get()).status.url!).port)
  await first.stopCore()
  const dir = join(first.dataDir, 'connections', connections[0]!.id)
  const change = (file: string, sql: string) => {
    const db = new Sqlite(join(dir, file))
    db.exec(sql)
    db.close()
  }
  change(
    'journal.db',
    `UPDATE spans SET started_ms = started_ms - ${tenMinutesMs}, alive_ms = alive_ms - ${tenMinutesMs},
       ended_ms = ended_ms - ${tenMinutesMs}, first_delivery_ms = first_delivery_ms - ${tenMinutesMs}`,
  )
  change('state.db', `UPDATE messages SET since_ms = since_ms - ${tenMinutesMs}`)
  const { rpc, sandbox } = await startInSandbox({ after: first, config: { listenerPort: port } })
  const [gap] = (await rpc.recovery.get({})).gaps
  expect(gap).toMatchObject({ open: { value: statuses.size + 2, atLeast: false }, run: null })
  const start = async () => (await rpc.recovery.start({ from: gap!.from })).taskId
  return {
    rpc,
    sandbox,
    statuses,
    /** The database of its connection. */
    stateFile: join(dir, 'state.db'),
    start,
    recover: async () => taskEnd(rpc, await start()),
    now: async () => (await rpc.recovery.get({})).gaps[0]!,
  }
}

const isFinal = (status: string) => ['delivered', 'failed', 'rejected', 'expired'].includes(status)

test('reads messages left open by a gap at the service once and keeps the answers', async () => {
  const { rpc, sandbox, statuses, stateFile, recover, now } = await afterAGap()
  const [open] = statuses.keys()
  sandbox.setFault('unknown-values', { path: `/messages/${open}` })
  statuses.set(open!, 'in_review')
  const task = await recover()
  expect(task).toMatchObject({ state: 'done', problem: null, progress: { done: statuses.size + 2 } })
  const settled = [...statuses.values()].filter(isFinal).length
  expect(settled).toBeGreaterThan(0)
  const stillOpen = statuses.size - settled
  expect(stillOpen).toBeGreaterThan(0)
  expect(task.counts).toMatchObject({ settled, notFound: 1, notReadable: 1, stillOpen })

  const after = await now()
  expect(after.open.value).toBe(stillOpen + 1)
  expect(after.run).toMatchObject({ read: statuses.size + 2, notFound: 1, unreadable: 1 })
  expect(after.run!.endedAt).not.toBeNull()
  for (const { status, final, count } of after.run!.byStatus) {
    expect(final).toBe(isFinal(status!))
    expect(count).toBe([...statuses.values()].filter((each) => each === status).length)
  }

  // The event shows the service's answer; reports keep their own.
  const [[id, status]] = [...statuses].filter(([, each]) => isFinal(each)) as [[string, string]]
  const [event] = (await rpc.events.search({ filter: { text: id } })).items
  expect(await rpc.events.get({ seq: event!.seq })).toMatchObject({
    recovered: { status },
    messageStatus: 'submitted',
  })

  // A second run reads only those that were not final, and keeps the results of the first.
  expect((await recover()).progress.done).toBe(stillOpen + 1)
  expect((await now()).run).toMatchObject({ read: statuses.size + 2, notFound: 1 })

  // Repeating it increases neither its counts nor its stored data.
  await recover()
  const { run } = await now()
  const ofThisRun = { id: '', taskId: '', startedAt: '', endedAt: '' }
  expect({ ...run, ...ofThisRun }).toEqual({ ...after.run, ...ofThisRun })
  const db = new Sqlite(stateFile, { readonly: true })
  expect(db.prepare('SELECT count(*) FROM recovered').pluck().get()).toBe(statuses.size + 2)
  db.close()
})

test('refuses a gap that is open or unknown', async () => {
  const { rpc } = await startInSandbox()
  expect((await rpc.recovery.get({})).gaps).toEqual([])
  const refused = rpc.recovery.start({ from: '2026-01-05T09:00:00.000Z' })
  await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('keeps results when it is cancelled midway, and the next run continues after them', async () => {
  const { rpc, sandbox, statuses, start, recover } = await afterAGap()
  const answered = 6
  sandbox.setFault('hang', { path: '/messages/', after: answered })
  const taskId = await start()
  await taskWhere(rpc, taskId, ({ progress }) => progress.done >= answered)
  await rpc.tasks.cancel({ id: taskId })
  const cut = await taskEnd(rpc, taskId)
  expect(cut.state).toBe('cancelled')
  sandbox.setFault(null)
  const second = await recover()
  expect(second.state).toBe('done')
  const settledFirst = (cut.counts['settled'] ?? 0) + (cut.counts['notFound'] ?? 0)
  expect(settledFirst).toBeGreaterThan(0)
  expect(second.progress.done).toBe(statuses.size + 2 - settledFirst)
})

test('keeps the last readable answer when a later run can’t read the message', async () => {
  const { rpc, sandbox, statuses, recover } = await afterAGap()
  const [id] = statuses.keys()
  // No final status, so the next run reads it again.
  sandbox.setFault('unknown-values', { path: `/messages/${id}` })
  await recover()
  const [event] = (await rpc.events.search({ filter: { text: id! } })).items
  const { recovered } = await rpc.events.get({ seq: event!.seq })
  expect(recovered).toMatchObject({ status: expect.any(String) as string })
  sandbox.setFault('forbidden', { path: `/messages/${id}` })
  await recover()
  expect((await rpc.events.get({ seq: event!.seq })).recovered).toEqual(recovered)
})

test('sets aside messages whose answers fail, stops after five in a row, and names them', async () => {
  const { rpc, sandbox, statuses, recover, now } = await afterAGap()
  const ids = [...statuses.keys()]
  // A service that refuses all: five are tried.
  sandbox.setFault('forbidden', { path: '/messages/' })
  const { id, ...failed } = await recover()
  expect(failed).toMatchObject({ state: 'failed', problem: { code: 'FORBIDDEN' }, progress: { done: 5 } })
  // One bad message: the resumed run passes it.
  sandbox.setFault('forbidden', { path: `/messages/${ids[6]}` })
  await rpc.tasks.resume({ id })
  const done = { state: 'done', progress: { done: statuses.size + 2 } }
  expect(await taskEnd(rpc, id)).toMatchObject(done)
  const { run } = await now()
  const aside = ['..', ...ids.slice(0, 5), ids[6]!].sort()
  expect(run).toMatchObject({ unreadable: 7, notFound: 1, unreadableIds: aside })
})

import Sqlite from 'better-sqlite3'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import { confirmSend, dryRun, peopleIn } from '../../../../helpers/bulk-sends.ts'
import { upload } from '../../../../helpers/contact-files.ts'
import { syncDnc } from '../../../../helpers/dnc.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const hourMs = 3_600_000

/** A dry run of two recipients; its folder of files, and a switch that breaks its queueing. */
async function prepared({ startsInMs = null as number | null } = {}) {
  let laterMs = 0
  const clock: Clock = { ...createFastClock(20), now: () => systemClock.now() + laterMs }
  const { rpc, dataDir } = await startInSandbox({ sandbox: { contactsCount: 0, dncCount: 5 }, clock })
  await syncDnc(rpc)
  const { key } = await rpc.templates.create({ name: 'Hello', body: 'Hello!', variables: [] })
  const fileId = await upload(rpc, 'people.csv', 'name,mobile\nAda,020 7946 0000\nKim,+81312345678')
  const startAt = startsInMs === null ? null : new Date(clock.now() + startsInMs).toISOString()
  const { id } = await dryRun(rpc, { key, source: peopleIn(fileId, { region: 'GB' }), startAt })
  const dir = join(dataDir, 'connections', readdirSync(join(dataDir, 'connections'))[0]!)
  const change = (file: string, sql: string) => {
    const db = new Sqlite(join(dir, file))
    db.exec(sql)
    db.close()
  }
  const run = async ({ taskId }: { taskId: string | null }) => (await taskEnd(rpc, taskId!)).problem?.code
  return {
    rpc,
    id,
    files: join(dir, 'sends'),
    change,
    skip: (ms: number) => void (laterMs += ms),
    breakQueueing: (isBroken: boolean) =>
      change(
        'state.db',
        isBroken
          ? `CREATE TRIGGER broken BEFORE INSERT ON outbox BEGIN SELECT raise(ABORT, 'broken'); END`
          : 'DROP TRIGGER broken',
      ),
    run,
    /** Confirms the send. Returns its task, and why that failed. */
    async confirm() {
      const { taskId } = await confirmSend(rpc, id)
      return { taskId, problem: await run({ taskId }) }
    },
    async resume(taskId: string | null) {
      await rpc.tasks.resume({ id: taskId! })
      return run({ taskId })
    },
    shown: async () => (await rpc.templates.sendOf({ id })).send,
  }
}

test('never lets an old count change a send that was confirmed since, and drops its recipients when it is undone', async () => {
  const { rpc, id, files, breakQueueing, run, confirm, resume, shown } = await prepared()
  const source = join(files, `${id}.rows`)
  renameSync(source, `${source}x`)
  const { countedAt } = await shown()
  const { taskId } = await rpc.templates.recount({ id, skipReceived: true })
  expect(await run({ taskId })).toBe('SEND_PLAN_GONE')
  expect(await shown()).toMatchObject({ state: 'failed', problem: { code: 'SEND_PLAN_GONE' } })
  await expect(confirm()).rejects.toMatchObject({ code: 'SEND_NOT_POSSIBLE' })
  renameSync(`${source}x`, source)
  await run(await rpc.templates.recount({ id }))
  expect(Date.parse((await shown()).countedAt!)).toBeGreaterThan(Date.parse(countedAt!))
  breakQueueing(true)
  await confirm()
  const stopped = await shown()
  expect(stopped).toMatchObject({ state: 'queueing-stopped', skipReceived: false })
  expect(await resume(taskId)).toBe('SEND_NOT_POSSIBLE')
  expect(await shown()).toEqual(stopped)

  await rpc.outbox.undo({ batchId: stopped.batchId! })
  expect((await shown()).state).toBe('undone')
  expect(readdirSync(files)).toEqual([`${id}.left`])
})

test('knows that a number was blocked since the dry run', async () => {
  const { rpc, id, run, change } = await prepared()
  const isOutdated = async () => (await rpc.templates.sendOf({ id })).isOutdated
  expect(await isOutdated()).toBe(false)
  await rpc.dnc.hold({ phone: '+442079460001', region: 'GB', evidence: 'Asked by phone' })
  expect(await isOutdated()).toBe(true)
  await run(await rpc.templates.recount({ id }))
  expect(await isOutdated()).toBe(false)
  // A colleague's hold, which began earlier.
  change(
    'state.db',
    `INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES ('+442079460002', 442079460002, 'STOP', 'opt-out', 1)`,
  )
  expect(await isOutdated()).toBe(true)
  await run(await rpc.templates.recount({ id }))
  expect(await isOutdated()).toBe(false)
  // What the service said when it was asked about one recipient.
  change(
    'cache.db',
    `INSERT INTO dnc_entries (key, phone_number, digits, first_seen_ms, added_sync, seen_sync, seen_sweep)
     VALUES ('x', '+442079460003', 442079460003, 1, 1, 1, 1)`,
  )
  expect(await isOutdated()).toBe(true)
})

test('resumes a stopped queueing only with a fresh DNC list, and asks once its start has passed', async () => {
  const { rpc, breakQueueing, confirm, resume, shown, skip } = await prepared({ startsInMs: hourMs })
  breakQueueing(true)
  const { taskId } = await confirm()
  breakQueueing(false)
  skip(48 * hourMs)
  expect(await resume(taskId)).toBe('DNC_LIST_NOT_FRESH')
  expect((await shown()).state).toBe('queueing-stopped')
  await syncDnc(rpc)
  expect(await resume(taskId)).toBeUndefined()
  await expect.poll(async () => (await shown()).state).toBe('start-missed')
})

test('leaves no recipients on disk when a send is discarded while it is counted again', async () => {
  const { rpc, id, files } = await prepared()
  const { taskId } = await confirmSend(rpc, id)
  await rpc.templates.discard({ id })
  expect(await taskEnd(rpc, taskId!)).toMatchObject({ state: 'cancelled' })
  expect(readdirSync(files)).toEqual([])
})

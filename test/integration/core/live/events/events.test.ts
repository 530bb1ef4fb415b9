import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { EventRow } from '#contract/live/events.ts'
import { type Rpc, type RunningCore } from '../../../../helpers/start-core.ts'
import { eventsStored, statusWhere } from '../../../../helpers/wait-for.ts'
import {
  connectByKey,
  type CoreOptions,
  restartCore,
  startInSandbox,
  startTestCore,
} from '../../../../helpers/test-core.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'
import { takePort } from '../../../../helpers/ports.ts'

const secret = 'a-secret-of-the-service'

/** A core with an open sandbox and a second secret, so that the test can sign deliveries itself. */
async function start(options: CoreOptions = {}): Promise<RunningCore> {
  const running = await startInSandbox(options)
  await running.rpc.listener.addSecret({ label: 'Test', value: secret })
  return running
}

const urlOf = async (rpc: Rpc) => (await rpc.listener.get()).status.url!

const deliver = (url: string, body: string, signature?: string) => deliverSigned(url, body, secret, signature)

const dlr = (messageId: string, status: string, errorCode: number | null = null) =>
  JSON.stringify({
    event: 'dlr',
    message_id: messageId,
    status,
    error_code: errorCode,
    destination: '+15550001111',
    delivered_at: '2026-01-05T09:00:00Z',
  })

async function allEvents(rpc: Rpc, count: number): Promise<EventRow[]> {
  await eventsStored(rpc, count)
  return (await rpc.events.search({ filter: {}, limit: 500 })).items
}

test('acknowledges a signed event, shows it once and counts its duplicates', async () => {
  const { rpc } = await start()
  const url = await urlOf(rpc)
  const body = dlr('m-1', 'delivered')
  expect(await deliver(url, body)).toBe(200)
  expect(await deliver(url, body)).toBe(200)
  await allEvents(rpc, 1)
  await statusWhere(rpc, ({ listener, projectionLag }) => listener.acknowledged === 2 && projectionLag === 0)
  const { items } = await rpc.events.search({ filter: {} })
  expect(items).toMatchObject([
    { kind: 'dlr', messageId: 'm-1', status: 'delivered', copies: 2, verdict: 'signed' },
  ])
})

test('rejects a forged delivery, stores nothing of it and shows the refusal', async () => {
  const { rpc } = await start()
  expect(await deliver(await urlOf(rpc), dlr('m-1', 'delivered'), 'f'.repeat(64))).toBe(401)
  const status = await statusWhere(rpc, ({ listener }) => listener.refused === 1)
  expect(status.storedEvents).toBe(0)
  const { refusals } = await rpc.listener.refusals()
  expect(refusals).toMatchObject([{ status: 401, method: 'POST', path: '/webhooks' }])
})

test('rejects a 10 MB body and keeps accepting valid deliveries', async () => {
  const { rpc } = await start()
  const url = await urlOf(rpc)
  const huge = 'x'.repeat(10_000_000)
  const status = await deliver(url, huge).catch(() => 0)
  expect([0, 413]).toContain(status)
  expect(await deliver(url, dlr('m-1', 'submitted'))).toBe(200)
})

test('quarantines a signed event of unknown shape with its raw body', async () => {
  const { rpc } = await start()
  expect(await deliver(await urlOf(rpc), '{"event":"weather","sunny":true}')).toBe(200)
  const [row] = await allEvents(rpc, 1)
  expect(row).toMatchObject({ kind: 'quarantined' })
  expect(row!.quarantineReason).not.toBeNull()
  expect((await rpc.events.get({ seq: row!.seq })).rawBody).toContain('"sunny":true')
})

test('keeps a delivered status after a late report and explains failure codes', async () => {
  const { rpc } = await start()
  const url = await urlOf(rpc)
  for (const status of ['delivered', 'submitted']) await deliver(url, dlr('m-1', status))
  await deliver(url, dlr('m-2', 'failed', 2))
  const events = await allEvents(rpc, 3)
  const late = events.find((event) => event.messageId === 'm-1' && event.status === 'submitted')!
  expect((await rpc.events.get({ seq: late.seq })).messageStatus).toBe('delivered')
})

test('names a taken port, takes no other, and binds it once it is free', async () => {
  const { port, release } = await takePort()
  const { rpc } = await start({ config: { listenerPort: port } })
  const failed = await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
  expect(failed.listener).toMatchObject({ url: null, problem: { code: 'PORT_TAKEN' } })
  expect(failed.listener.problem!.data).toMatchObject({ port })
  await release()
  const back = await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  expect(back.listener.url).toContain(`:${port}/`)
})

test('refuses to listen beyond this computer without a secret', async () => {
  const running = await startTestCore()
  await connectByKey(running)
  const { config } = await running.rpc.listener.get()
  await expect(
    running.rpc.listener.configure({ ...config, port: 40_123, address: '0.0.0.0' }),
  ).rejects.toMatchObject({ code: 'WIDE_BIND_NEEDS_SECRET' })
})

test('keeps acknowledged events across a restart and records the downtime as a gap', async () => {
  const first = await start()
  const url = await urlOf(first.rpc)
  for (let n = 0; n < 20; n++) expect(await deliver(url, dlr(`m-${n}`, 'submitted'))).toBe(200)
  const second = await restartCore(first)
  expect(await allEvents(second.rpc, 20)).toHaveLength(20)
  expect((await second.rpc.events.gaps({ days: 1 })).gaps).toMatchObject([
    { reason: 'closed', proven: false },
  ])
})

test('sets a damaged event store aside, rebuilds it from the journal and says so', async () => {
  const first = await start()
  const url = await urlOf(first.rpc)
  for (let n = 0; n < 5; n++) await deliver(url, dlr(`m-${n}`, 'submitted'))
  await allEvents(first.rpc, 5)
  await first.stopCore()
  const folder = join(first.dataDir, 'connections', 'sandbox')
  writeFileSync(
    join(folder, 'state.db'),
    'this is not a database, it only looks like one from afar'.repeat(200),
  )
  const second = await restartCore(first)
  const status = await statusWhere(second.rpc, ({ notices }) => notices.length > 0)
  expect(status.notices).toMatchObject([{ error: { code: 'STORAGE_DAMAGED' } }])
  expect(await allEvents(second.rpc, 5)).toHaveLength(5)
  expect(readdirSync(folder).some((name) => name.startsWith('state.db.corrupt-'))).toBe(true)
})

test('sets a damaged journal aside and says so, keeps stored events and numbers new ones after them', async () => {
  const first = await start()
  await deliver(await urlOf(first.rpc), dlr('m-1', 'submitted'))
  await allEvents(first.rpc, 1)
  await first.stopCore()
  const file = join(first.dataDir, 'connections', 'sandbox', 'journal.db')
  expect(existsSync(file)).toBe(true)
  truncateSync(file, 3_000)
  const second = await restartCore(first)
  const status = await statusWhere(second.rpc, ({ notices }) => notices.length > 0)
  expect(status.notices).toMatchObject([{ error: { code: 'STORAGE_DAMAGED' } }])
  expect(await deliver(await urlOf(second.rpc), dlr('m-2', 'submitted'))).toBe(200)
  const events = await allEvents(second.rpc, 2)
  expect(events.map(({ messageId }) => messageId)).toEqual(['m-2', 'm-1'])
})

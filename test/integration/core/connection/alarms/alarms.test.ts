import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOfAlarm } from '#contract/live/events.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { connectByKey, restartCore, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'
import { eventsStored, statusWhere } from '../../../../helpers/wait-for.ts'

const clock = () => createFastClock(100, { keepDeadlines: true })
const start = (traffic: boolean) =>
  startInSandbox({ clock: clock(), sandbox: { traffic, ratePerSecond: 200 } })

/** The service forgets the subscriptions, and nobody tells the console. */
async function forgetSubscriptions({ sandbox }: RunningCore): Promise<void> {
  for (const { id } of sandbox.tenant().subscriptions())
    await fetch(new URL(`/sandbox/subscriptions/${id}`, sandbox.baseUrl), {
      method: 'DELETE',
      headers: { 'x-sandbox-admin': sandbox.adminToken },
    })
}

/** Gaps of alarms, oldest first, without an end while they last. */
const missed = async ({ rpc }: RunningCore) =>
  (await rpc.events.gaps({})).gaps
    .filter(({ reason }) => isOfAlarm(reason))
    .toReversed()
    .map(({ reason, to }) => `${reason}${to === null ? ', lasts' : ''}`)
const silenceOf = async ({ rpc }: RunningCore, kind: string | null) =>
  (await statusWhere(rpc, ({ listener }) => (listener.silence?.kind ?? null) === kind)).listener.silence
/** Without those of the sandbox's campaigns. */
const titles = ({ notes }: RunningCore) =>
  notes.map(({ title }) => title).filter((title) => !title.includes(': Campaign '))

test('says that no subscription points to Switchboard, once, until one is made', async () => {
  const running = await start(false)
  const { rpc, sandbox } = running
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
  await forgetSubscriptions(running)
  const silence = await silenceOf(running, 'no-subscription')
  expect((await rpc.events.gaps({})).gaps).toMatchObject([{ from: silence!.since, to: null }])
  const waits = async () =>
    (await rpc.dnc.checkOffline({ phones: ['+14155550101'], region: null })).cache.waits?.code ?? null
  expect(await waits()).toBe('SENDS_WAIT_FOR_INBOUND')
  const { listener } = await statusWhere(rpc, () => true)
  await rpc.webhooks.subscribe({
    url: listener.url!,
    events: ['dlr', 'mo'],
    receiver: 'here',
    secret: { kind: 'generate' },
  })
  // At once; the gap ends with the next look.
  expect((await statusWhere(rpc, () => true)).listener.silence).toBeNull()
  expect(await waits()).toBeNull()
  await expect.poll(() => missed(running), { timeout: 15_000 }).toEqual(['no-subscription'])
  expect(titles(running)).toEqual(['Sandbox: No subscription points to Switchboard'])
})

test('says that reports of sent messages don’t arrive, although the list of subscriptions doesn’t answer', async () => {
  const running = await start(true)
  const { rpc, sandbox } = running
  const [subscription] = (await rpc.webhooks.list()).subscriptions
  await eventsStored(rpc, 500)
  sandbox.setFault('hang', { path: '/webhooks' })
  await forgetSubscriptions(running)
  const silence = await silenceOf(running, 'no-reports')
  expect(silence!.sent).toBeGreaterThanOrEqual(50)
  expect(silence).toMatchObject({ subscriptionId: subscription!.id })
  expect(titles(running)).toContain('Sandbox: No delivery reports arrive')
  expect(await missed(running)).toEqual(['no-reports, lasts'])
  await running.stopCore()
  sandbox.setFault(null)
  expect(await missed(await startInSandbox({ after: running }))).toEqual(['no-reports'])
})

test('says once that the service is unreachable, and that a new sign-in is needed', async () => {
  const running = await startTestCore({ clock: clock() })
  const { rpc, sandbox } = running
  const { id, key } = sandbox.createApiKey('operator@harbor.example')
  await connectByKey(running, key)
  sandbox.setFault('reset-before')
  await expect
    .poll(() => titles(running), { timeout: 20_000 })
    .toEqual(['Harbor: The service is unreachable'])
  await expect.poll(() => missed(running)).toEqual(['service-unreachable, lasts'])
  sandbox.setFault(null)
  await statusWhere(rpc, ({ network }) => network.reachable === true)
  await expect.poll(() => missed(running)).toEqual(['service-unreachable'])
  sandbox.revokeApiKey(id)
  await expect
    .poll(() => titles(running), { timeout: 20_000 })
    .toEqual(['Harbor: The service is unreachable', 'Harbor: Sign-in needed'])
})

test('says which connection lost its sign-in over a restart without a keychain, until you sign in', async () => {
  const first = await startTestCore()
  const { connection } = await connectByKey(first)
  await first.rpc.connections.openSandbox()
  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  const running = await restartCore(first, { clock: clock() })
  await expect.poll(() => titles(running), { timeout: 20_000 }).toEqual(['Harbor: Sign-in needed'])
  expect(running.notes.at(-1)?.body).toMatch(
    /^Switchboard restarted on \d\d \w{3}, \d\d:\d\d and lost your sign-in.* Sign in again/,
  )
  const { rpc, sandbox } = running
  const apiKey = sandbox.createApiKey('operator@harbor.example').key
  await rpc.connections.connect({ ...connection, credential: { kind: 'api-key', apiKey } })
  await expect
    .poll(async () => (await statusWhere(running.rpcOf(connection.id), () => true)).session)
    .toMatchObject({ state: 'signed-in', problem: null })
})

test('says that a send missed its start while Switchboard was closed, and says it again for another', async () => {
  const running = await start(false)
  await running.stopCore()
  const folder = join(running.dataDir, 'connections')
  function add(id: string, state: 'held' | 'missed', holdUntilMs: number | null) {
    const db = new Sqlite(join(folder, readdirSync(folder)[0]!, 'state.db'))
    db.prepare(
      `INSERT INTO outbox_batches (id, kind, title, created_ms, state, hold_until_ms, start_ms)
         VALUES (?, 'ott', 'Send', 0, ?, ?, 1)`,
    ).run(id, state, holdUntilMs)
    db.close()
  }
  add('a', 'held', 1)
  const next = await startInSandbox({ clock: clock(), after: running })
  const told = () => titles(next).filter((title) => title === 'Sandbox: A send didn’t leave in time').length
  await expect.poll(told).toBe(1)
  add('b', 'missed', null)
  await expect.poll(told).toBe(2)
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFolder } from '#electron/relay/documents.ts'
import { addToken, revokeToken } from '#electron/relay/tokens.ts'
import { dlr, testSecret } from '../../../../helpers/listener.ts'
import { post, postMany, runRelay } from '../../../../helpers/relay.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { connectByKey, restartCore, startInSandbox } from '../../../../helpers/test-core.ts'
import { statusWhere } from '../../../../helpers/wait-for.ts'

type Rpc = RunningCore['rpc']
type Relay = Awaited<ReturnType<typeof runRelay>>

/** For tests that don't restart it. */
let shared: RunningCore
beforeAll(async () => {
  shared = await startCore({})
  await shared.rpc.connections.openSandbox()
})
afterAll(() => shared.stop())

/** The connection in front, reading the relay. */
async function reading(relay: Relay, core: RunningCore, mode: 'relay' | 'both' = 'relay') {
  const { secrets } = await core.rpc.listener.get()
  if (!secrets.some(({ label }) => label === 'Test'))
    await core.rpc.listener.addSecret({ label: 'Test', value: testSecret })
  const order = { mode, url: relay.url, inbox: 'main', token: relay.token }
  await core.rpc.listener.setRelay(order)
  await caughtUp(core.rpc)
  return { ...core, order }
}

const caughtUp = (rpc: Rpc) =>
  statusWhere(rpc, ({ listener: { relay } }) => relay?.state === 'connected' && relay.behind === 0)

/** Message ids with this prefix in order of arrival. */
async function idsOf(rpc: Rpc, prefix: string): Promise<string[]> {
  const { items } = await rpc.events.search({ filter: { text: prefix }, limit: 200 })
  return items.map(({ messageId }) => messageId!).toReversed()
}

test('catches up after being away without losses, repeats or a gap', async () => {
  const relay = await runRelay()
  const first = await reading(relay, await startInSandbox())
  await postMany(relay.url, 3, 'away-a')
  await expect.poll(() => idsOf(first.rpc, 'away')).toEqual(['away-a0', 'away-a1', 'away-a2'])
  await first.stopCore()

  await postMany(relay.url, 20, 'away-b')
  const second = await restartCore(first)
  const all = ['away-a0', 'away-a1', 'away-a2', ...Array.from({ length: 20 }, (_one, at) => `away-b${at}`)]
  await expect.poll(() => idsOf(second.rpc, 'away')).toEqual(all)
  const { listener } = await statusWhere(second.rpc, (status) => status.listener.relay?.received === 20)
  expect(listener).toMatchObject({
    state: 'listening',
    url: null,
    problem: null,
    relay: { behind: 0, refusedSignatures: 0, webhookUrl: `${relay.url}/webhooks` },
  })
  const { items } = await second.rpc.events.search({ filter: {}, limit: 200 })
  expect(items.every(({ copies }) => copies === 1)).toBe(true)
  const { gaps } = await second.rpc.events.gaps({})
  // The time between opening the sandbox and reading the relay.
  expect(gaps.filter(({ reason }) => reason !== 'moved')).toEqual([])
  expect(gaps.every(({ to }) => to !== null)).toBe(true)
})

test('opens no port while only the relay is read', async () => {
  const relay = await runRelay()
  const { rpc, order } = await reading(relay, shared)
  const { status } = await rpc.listener.get()
  expect(status.url).toBeNull()
  // Only the time of the change itself, and it is over. The relay’s next answer would come after 15 s.
  await expect
    .poll(async () => (await rpc.events.gaps({})).gaps.map(({ to }) => to), { timeout: 8_000 })
    .toEqual([expect.any(String)])
  const local = await rpc.listener.setRelay({ ...order, mode: 'local' })
  expect(local).toMatchObject({ relay: { mode: 'local', hasToken: true }, status: { relay: null } })
  expect(local.status.url).not.toBeNull()
  const again = await rpc.listener.setRelay({ mode: 'relay', url: order.url, inbox: 'main' })
  expect(again).toMatchObject({
    publicUrl: `${relay.url}/webhooks`,
    status: { url: null },
    relay: { mode: 'relay', url: relay.url, inbox: 'main', hasToken: true, tokenUnread: false },
  })
  await expect(fetch(local.status.url!, { method: 'POST', body: '{}' })).rejects.toThrow()
})

test('counts a delivery that arrives both ways as one event', async () => {
  const relay = await runRelay()
  const { rpc } = await reading(relay, shared, 'both')
  const { status } = await rpc.listener.get()
  const ids = ['both-1', 'both-2']
  for (const id of ids)
    for (const url of [`${relay.url}/webhooks`, status.url!]) expect(await post(url, dlr(id))).toBe(200)
  await expect
    .poll(async () => {
      const { items } = await rpc.events.search({ filter: { text: 'both-' }, limit: 9 })
      return items.map(({ messageId, copies }) => [messageId, copies]).toSorted()
    })
    .toEqual(ids.map((id) => [id, 2]))
})

test('says in words why no relay answers', async () => {
  const relay = await runRelay()
  const { rpc, order } = await reading(relay, shared)
  const detail = () => rpc.listener.get().then(({ status }) => status.relay?.detail)
  await rpc.listener.setRelay({ ...order, url: relay.url.replace('http:', 'https:') })
  await expect.poll(detail).toEqual({ key: 'relay.noHttps' })
  await rpc.listener.setRelay({ ...order, url: 'http://127.0.0.1:1' })
  await expect.poll(detail).toEqual({ key: 'relay.nothingThere' })
})

test('waits for a person when its token is revoked', async () => {
  const relay = await runRelay()
  const { rpc, order } = await reading(relay, shared)
  await revokeToken(openFolder(relay.dataDir), 'ana', 2)
  const refused = await statusWhere(rpc, ({ listener }) => listener.relay?.state === 'refused')
  expect(refused.listener).toMatchObject({ state: 'failed', relay: { refusal: 'revoked', retryAt: null } })
  const token = await addToken(openFolder(relay.dataDir), 'ana-2', 'main', 3)
  await expect
    .poll(async () => {
      await rpc.listener.setRelay({ ...order, token })
      return (await statusWhere(rpc, ({ listener }) => listener.relay?.state !== 'connecting')).listener.state
    })
    .toBe('listening')
})

/** Makes some accounts of the keychain unreadable. @returns the way back. */
function lock({ secrets }: RunningCore, isLocked: (account: string) => boolean) {
  const { get } = secrets
  secrets.get = (account) => (isLocked(account) ? Promise.reject(new Error('locked')) : get(account))
  return () => void (secrets.get = get)
}

test('holds deliveries at the relay while the signing secrets can’t be read', async () => {
  const relay = await runRelay()
  const first = await reading(relay, await startInSandbox())
  await first.stopCore()
  await postMany(relay.url, 3, 'held-')
  const unlock = lock(first, (account) => account.includes('webhook-secret'))
  const second = await restartCore(first)
  const { listener } = await statusWhere(second.rpc, (status) => status.listener.relay?.behind === 3)
  expect(listener.relay).toMatchObject({ state: 'connected', received: 0, refusedSignatures: 0 })
  unlock()
  await second.rpc.connections.retryKeychain()
  await expect.poll(() => idsOf(second.rpc, 'held-')).toEqual(['held-0', 'held-1', 'held-2'])
})

test('says when the token can’t be read, and reads on once it can', async () => {
  const relay = await runRelay()
  const first = await reading(relay, await startInSandbox())
  await first.stopCore()
  const unlock = lock(first, (account) => account === 'connection/sandbox/relay-token')
  const second = await restartCore(first)
  expect(await second.rpc.listener.get()).toMatchObject({
    relay: { hasToken: true, tokenUnread: true },
    status: { state: 'starting', relay: { state: 'connecting' } },
  })
  unlock()
  await second.rpc.connections.retryKeychain()
  await caughtUp(second.rpc)
})

test('refuses a relay that it can’t read', async () => {
  const { rpc } = await startInSandbox()
  const order = { mode: 'relay', url: 'https://relay.example', inbox: 'main' } as const
  const refused = (change: object, key: string) =>
    expect(rpc.listener.setRelay({ ...order, ...change })).rejects.toMatchObject({
      data: { detail: { key } },
    })
  await refused({ token: 't', url: 'http://relay.example' }, 'input.relayHttps')
  await refused({ token: 't', url: null }, 'input.relayNoUrl')
  await refused({ token: 't', inbox: null }, 'input.relayNoInbox')
  await refused({ mode: 'both' }, 'input.relayNoToken')
  await rpc.listener.setRelay({ ...order, token: 't', mode: 'local' })
  await refused({ url: 'https://other.example' }, 'input.relayOtherToken')
})

test('removes the token with the connection', async () => {
  const relay = await runRelay()
  const core = await startInSandbox()
  const { connection } = await connectByKey(core)
  await reading(relay, core)
  const account = `connection/${connection.id}/relay-token`
  expect(core.secrets.values.get(account)).toBe(relay.token)
  await core.rpc.connections.remove({ id: connection.id })
  expect(core.secrets.values.has(account)).toBe(false)
})

test('names the relay as a hop of the test event', async () => {
  const relay = await runRelay()
  const { rpc } = await reading(relay, shared)
  const { publicUrl } = await rpc.listener.get()
  await rpc.webhooks.subscribe({
    ...toListener(publicUrl!),
    secret: { kind: 'own', value: testSecret },
  })
  const { subscriptions } = await rpc.webhooks.list()
  const { id } = subscriptions.find(({ pointsHere }) => pointsHere)!
  const trip = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  const names = ['subscription', 'relay', 'service', 'network', 'signature', 'storage', 'parser']
  expect(trip.hops).toMatchObject(names.map((name) => ({ name, state: 'ok' })))
})

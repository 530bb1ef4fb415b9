import { expect, test } from 'vitest'
import type { SubscribeOrder } from '#contract/live/webhooks.ts'
import { startTestCoreAt, usualAnswer } from '../../../../helpers/answering-service.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { findSecrets } from '../../../../helpers/planted-secrets.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { eventsStored, frontConnection } from '../../../../helpers/wait-for.ts'
import {
  connectByKey,
  type CoreOptions,
  restartCore,
  startInSandbox,
  startTestCore,
} from '../../../../helpers/test-core.ts'
import { freePort } from '../../../../helpers/ports.ts'

/** A core connected to the sandbox as to any service. */
async function connected(options: CoreOptions = {}) {
  const running = await startTestCore(options)
  const { rpc, sandbox } = running
  await connectByKey(running)
  const { status, config } = await rpc.listener.get()
  return { running, rpc, sandbox, config, url: status.url! }
}

const atService = ({ sandbox }: { sandbox: RunningCore['sandbox'] }) =>
  sandbox
    .tenant()
    .subscriptions()
    .map(({ url, events, secret }) => ({ url, events, secret }))

const elsewhere = (order: Partial<SubscribeOrder>): SubscribeOrder => ({
  ...toListener('http://127.0.0.1:9/other'),
  receiver: 'elsewhere',
  ...order,
})

/** Where a secret is written. Only the keychain may hold it in clear text. */
const writtenIn = ({ dataDir, log }: RunningCore, ...secrets: string[]) =>
  findSecrets(Object.fromEntries(secrets.entries()), [dataDir], { log: JSON.stringify(log) })

test('subscribes to a family or single events and adds only missing ones', async () => {
  const { rpc, sandbox, url } = await connected()
  const subscribe = (change: Partial<SubscribeOrder>) =>
    rpc.webhooks.subscribe({ ...toListener(url), ...change })
  const first = await subscribe({ events: ['mo'] })
  expect(first).toMatchObject({ outcome: 'created', subscription: { families: ['mo'], secretKnown: true } })
  expect(await subscribe({ events: ['mo'] })).toMatchObject({
    outcome: 'fits',
    subscription: { id: first.subscription!.id },
  })
  expect(await subscribe({})).toMatchObject({ outcome: 'created' })
  expect(await subscribe({ events: ['message.failed'] })).toMatchObject({ outcome: 'fits' })
  expect(atService({ sandbox }).map(({ events }) => events)).toEqual([
    ['message.received'],
    ['message.submitted', 'message.delivered', 'message.failed', 'message.expired'],
  ])
  expect(await subscribe({ events: ['mo'], evenIfFits: true })).toMatchObject({ outcome: 'created' })
  expect(atService({ sandbox })).toHaveLength(3)
})

test('stores no secret of another receiver: your own, generated or none', async () => {
  const { running, rpc, sandbox } = await connected()
  const theirs = { kind: 'own', value: 'a secret of theirs' } as const
  const subscribe = (order: Partial<SubscribeOrder>) => rpc.webhooks.subscribe(elsewhere(order))
  const generated = await subscribe({ events: ['message.failed', 'mo'] })
  const own = await subscribe({ url: 'http://127.0.0.1:9/own', secret: theirs })
  const none = await subscribe({ url: 'http://127.0.0.1:9/none', secret: { kind: 'none' } })
  expect([own.secret, none.secret]).toEqual([null, null])
  expect(generated.secret).toMatch(/^[0-9a-f]{64}$/)
  expect(atService({ sandbox })).toMatchObject([
    {
      url: 'http://127.0.0.1:9/other',
      events: ['message.failed', 'message.received'],
      secret: generated.secret,
    },
    { url: 'http://127.0.0.1:9/own', secret: theirs.value },
    { url: 'http://127.0.0.1:9/none', secret: undefined },
  ])
  expect((await rpc.listener.get()).secrets).toEqual([])
  expect(writtenIn(running, generated.secret!, theirs.value)).toEqual([])
})

test('stores your own secret in the keychain and verifies deliveries with it', async () => {
  const { running, rpc, sandbox, url } = await connected()
  const value = 'typed by the operator'
  await rpc.webhooks.subscribe({ ...toListener(url), secret: { kind: 'own', value } })
  expect([...running.secrets.values.values()]).toContain(value)
  expect(writtenIn(running, value)).toEqual([])
  const [listed] = (await rpc.webhooks.list()).subscriptions
  expect(listed!.arrived).toMatchObject({ count: 0 })
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
  expect((await rpc.events.search({ filter: {} })).items).toMatchObject([{ verdict: 'signed' }])
  const arrivals = async () => (await rpc.webhooks.arrivals()).subscriptions[0]!.arrived
  await expect.poll(arrivals).toMatchObject({ count: 1 })
})

test('finds a subscription whose answer was lost in the list, with its secret', async () => {
  const { rpc, sandbox, url } = await connected()
  sandbox.setFault('error-500-after-commit', { method: 'POST', path: '/webhooks' })
  expect(await rpc.webhooks.subscribe(toListener(url))).toMatchObject({
    outcome: 'created',
    subscription: { families: ['dlr', 'mo'], secretKnown: true },
  })
  const { secret } = await rpc.webhooks.subscribe(elsewhere({}))
  expect(atService({ sandbox })).toMatchObject([{ url }, { secret }])
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
  expect((await rpc.events.search({ filter: {} })).items).toMatchObject([{ verdict: 'signed' }])
})

test.for(['password', 'api-key'] as const)(
  'reads lost secrets from the service’s list after a restart and a sign-in by %s',
  async (kind) => {
    const config = { listenerPort: await freePort(), startWith: { kind: 'last' as const } }
    const running = await startTestCore({ config })
    const { rpc, sandbox } = running
    const { username, password } = sandbox.tenants[0]!
    const credential =
      kind === 'password'
        ? { kind, username, password }
        : { kind, apiKey: sandbox.createApiKey('operator@harbor.example').key }
    const service = { name: 'Harbor', baseUrl: sandbox.baseUrl, colour: 'blue' as const, production: false }
    const { connection } = await rpc.connections.connect({ ...service, credential })
    const url = (await rpc.listener.get()).status.url!
    await rpc.webhooks.subscribe(toListener(url))
    const [subscription] = atService({ sandbox })
    running.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
    const next = await restartCore(running, { config })
    expect((await next.rpc.listener.get()).secrets).toMatchObject([{ label: url, value: 'lost' }])
    await next.rpc.connections.connect({ ...connection, credential })
    await expect
      .poll(async () => (await next.rpc.listener.get()).secrets)
      .toMatchObject([{ label: url, value: 'memory' }])
    sandbox.emitDlr({ status: 'delivered' })
    await eventsStored(next.rpc, 1)
    expect((await next.rpc.events.search({ filter: {} })).items).toMatchObject([{ verdict: 'signed' }])
    expect(writtenIn(next, subscription!.secret!)).toEqual([])
  },
)

test('keeps the sandbox’s one subscription after a failure while it was closed', async () => {
  const clock = createFakeClock()
  const { rpc, sandbox } = await connected({
    sandbox: { clock },
    config: { listenerPort: await freePort() },
  })
  const harbor = (await frontConnection(rpc))!.id
  const { connection } = await rpc.connections.openSandbox()
  const { url } = (await rpc.listener.get()).status
  await rpc.connections.setBackground({ id: connection.id, background: false })
  await rpc.connections.open({ id: harbor })
  await expect.poll(async () => (await fetch(url!, { method: 'POST' })).status).toBe(404)
  sandbox.emitDlr({ status: 'delivered' })
  for (const attempts of [1, 2, 3]) {
    await expect.poll(() => sandbox.deliveries().at(-1)!.attempts.length).toBe(attempts)
    await clock.advance(25_000)
  }
  expect(sandbox.tenant().subscriptions()).toMatchObject([{ status: 'failed' }])
  await rpc.connections.openSandbox()
  expect(sandbox.tenant().subscriptions()).toHaveLength(1)
  sandbox.emitDlr({ status: 'failed' })
  await eventsStored(rpc, 1)
  expect(sandbox.tenant().subscriptions()).toMatchObject([{ status: 'active' }])
})

test('subscribes the new address when asked to move the listener', async () => {
  const { rpc, sandbox, config, url } = await connected()
  await rpc.webhooks.subscribe({ ...toListener(url), events: ['message.failed'] })
  await rpc.webhooks.subscribe({ ...toListener(url), events: ['mo'], secret: { kind: 'own', value: 'kept' } })
  await rpc.webhooks.subscribe(elsewhere({}))
  const port = await freePort()
  const { status } = await rpc.listener.configure({ ...config, port, replaceSubscriptions: true })
  expect(atService({ sandbox }).filter((one) => one.url === status.url)).toEqual([
    { url: status.url, events: ['message.received'], secret: 'kept' },
    { url: status.url, events: ['message.failed'], secret: expect.any(String) },
  ])
  sandbox.emitMo({ content: 'Hello' })
  sandbox.emitDlr({ status: 'failed' })
  await eventsStored(rpc, 2)
})

test('replaces the sandbox’s subscription when the listener moves', async () => {
  const { rpc, sandbox } = await startInSandbox()
  const { config } = await rpc.listener.get()
  const port = await freePort()
  const { status } = await rpc.listener.configure({ ...config, port, replaceSubscriptions: true })
  expect(atService({ sandbox }).map(({ url }) => url)).toEqual([status.url])
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
})

test('keeps the secret of a subscription that is not in the list, and learns another that is', async () => {
  let list: [number, unknown] = [404, { error: 'no such list' }]
  let isMade = false
  let made: [number, unknown] = [200, {}]
  const { rpc } = await startTestCoreAt((asked) => {
    if (isMade && asked.path === '/webhooks/subscriptions') return list
    if (asked.method !== 'POST' || asked.path !== '/webhooks') return usualAnswer(asked)
    isMade = true
    return made
  })
  const other = await rpc.webhooks.subscribe(elsewhere({}))
  expect(other).toMatchObject({ outcome: 'created', subscription: null })
  expect(other.secret).toMatch(/^[0-9a-f]{64}$/)

  const url = 'https://hooks.example.com/'
  const secrets = async () => (await rpc.listener.get()).secrets.length
  isMade = false
  made = [500, {}]
  await expect(rpc.webhooks.subscribe(toListener(url))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(await secrets()).toBe(1)
  isMade = false
  const shown = { id: 'w-1', url, events: ['dlr', 'mo'], secret: 'chosen by the service' }
  list = [200, { data: [shown], total: 1 }]
  expect(await rpc.webhooks.subscribe(toListener(url))).toMatchObject({
    subscription: { id: 'w-1', secretKnown: true },
  })
  expect(await secrets()).toBe(3)
})

test('calls no subscription created that an incomplete list may have had before', async () => {
  const url = 'https://hooks.example.com/'
  let data: unknown[] = [{ id: 'w-0' }, {}]
  const { rpc } = await startTestCoreAt((asked) => {
    if (asked.path === '/webhooks/subscriptions') return [200, { data, total: data.length }]
    if (asked.method !== 'POST' || asked.path !== '/webhooks') return usualAnswer(asked)
    data = [{ id: 'w-1', url, events: ['dlr', 'mo'] }]
    return [500, {}]
  })
  await expect(rpc.webhooks.subscribe(toListener(url))).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
})

test('rejects an invalid subscription in plain words, and leaves no secret of a rejected one', async () => {
  const { rpc, url } = await connected()
  for (const [order, detail] of [
    [
      { ...toListener(url), events: undefined },
      { key: 'fault.missing', where: 'events' },
    ],
    [
      { ...toListener(url), events: [] },
      { key: 'fault.tooShort', where: 'events' },
    ],
    [toListener('not an address'), { key: 'fault.invalid', where: 'url' }],
  ] as const)
    await expect(rpc.webhooks.subscribe(order as SubscribeOrder)).rejects.toMatchObject({ data: { detail } })
  await expect(rpc.webhooks.subscribe(toListener('https://hooks.example.com/'))).rejects.toMatchObject({
    code: 'SERVICE_REJECTED',
  })
  expect((await rpc.listener.get()).secrets).toEqual([])
})

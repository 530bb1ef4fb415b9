import type { Phrase } from '#electron/contract/phrases.ts'
import { expect, test } from 'vitest'
import type { SubscribeOrder } from '#contract/live/webhooks.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { eventsStored } from '../../../../helpers/wait-for.ts'
import { connectByKey, type CoreOptions, startTestCore } from '../../../../helpers/test-core.ts'
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

/** Only the keychain may hold a secret in clear text. */
async function textOfProfile({ dataDir, log }: RunningCore): Promise<string> {
  const { readdirSync, readFileSync, statSync } = await import('node:fs')
  const { join } = await import('node:path')
  const files = readdirSync(dataDir, { recursive: true }).map((name) => join(dataDir, String(name)))
  return [
    ...files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'latin1')),
    JSON.stringify(log),
  ].join('\n')
}

test('subscribes to a family or single events and adds only missing ones', async () => {
  const { rpc, sandbox, url } = await connected()
  const first = await rpc.webhooks.subscribe({ ...toListener(url), events: ['mo'] })
  expect(first).toMatchObject({ outcome: 'created', subscription: { families: ['mo'], secretKnown: true } })
  expect(await rpc.webhooks.subscribe({ ...toListener(url), events: ['mo'] })).toMatchObject({
    outcome: 'fits',
    subscription: { id: first.subscription!.id },
  })
  expect((await rpc.webhooks.subscribe(toListener(url))).outcome).toBe('created')
  expect((await rpc.webhooks.subscribe({ ...toListener(url), events: ['message.failed'] })).outcome).toBe(
    'fits',
  )
  expect(atService({ sandbox }).map(({ events }) => events)).toEqual([
    ['message.received'],
    ['message.submitted', 'message.delivered', 'message.failed', 'message.expired'],
  ])
  const again = await rpc.webhooks.subscribe({ ...toListener(url), events: ['mo'], evenIfFits: true })
  expect(again.outcome).toBe('created')
  expect(atService({ sandbox })).toHaveLength(3)
})

test('stores no secret of another receiver: your own, generated or none', async () => {
  const { running, rpc, sandbox } = await connected()
  const generated = await rpc.webhooks.subscribe(elsewhere({ events: ['message.failed', 'mo'] }))
  const own = await rpc.webhooks.subscribe(
    elsewhere({ url: 'http://127.0.0.1:9/own', secret: { kind: 'own', value: 'a secret of theirs' } }),
  )
  const none = await rpc.webhooks.subscribe(
    elsewhere({ url: 'http://127.0.0.1:9/none', secret: { kind: 'none' } }),
  )
  expect([own.secret, none.secret]).toEqual([null, null])
  expect(generated.secret).toMatch(/^[0-9a-f]{64}$/)
  expect(atService({ sandbox })).toEqual([
    {
      url: 'http://127.0.0.1:9/other',
      events: ['message.failed', 'message.received'],
      secret: generated.secret,
    },
    expect.objectContaining({ url: 'http://127.0.0.1:9/own', secret: 'a secret of theirs' }),
    expect.objectContaining({ url: 'http://127.0.0.1:9/none', secret: undefined }),
  ])
  expect((await rpc.listener.get()).secrets).toEqual([])
  const text = await textOfProfile(running)
  expect(text).not.toContain(generated.secret)
  expect(text).not.toContain('a secret of theirs')
})

test('stores your own secret in the keychain and verifies deliveries with it', async () => {
  const { running, rpc, sandbox, url } = await connected()
  const value = 'typed by the operator'
  await rpc.webhooks.subscribe({ ...toListener(url), secret: { kind: 'own', value } })
  expect([...running.secrets.values.values()]).toContain(value)
  expect(await textOfProfile(running)).not.toContain(value)
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
  expect((await rpc.events.search({ filter: {} })).items).toMatchObject([{ verdict: 'signed' }])
})

test('leaves no secret behind when a subscription is rejected', async () => {
  const { rpc } = await connected()
  await expect(rpc.webhooks.subscribe(toListener('https://hooks.example.com/'))).rejects.toMatchObject({
    code: 'SERVICE_REJECTED',
  })
  expect((await rpc.listener.get()).secrets).toEqual([])
})

test('keeps the sandbox’s one subscription after a failure while it was closed', async () => {
  const clock = createFakeClock()
  const { rpc, sandbox } = await connected({
    sandbox: { clock },
    config: { listenerPort: await freePort() },
  })
  const harbor = (await rpc.connections.list()).activeId!
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
  const running = await startTestCore()
  const { rpc, sandbox } = running
  await rpc.connections.openSandbox()
  const { config } = await rpc.listener.get()
  const port = await freePort()
  const { status } = await rpc.listener.configure({ ...config, port, replaceSubscriptions: true })
  expect(atService({ sandbox }).map(({ url }) => url)).toEqual([status.url])
  sandbox.emitDlr({ status: 'delivered' })
  await eventsStored(rpc, 1)
})

test('rejects an invalid subscription in plain words', async () => {
  const { rpc, url } = await connected()
  const refused = async (order: object) => {
    const error = await rpc.webhooks.subscribe(order as SubscribeOrder).catch((thrown: Error) => thrown)
    return (error as Error & { data: { detail: Phrase } }).data.detail
  }
  expect(await refused({ ...toListener(url), events: undefined })).toEqual({
    key: 'fault.missing',
    where: 'events',
  })
  expect(await refused({ ...toListener(url), events: [] })).toEqual({
    key: 'fault.tooShort',
    where: 'events',
  })
  expect(await refused(toListener('not an address'))).toEqual({ key: 'fault.invalid', where: 'url' })
})

import { mkdirSync, rmSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Status } from '#contract/connection/status.ts'
import { nextFreePort } from '#electron/core/live/listener/free-port.ts'
import { type Rpc } from '../../../../helpers/start-core.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { statusWhere } from '../../../../helpers/wait-for.ts'
import { connectByKey, restartCore, startInSandbox, startTestCore } from '../../../../helpers/test-core.ts'
import { freePort, takePort } from '../../../../helpers/ports.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'

const hasNotice = ({ notices }: Status, code: string) => notices.some(({ error }) => error.code === code)

/** The notice with this code, once it appears. The test's port may add another. */
async function noticed(rpc: Rpc, code: string) {
  const { notices } = await statusWhere(rpc, (now) => hasNotice(now, code))
  return notices.find(({ error }) => error.code === code)!.error
}

async function deliver(url: string, secret: string): Promise<number> {
  const body =
    '{"event":"dlr","message_id":"m-1","status":"submitted","error_code":null,"destination":"+1555"}'
  return deliverSigned(url, body, secret)
}

test('opens a journal that failed to open as soon as possible', async () => {
  const first = await startInSandbox()
  await first.stopCore()
  const file = join(first.dataDir, 'connections', 'sandbox', 'journal.db')
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
  mkdirSync(file)
  const second = await restartCore(first)
  const failed = await statusWhere(second.rpc, ({ listener }) => listener.state === 'failed')
  expect(failed.listener.problem!.code).toMatch(/^STORAGE_/)
  rmdirSync(file)
  const back = await statusWhere(second.rpc, ({ listener }) => listener.state === 'listening')
  expect(back.listener.problem).toBeNull()
})

test('warns about a port in the ephemeral range until you change it', async () => {
  const { rpc } = await startInSandbox({ config: { listenerPort: await freePort() } })
  const isWarned = ({ notices }: Status) => notices.some(({ error }) => error.code === 'PORT_OUTGOING')
  const { notices } = await statusWhere(rpc, isWarned)
  expect(notices.find(({ error }) => error.code === 'PORT_OUTGOING')!.severity).toBe('warning')
  const { config } = await rpc.listener.get()
  const quiet = await nextFreePort('127.0.0.1', 20_000)
  await rpc.listener.configure({ ...config, port: quiet! })
  await statusWhere(rpc, (status) => !isWarned(status))
})

test('suggests a free port for a taken one and takes it only on request', async () => {
  const { port } = await takePort()
  const { rpc } = await startInSandbox({ config: { listenerPort: port } })
  const { config } = await rpc.listener.get()
  const next = createServer().listen(port + 1, '127.0.0.1')
  await new Promise((resolve) => next.once('listening', resolve).once('error', resolve))
  try {
    const status = await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
    expect(status.listener).toMatchObject({ url: null, problem: { code: 'PORT_TAKEN' } })
    const free = await rpc.listener.freePort()
    expect(free.port).toBeGreaterThan(port + 1)
    expect((await rpc.listener.get()).status).toMatchObject({ state: 'failed', url: null })
    const moved = await rpc.listener.configure({ ...config, port: free.port! })
    expect(moved.status).toMatchObject({ state: 'listening', problem: null })
  } finally {
    next.close()
  }
})

test('keeps the listener when the new port is taken', async () => {
  const { rpc } = await startInSandbox()
  const { listener } = await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  const { config } = await rpc.listener.get()
  const { port } = await takePort()
  await expect(rpc.listener.configure({ ...config, port })).rejects.toMatchObject({
    code: 'LISTENER_NOT_MOVED',
    data: { port, url: listener.url },
  })
  expect(await rpc.listener.get()).toMatchObject({
    config,
    status: { state: 'listening', url: listener.url },
  })
})

test('counts since the first start, also after a move', async () => {
  const { rpc } = await startInSandbox()
  const { listener } = await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  const value = 'a secret that is counted'
  await rpc.listener.addSecret({ label: 'Counted', value })
  expect(await deliver(listener.url!, value)).toBe(200)
  await statusWhere(rpc, ({ listener }) => listener.acknowledged === 1)
  const { config } = await rpc.listener.get()
  const { status } = await rpc.listener.configure({ ...config, port: await freePort() })
  expect(status).toMatchObject({ acknowledged: 1, countedSince: listener.countedSince })
  expect(Date.parse(status.countedSince!)).toBeLessThanOrEqual(Date.parse(status.lastDeliveryAt!))
  expect(Date.parse(status.listeningSince!)).toBeGreaterThan(Date.parse(status.lastDeliveryAt!))
})

test('names the page when the port is the console’s own', async () => {
  const { port } = await takePort()
  const { rpc } = await startInSandbox({ config: { pagePort: port } })
  await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  const { config } = await rpc.listener.get()
  await expect(rpc.listener.configure({ ...config, port })).rejects.toMatchObject({
    data: { detail: { key: 'listener.portOfPage' } },
  })
  const other = await startInSandbox()
  await expect(other.rpc.listener.configure({ ...config, port })).rejects.toMatchObject({
    data: { detail: { key: 'listener.portUsed' } },
  })
  const never = await startInSandbox({ config: { pagePort: port, listenerPort: port } })
  const failed = await statusWhere(never.rpc, ({ listener }) => listener.state === 'failed')
  expect(failed.listener.problem).toMatchObject({
    code: 'PORT_OF_PAGE',
    data: { port },
  })
})

test('answers a signed delivery with a retryable error while the keychain is locked', async () => {
  const secret = 'the secret that the keychain holds'
  const first = await startInSandbox()
  await first.rpc.listener.addSecret({ label: 'Service', value: secret })
  await first.stopCore()

  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'locked' })
  const second = await restartCore(first)
  const locked = await statusWhere(second.rpc, ({ listener }) => listener.state === 'listening')
  expect(locked.listener.problem).toMatchObject({ code: 'KEYCHAIN_LOCKED' })
  expect(await deliver(locked.listener.url!, secret)).toBe(503)
  expect((await second.rpc.events.gaps({ days: 1 })).gaps[0]).toMatchObject({ to: null })

  first.secrets.fail(null)
  await second.rpc.connections.retryKeychain()
  const unlocked = await statusWhere(
    second.rpc,
    ({ listener }) => listener.state === 'listening' && !listener.problem,
  )
  expect(await deliver(unlocked.listener.url!, secret)).toBe(200)
  expect(await deliver(unlocked.listener.url!, 'another secret')).toBe(401)
})

test('reports a lost secret and names it as the reason for refusals', async () => {
  const secret = 'the secret that nobody keeps'
  const first = await startInSandbox()
  await first.rpc.listener.addSecret({ label: 'Service', value: secret })
  await expect(first.rpc.listener.addSecret({ label: 'Same', value: secret })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  await first.stopCore()

  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  const second = await restartCore(first)
  const { listener } = await statusWhere(second.rpc, (status) => status.listener.state === 'listening')
  expect(listener.secretsNotKnown).toBeGreaterThan(0)
  const { secrets } = await second.rpc.listener.get()
  expect(secrets.find(({ label }) => label === 'Service')).toMatchObject({ value: 'lost' })
  expect(await deliver(listener.url!, secret)).toBe(401)
  const [refused] = (await second.rpc.listener.refusals()).refusals
  expect((await second.rpc.listener.refusal({ id: refused!.id })).untried).toContain('Service')

  await second.rpc.listener.addSecret({ label: 'Service', value: secret })
  expect(await deliver(listener.url!, secret)).toBe(200)
  const after = await second.rpc.listener.get()
  expect(after.secrets.filter(({ label }) => label === 'Service')).toMatchObject([{ value: 'memory' }])

  // Nothing is saved when the connection opens again in the same run, but when the keychain is back.
  const third = await restartCore(second)
  const where = async () =>
    (await third.rpc.listener.get()).secrets.find(({ label }) => label === 'Service')?.value
  expect(await where()).toBe('memory')
  first.secrets.fail(null)
  await third.rpc.connections.retryKeychain()
  expect(await where()).toBe('known')
})

test('counts the time after a restart without the keychain’s secrets as one gap, also afterwards', async () => {
  const listenerPort = await freePort()
  const first = await startTestCore({ config: { listenerPort } })
  await connectByKey(first)
  await first.rpc.listener.addSecret({ label: 'Service', value: 'the secret of the service' })
  expect((await first.rpc.events.gaps({ days: 1 })).gaps).toEqual([])
  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  const second = await restartCore(first, { config: { startWith: { kind: 'last' }, listenerPort } })
  await statusWhere(second.rpc, ({ listener }) => listener.state === 'listening')
  expect((await second.rpc.events.gaps({ days: 1 })).gaps).toMatchObject([{ to: null, reason: 'closed' }])
  const withoutUntilMs = Date.now()
  await second.rpc.listener.addSecret({ label: 'Service', value: 'a new secret' })
  const { gaps } = await second.rpc.events.gaps({ days: 1 })
  expect(gaps).toHaveLength(1)
  expect(Date.parse(gaps[0]!.to!)).toBeGreaterThanOrEqual(withoutUntilMs)
})

test('accepts the sandbox’s signatures right after a restart without a keychain', async () => {
  const first = await startTestCore({ sandbox: { traffic: true, ratePerSecond: 200 } })
  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  await first.rpc.connections.openSandbox()
  await statusWhere(first.rpc, ({ listener }) => listener.acknowledged > 0)
  const second = await restartCore(first)
  const { listener } = await statusWhere(second.rpc, (status) => status.listener.acknowledged > 20)
  expect([listener.refused, listener.secretsNotKnown]).toEqual([0, 0])
})

test('keeps the last secret while the listener is reachable from outside', async () => {
  const { rpc } = await startInSandbox()
  const { config, secrets, status } = await rpc.listener.get()
  const port = Number(new URL(status.url!).port)
  await rpc.listener.configure({ ...config, port, address: '0.0.0.0' })
  await expect(rpc.listener.removeSecret({ id: secrets[0]!.id })).rejects.toMatchObject({
    code: 'WIDE_BIND_NEEDS_SECRET',
  })
})

test('says that the listener moved and that the sandbox does not deliver to the new address', async () => {
  const { rpc } = await startInSandbox()
  const { config } = await rpc.listener.get()
  const port = await freePort()
  const { status } = await rpc.listener.configure({ ...config, port, address: '0.0.0.0' })
  expect(status.state).toBe('listening')
  const { data } = await noticed(rpc, 'SUBSCRIPTION_NOT_MADE')
  expect(data).toMatchObject({
    url: status.url,
    reason: { text: expect.stringContaining('this sandbox delivers to this machine only') as string },
  })
  await rpc.listener.configure({ ...config, port })
  expect((await statusWhere(rpc, (now) => !hasNotice(now, 'SUBSCRIPTION_NOT_MADE'))).listener.state).toBe(
    'listening',
  )
})

test('records a gap after a move until the service uses the new address, and says so', async () => {
  const running = await startTestCore()
  const { rpc } = running
  await connectByKey(running)
  const before = (await rpc.listener.get()).status.url!
  await rpc.webhooks.subscribe(toListener(before))
  const { config } = await rpc.listener.get()
  const port = await freePort()
  await rpc.listener.configure({ ...config, port })
  const { data } = await noticed(rpc, 'SUBSCRIPTIONS_LEFT_BEHIND')
  expect(data).toEqual({ count: 1, url: before })
  expect((await rpc.webhooks.list()).subscriptions).toMatchObject([{ url: before, pointsHere: false }])
  expect((await rpc.events.gaps({ days: 1 })).gaps).toMatchObject([{ to: null, reason: 'moved' }])

  const secret = 'one more secret'
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  expect(await deliver((await rpc.listener.get()).status.url!, secret)).toBe(200)
  expect((await rpc.events.gaps({ days: 1 })).gaps[0]!.to).not.toBeNull()
})

test('keeps listening behind another connection', async () => {
  const running = await startInSandbox()
  const { rpc } = running
  await connectByKey(running)
  await rpc.connections.openSandbox()
  expect((await rpc.events.gaps({ days: 1 })).gaps).toEqual([])
})

test('records a gap when the first start fails, and ends it and its notification when listening', async () => {
  const { port, release } = await takePort()
  const { rpc } = await startInSandbox({ config: { listenerPort: port }, capabilities: [] })
  await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
  expect((await rpc.events.gaps({ days: 1 })).gaps).toMatchObject([{ to: null, reason: 'port-taken' }])
  const texts = async () => {
    for await (const { notes } of await rpc.notifications.watch()) return notes.map(({ text }) => text)
    return []
  }
  expect(await texts()).toEqual(['listenerDown'])
  await release()
  await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  await rpc.listener.addSecret({ label: 'Service', value: 'the secret of the service' })
  expect((await rpc.events.gaps({ days: 1 })).gaps).toMatchObject([
    { to: expect.any(String), reason: 'port-taken' },
  ])
  await expect.poll(texts).toEqual([])
})

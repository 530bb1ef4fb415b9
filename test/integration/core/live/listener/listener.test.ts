import { mkdirSync, rmSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Status } from '#contract/connection/status.ts'
import { nextFreePort } from '#electron/core/live/listener/free-port.ts'
import { type Rpc } from '../../../../helpers/start-core.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { statusWhere } from '../../../../helpers/wait-for.ts'
import { dlrBody } from '../../../../helpers/deliver-events.ts'
import {
  connectByKey,
  restartCore,
  serviceSecret,
  startInSandbox,
  startListening,
  startTestCore,
} from '../../../../helpers/test-core.ts'
import { freePort, takePort } from '../../../../helpers/ports.ts'
import { deliverSigned } from '../../../../helpers/signed-delivery.ts'

const hasNotice = ({ notices }: Status, code: string) => notices.some(({ error }) => error.code === code)

/** The notice with this code, once it appears. The test's port may add another. */
async function noticed(rpc: Rpc, code: string) {
  const { notices } = await statusWhere(rpc, (now) => hasNotice(now, code))
  return notices.find(({ error }) => error.code === code)!.error
}

const deliver = (url: string, secret = serviceSecret): Promise<number> =>
  deliverSigned(url, dlrBody('m-1', 'submitted'), secret)

const gapsOf = async (rpc: Rpc) => (await rpc.events.gaps({ days: 1 })).gaps

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

test('warns about a port in the ephemeral range until you change it, and counts on after the move', async () => {
  const { rpc } = await startListening({ config: { listenerPort: await freePort() } })
  const isWarned = (status: Status) => hasNotice(status, 'PORT_OUTGOING')
  const { listener, notices } = await statusWhere(rpc, isWarned)
  expect(notices.find(({ error }) => error.code === 'PORT_OUTGOING')!.severity).toBe('warning')
  expect(await deliver(listener.url!)).toBe(200)
  await statusWhere(rpc, (now) => now.listener.acknowledged === 1)
  const { config } = await rpc.listener.get()
  const port = (await nextFreePort('127.0.0.1', 20_000))!
  const { status } = await rpc.listener.configure({ ...config, port })
  await statusWhere(rpc, (now) => !isWarned(now))
  expect(status).toMatchObject({ acknowledged: 1 })
  expect(Date.parse(status.listeningSince!)).toBeGreaterThan(Date.parse(status.lastDeliveryAt!))
})

test('suggests a free port for a taken one, takes it only on request, and stays there when another is taken', async () => {
  const { port } = await takePort()
  const { rpc } = await startInSandbox({ config: { listenerPort: port } })
  const { config } = await rpc.listener.get()
  const next = createServer().listen(port + 1, '127.0.0.1')
  await new Promise((resolve) => next.once('listening', resolve).once('error', resolve))
  try {
    const failed = await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
    expect(failed.listener).toMatchObject({ url: null, problem: { code: 'PORT_TAKEN', data: { port } } })
    const free = await rpc.listener.freePort()
    expect(free.port).toBeGreaterThan(port + 1)
    expect((await rpc.listener.get()).status).toMatchObject({ state: 'failed', url: null })
    const moved = await rpc.listener.configure({ ...config, port: free.port! })
    expect(moved.status).toMatchObject({ state: 'listening', problem: null })
    const { url } = moved.status
    await expect(rpc.listener.configure({ ...config, port })).rejects.toMatchObject({
      code: 'LISTENER_NOT_MOVED',
      data: { port, url, detail: { key: 'listener.portUsed' } },
    })
    expect(await rpc.listener.get()).toMatchObject({
      config: { ...config, port: free.port },
      status: { state: 'listening', url },
    })
  } finally {
    next.close()
  }
})

test('names the page when the port is the console’s own', async () => {
  const { port } = await takePort()
  const { rpc } = await startInSandbox({ config: { pagePort: port } })
  await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  const { config } = await rpc.listener.get()
  await expect(rpc.listener.configure({ ...config, port })).rejects.toMatchObject({
    data: { detail: { key: 'listener.portOfPage' } },
  })
  const never = await startInSandbox({ config: { pagePort: port, listenerPort: port } })
  const failed = await statusWhere(never.rpc, ({ listener }) => listener.state === 'failed')
  expect(failed.listener.problem).toMatchObject({ code: 'PORT_OF_PAGE', data: { port } })
})

test('answers a signed delivery with a retryable error while the keychain is locked', async () => {
  const first = await startListening()
  await first.stopCore()

  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_LOCKED', detail: 'locked' })
  const { rpc } = await restartCore(first)
  const locked = await statusWhere(rpc, ({ listener }) => listener.state === 'listening')
  expect(locked.listener.problem).toMatchObject({ code: 'KEYCHAIN_LOCKED' })
  expect(await deliver(locked.listener.url!)).toBe(503)
  expect((await gapsOf(rpc))[0]).toMatchObject({ to: null })

  first.secrets.fail(null)
  await rpc.connections.retryKeychain()
  const unlocked = await statusWhere(
    rpc,
    ({ listener }) => listener.state === 'listening' && !listener.problem,
  )
  expect(await deliver(unlocked.listener.url!)).toBe(200)
  expect(await deliver(unlocked.listener.url!, 'another secret')).toBe(401)
})

test('names a lost secret as the reason for rejected deliveries, and for the gap since the start', async () => {
  const secret = { label: 'Service', value: 'the secret that nobody keeps' }
  const config = { startWith: { kind: 'last' as const }, listenerPort: await freePort() }
  const first = await startTestCore({ config })
  await connectByKey(first)
  await first.rpc.listener.addSecret(secret)
  await expect(first.rpc.listener.addSecret({ ...secret, label: 'Same' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await gapsOf(first.rpc)).toEqual([])

  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  const { rpc } = await restartCore(first, { config })
  const { listener } = await statusWhere(rpc, (status) => status.listener.state === 'listening')
  expect(listener.secretsNotKnown).toEqual(['Service'])
  expect((await rpc.listener.get()).secrets).toMatchObject([{ label: 'Service', value: 'lost' }])
  expect(await deliver(listener.url!, secret.value)).toBe(401)
  const [refused] = (await rpc.listener.refusals()).refusals
  expect((await rpc.listener.refusal({ id: refused!.id })).untried).toContain('Service')
  expect(await gapsOf(rpc)).toMatchObject([{ to: null, reason: 'no-secret' }, { reason: 'closed' }])

  const withoutUntilMs = Date.now()
  await rpc.listener.addSecret(secret)
  expect(await deliver(listener.url!, secret.value)).toBe(200)
  expect((await rpc.listener.get()).secrets).toMatchObject([{ label: 'Service', value: 'memory' }])
  const gaps = await gapsOf(rpc)
  expect(gaps).toHaveLength(2)
  expect(Date.parse(gaps[0]!.to!)).toBeGreaterThanOrEqual(withoutUntilMs)
})

test('accepts the sandbox’s signatures right after a restart without a keychain', async () => {
  const first = await startTestCore({ sandbox: { traffic: true, ratePerSecond: 200 } })
  first.secrets.fail({ kind: 'memory', code: 'KEYCHAIN_NO_BUS', detail: 'none' })
  await first.rpc.connections.openSandbox()
  await statusWhere(first.rpc, ({ listener }) => listener.acknowledged > 0)
  const second = await restartCore(first)
  const { listener } = await statusWhere(second.rpc, (status) => status.listener.acknowledged > 20)
  expect([listener.refused, listener.secretsNotKnown]).toEqual([0, []])
})

test('keeps the last secret while it is reachable from outside, and says that the sandbox doesn’t deliver there', async () => {
  const { rpc } = await startInSandbox()
  const { config, secrets } = await rpc.listener.get()
  const port = await freePort()
  const { status } = await rpc.listener.configure({ ...config, port, address: '0.0.0.0' })
  expect(status.state).toBe('listening')
  await expect(rpc.listener.removeSecret({ id: secrets[0]!.id })).rejects.toMatchObject({
    code: 'WIDE_BIND_NEEDS_SECRET',
  })
  expect((await noticed(rpc, 'SUBSCRIPTION_NOT_MADE')).data).toMatchObject({
    url: status.url,
    reason: { text: expect.stringContaining('this sandbox delivers to this machine only') as string },
  })
  await rpc.listener.configure({ ...config, port })
  const back = await statusWhere(rpc, (now) => !hasNotice(now, 'SUBSCRIPTION_NOT_MADE'))
  expect(back.listener.state).toBe('listening')
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
  expect(await gapsOf(rpc)).toMatchObject([{ to: null, reason: 'moved' }])

  await rpc.listener.addSecret({ label: 'Test', value: serviceSecret })
  expect(await deliver((await rpc.listener.get()).status.url!)).toBe(200)
  expect((await gapsOf(rpc))[0]!.to).not.toBeNull()
})

test('records a gap when the first start fails, and ends it and its notification when listening', async () => {
  const { port, release } = await takePort()
  const { rpc } = await startInSandbox({ config: { listenerPort: port }, capabilities: [] })
  await statusWhere(rpc, ({ listener }) => listener.state === 'failed')
  expect(await gapsOf(rpc)).toMatchObject([{ to: null, reason: 'port-taken' }])
  const texts = async () => {
    for await (const { notes } of await rpc.notifications.watch()) return notes.map(({ text }) => text)
    return []
  }
  expect(await texts()).toEqual(['listenerDown'])
  await release()
  const { listener } = await statusWhere(rpc, (now) => now.listener.state === 'listening')
  expect(listener.url).toContain(`:${port}/`)
  await rpc.listener.addSecret({ label: 'Service', value: 'the secret of the service' })
  expect(await gapsOf(rpc)).toMatchObject([{ to: expect.any(String), reason: 'port-taken' }])
  await expect.poll(texts).toEqual([])
})

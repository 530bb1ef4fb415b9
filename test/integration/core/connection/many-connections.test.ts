import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ConnectionActivity } from '#contract/connection/connections.ts'
import type { OutboxDrain } from '#contract/people/outbox.ts'
import { tooManyFailed } from '#contract/views/campaign-alert-rules.ts'
import { allContacts, importFile } from '../../../helpers/contact-files.ts'
import { startContactService } from '../../../helpers/contact-service.ts'
import { dlrBody, moBody } from '../../../helpers/deliver-events.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import { createSandbox, type Sandbox } from '#electron/sandbox/create-sandbox.ts'
import { type Rpc, type RunningCore, startCore } from '../../../helpers/start-core.ts'
import { toListener } from '../../../helpers/subscribe-orders.ts'
import { connectByKey, connectTo } from '../../../helpers/test-core.ts'
import { activityWhere } from '../../../helpers/wait-for.ts'

const count = 8
const people = 12
const phoneOf = (n: number) => `+1415555${String(n).padStart(4, '0')}`
const indexes = Array.from({ length: people }, (_, n) => n)
const dlr = (n: number, status: string) => dlrBody(`m${n}`, status, phoneOf(n))

let running: RunningCore
const all: Tenant[] = []
const statusOf = (tenant: Tenant) => (all.indexOf(tenant) % 2 ? 'failed' : 'delivered')

/** One of eight connections, each to its own service, with its own secret; user, key, numbers and ids are the same. */
async function startTenant(index: number) {
  const [service, name, secret] = [await startContactService(), `Tenant ${index}`, `the secret of ${index}`]
  const { connection } = await connectTo(running.rpc, service.baseUrl, name, 'key-ana')
  const rpc = running.rpcOf(connection.id)
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  const { status } = await rpc.listener.get()
  return { id: connection.id, name, rpc, service, url: status.url!, secret }
}
type Tenant = Awaited<ReturnType<typeof startTenant>>

beforeAll(async () => {
  running = await startCore({ sandbox: { contactsCount: 0, dncCount: 0, rateLimitPerMinute: 200 } })
  for (let index = 0; index < count; index++) all.push(await startTenant(index))
})
afterAll(async () => {
  await running.stop()
  for (const { service } of all) await service.stop()
})

const deliver = ({ url, secret }: Tenant, body: string) => deliverSigned(url, body, secret)
const everybody = { selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true }

async function addPerson({ rpc, name }: Tenant, n: number): Promise<number> {
  const person = { name: `Person ${n} of ${name}`, phone: phoneOf(n), email: '', tags: {} }
  return (await rpc.contacts.create(person)).contact.id
}

async function drainWhere({ rpc }: Tenant, holds: (drain: OutboxDrain) => boolean): Promise<OutboxDrain> {
  for await (const drain of await rpc.outbox.watch()) if (holds(drain)) return drain
  throw new Error('the outbox stream ended')
}
const isSent = ({ counts }: OutboxDrain) => counts.queued + counts['in-flight'] === 0

const eventsOf = async ({ rpc }: Tenant) =>
  (await rpc.events.search({ filter: { kinds: ['dlr'] }, limit: 500 })).items

test('eight connections receive, refuse and send at once, and none waits for the rate limit of another', async () => {
  const [limited, ...others] = all as [Tenant, ...Tenant[]]
  limited.service.retryAfterSeconds = 600
  limited.service.fate = () => 'limited'
  const sendAndReceive = async (tenant: Tenant) => {
    for (const n of indexes) await addPerson(tenant, n)
    await tenant.rpc.contacts.push(everybody)
    return await Promise.all(indexes.map((n) => deliver(tenant, dlr(n, statusOf(tenant)))))
  }
  expect(new Set(all.map(({ url }) => new URL(url).port)).size).toBe(1)
  expect(new URL(limited.url).pathname).toBe('/webhooks')
  expect(new URL(others[0]!.url).pathname).toBe('/webhooks/tenant-1')
  const answers = await Promise.all(all.map(sendAndReceive))
  expect(new Set(answers.flat())).toEqual(new Set([200]))
  expect(await deliver({ ...limited, secret: others[0]!.secret }, dlr(1, 'failed'))).toBe(401)
  await activityWhere(running.rpc, limited.id, ({ eventsPerMinute }) => eventsPerMinute === people)

  for (const tenant of others) {
    expect((await drainWhere(tenant, isSent)).counts).toMatchObject({ done: people, rejected: 0, unknown: 0 })
    expect([...tenant.service.living.values()].toSorted((a, b) => a.phone.localeCompare(b.phone))).toEqual(
      indexes.map((n) => ({ phone: phoneOf(n), name: `Person ${n} of ${tenant.name}` })),
    )
    expect(tenant.service.requests).toHaveLength(people)
  }
  // It still waits: nothing got through, and nothing was lost.
  expect(await drainWhere(limited, ({ state }) => state === 'rate-limited')).toMatchObject({
    counts: { queued: people, done: 0 },
  })
  expect(limited.service.living.size).toBe(0)
  const quiet = await activityWhere(running.rpc, limited.id, ({ rateLimit }) => rateLimit?.remaining === 0)
  expect(quiet).toMatchObject({ state: 'live', queuedRequests: people })
  for (const { id } of others) {
    const { rateLimit } = await activityWhere(running.rpc, id, () => true)
    expect(rateLimit!.remaining).toBeGreaterThan(0)
  }

  const limit = { percent: 50, minSent: 5 }
  const rules = { failedShare: limit, stalled: null, errorShare: null }
  await others[0]!.rpc.campaigns.setAlertRule({ campaignId: null, mode: 'notify', rules })
  for (const tenant of all) {
    const events = await eventsOf(tenant)
    expect(events.map((event) => ('messageId' in event ? event.messageId : null)).toSorted()).toEqual(
      indexes.map((n) => `m${n}`).toSorted(),
    )
    expect(new Set(events.map((event) => ('status' in event ? event.status : null)))).toEqual(
      new Set([statusOf(tenant)]),
    )
    expect((await tenant.rpc.events.gaps({ days: 1 })).gaps).toEqual([])
    expect((await tenant.rpc.listener.refusals()).total).toBe(tenant === limited ? 1 : 0)
    // Read again every five seconds.
    const { percent } = tenant === others[0] ? limit : tooManyFailed
    const isNow = ({ lastHalfHour: one }: ConnectionActivity) =>
      one?.sent === people && one.limit.percent === percent
    const busy = await activityWhere(running.rpc, tenant.id, isNow)
    const failed = statusOf(tenant) === 'failed' ? people : 0
    expect(busy).toMatchObject({ openGap: null, lastHalfHour: { failed } })
    const { perMinute } = busy.lastHalfHour!
    expect([perMinute.length, perMinute.reduce((sum, more) => sum + more)]).toEqual([30, people])
  }
})

test('holds, opt-outs, tags and imports of one connection don’t change another', async () => {
  const [, a, b] = all as [Tenant, Tenant, Tenant]
  await a.rpc.dnc.hold({ phone: phoneOf(3), region: 'US', evidence: 'asked by phone' })
  expect(await deliver(a, moBody('stop', phoneOf(4), 'STOP'))).toBe(200)
  await expect.poll(async () => (await a.rpc.dnc.holds({ which: 'active', limit: 10 })).total).toBe(2)
  a.service.dnc = [phoneOf(5)]
  await a.rpc.dnc.sync()
  await expect.poll(async () => (await a.rpc.dnc.list({ which: 'all', limit: 1 })).total).toBe(1)
  await importFile(a.rpc, 'more.csv', `name,phone,tier\nOne more,${phoneOf(people)},gold`, {
    defaultRegion: 'US',
    extraTags: { from: 'a file' },
  })
  const numbersOf = async ({ rpc }: Tenant) => (await allContacts(rpc)).map(({ phone }) => phone)
  expect(await numbersOf(a)).toEqual([...indexes, people].map(phoneOf))

  expect((await b.rpc.dnc.holds({ which: 'active', limit: 10 })).total).toBe(0)
  expect((await b.rpc.dnc.list({ which: 'all', limit: 1 })).total).toBe(0)
  expect(await numbersOf(b)).toEqual(indexes.map(phoneOf))
  expect((await a.rpc.contacts.tagKeys()).keys).not.toEqual([])
  expect((await b.rpc.contacts.tagKeys()).keys).toEqual([])
  expect((await b.rpc.imports.list({ limit: 10 })).items).toEqual([])
  expect((await a.rpc.inbox.list({})).items).toHaveLength(1)
  expect((await b.rpc.inbox.list({})).items).toEqual([])

  // The same numbers: blocked for one, sent for the other.
  const held = phoneOf(100)
  await a.rpc.dnc.hold({ phone: held, region: 'US', evidence: 'asked by phone' })
  const pushed = async (tenant: Tenant) => {
    const id = await addPerson(tenant, 100)
    await tenant.rpc.contacts.push({ selection: { ids: [id] }, uncheckedKnowingly: true })
    await drainWhere(tenant, isSent)
    return tenant.service.made.get(held) ?? 0
  }
  expect([await pushed(a), await pushed(b)]).toEqual([0, 1])
})

test('a page reaches the connection it shows, even when another is in front', async () => {
  const [a, b] = [all[1]!, all[2]!]
  const { rpc } = running
  await rpc.connections.open({ id: b.id })
  await a.rpc.outbox.pause()
  const adding = addPerson(a, 200)
  await rpc.connections.open({ id: a.id })
  await rpc.connections.open({ id: b.id })
  await adding
  const stateOf = async (tenant: Tenant) => (await drainWhere(tenant, () => true)).state
  expect([await stateOf(a), await stateOf(b)]).toEqual(['paused', 'idle'])
  const find = async ({ rpc }: Tenant) => (await rpc.contacts.count({ filter: { text: phoneOf(200) } })).value
  expect([await find(a), await find(b)]).toEqual([1, 0])
  await a.rpc.outbox.resume()
  await expect(running.rpcOf('gone').outbox.pause()).rejects.toMatchObject({ code: 'NO_CONNECTION' })
  // Without a page's connection, the one in front.
  expect((await rpc.listener.get()).config.path).toBe(new URL(b.url).pathname)
})

test('fifty switches under load cause no gap, and every event stays with its connection', async () => {
  const [a, b] = [all[1]!, all[2]!]
  const fifty = Array.from({ length: 50 }, (_, n) => 1_000 + n)
  const loads = fifty.map((n) => [deliver(a, dlr(n, 'delivered')), deliver(b, dlr(n, 'failed'))])
  for (const n of fifty) await running.rpc.connections.open({ id: (n % 2 ? a : b).id })
  expect(new Set(await Promise.all(loads.flat()))).toEqual(new Set([200]))
  for (const [tenant, status] of [
    [a, 'delivered'],
    [b, 'failed'],
  ] as const) {
    const received = async () =>
      (await eventsOf(tenant)).flatMap((event) =>
        'messageId' in event && fifty.includes(Number(event.messageId!.slice(1))) ? [event.status] : [],
      )
    await expect.poll(async () => (await received()).length).toBe(fifty.length)
    expect(new Set(await received())).toEqual(new Set([status]))
    expect((await tenant.rpc.events.gaps({ days: 1 })).gaps).toEqual([])
  }
})

test('pauses the campaign of the page’s connection, though another one has the same campaign id', async () => {
  const twin = await createSandbox({ traffic: false, contactsCount: 0, dncCount: 0, ratePerSecond: 2 })
  onTestFinished(() => twin.stop())
  const rpcAt = async (sandbox: Sandbox, name: string) => {
    const { connection } = await connectByKey({ rpc: running.rpc, sandbox }, undefined, name)
    return running.rpcOf(connection.id)
  }
  const [one, other] = [await rpcAt(running.sandbox, 'One'), await rpcAt(twin, 'Twin')]
  const runningIds = async (rpc: Rpc) => (await rpc.campaigns.running()).items.map(({ id }) => id)
  const both = await runningIds(other)
  expect(await runningIds(one)).toEqual(both)
  // `Twin` is in front.
  const { campaign } = await one.campaigns.pause({ id: both[0]! })
  expect(campaign.status).toBe('paused')
  expect(await runningIds(one)).toEqual(both.slice(1))
  expect(await runningIds(other)).toEqual(both)
  expect(twin.stats().perEndpoint['POST /campaigns/{id}/pause']).toBeUndefined()
})

test('one tenant saved twice: both receive through their own subscription and see each other’s requests', async () => {
  const { rpc, sandbox, rpcOf } = running
  const { key } = sandbox.createApiKey('operator@larkspur.example')
  const tenant = sandbox.tenants[1]!.name
  const first = (await connectByKey(running, key, 'First')).connection
  const second = (await connectByKey(running, key, 'Second')).connection
  const subscribe = async ({ id }: typeof first) => {
    const own = rpcOf(id)
    return own.webhooks.subscribe(toListener((await own.listener.get()).status.url!))
  }
  await subscribe(first)
  // The other one's subscription delivers elsewhere: to the path of `First`.
  expect((await rpcOf(second.id).webhooks.list({})).subscriptions).toMatchObject([{ pointsHere: false }])
  await subscribe(second)
  sandbox.emitDlr({ tenant, messageId: 'shared', status: 'delivered' })
  for (const { id } of [first, second])
    await expect
      .poll(async () =>
        (await rpcOf(id).events.search({ filter: {}, limit: 10 })).items.map((event) =>
          'messageId' in event ? [event.messageId, event.copies] : [],
        ),
      )
      .toEqual([['shared', 1]])
  const used = async ({ id }: typeof first) => (await activityWhere(rpc, id, () => true)).rateLimit!.used
  const before = await used(first)
  for (let n = 0; n < 5; n++) await rpcOf(second.id).campaigns.running()
  await rpcOf(first.id).campaigns.running()
  expect(await used(first)).toBeGreaterThanOrEqual(before + 6)
})

import { expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '#electron/sandbox/create-sandbox.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { bulk, errorOf, operator, startClient } from './client-under-test.ts'

/** A client at a sandbox: each has its own reading of the spec. */
async function atSandbox(rateLimitPerMinute: number | null = null) {
  const clock = createFakeClock(Date.now())
  const sandbox = await createSandbox({
    traffic: false,
    rateLimitPerMinute,
    contactsCount: 20,
    dncCount: 45,
    clock,
  })
  const { username, password } = sandbox.tenants[0]!
  const clientWith = async (credential: 'password' | { apiKey: string }) => {
    const { client, stop } = await startClient({ credential, baseUrl: sandbox.baseUrl, clock })
    onTestFinished(stop)
    return client
  }
  onTestFinished(() => sandbox.stop())
  const client = await clientWith('password')
  await client.auth.login({ username, password }, operator)
  return { sandbox, client, clientWith, clock }
}

test('reads records from every endpoint', async () => {
  const { client } = await atSandbox()
  const { items, total } = await client.campaigns.list({ perPage: 5 }, operator)
  expect([items.length, total > 5]).toEqual([5, true])
  expect(await client.campaigns.get(items[0]!.id, operator)).toEqual(items[0])
  const running = await client.campaigns.list({ status: 'running' }, operator)
  expect(new Set(running.items.map(({ status }) => status))).toEqual(new Set(['running']))
  expect((await client.dashboard.get(operator)).activeCampaigns).toBe(running.total)

  const [message] = (await client.messages.list({ perPage: 100 }, operator)).items
  expect(await client.messages.get(message!.id, operator)).toMatchObject({ id: message!.id, to: message!.to })
  expect((await client.scheduled.list({}, operator)).items[0]?.scheduledAt).toMatch(/Z$/)

  const dnc = await client.dnc.list({ page: 1, perPage: 100 }, operator)
  expect([dnc.total, dnc.items.length]).toEqual([45, 45])
  const [entry] = dnc.items
  const check = (phone: string) => client.dnc.check({ phone }, operator)
  expect(await check(entry!.phoneNumber)).toEqual({ verdict: 'blocked', entry })
  expect(await check('+4915100000001')).toEqual({ verdict: 'not-proven', entry: null })

  const span = { startDate: '2026-01-01', endDate: new Date().toISOString().slice(0, 10) }
  expect((await client.analytics.overview(span, operator)).totalMessages).toBeGreaterThan(0)
  expect((await client.analytics.billingSummary(span, operator)).byCurrency).not.toEqual([])
  expect(await client.errorCodes.search({ text: '1' }, operator)).not.toEqual([])
})

test('changes what each call says and nothing else', async () => {
  const { sandbox, client } = await atSandbox()
  const [campaign] = (await client.campaigns.list({ status: 'running' }, operator)).items
  expect((await client.campaigns.pause(campaign!.id, operator)).status).toBe('paused')
  expect((await errorOf(client.campaigns.pause(campaign!.id, operator))).code).toBe('SERVICE_REJECTED')

  const ada = { name: 'Ada', phone: '+4915112345678', email: 'ada@example.com', tags: { city: 'Bern' } }
  const contact = await client.contacts.create(ada, operator)
  expect(contact).toMatchObject(ada)
  expect((await client.contacts.delete(contact.id, operator)).message).toEqual(expect.any(String))
  expect((await errorOf(client.contacts.delete(contact.id, operator))).code).toBe('SERVICE_NOT_FOUND')

  const types = { name: 'string', code: 'number' } as const
  const text = { name: 'code', body: 'Hello {{name}}, {{code}}', variables: types }
  const template = await client.templates.create(text, operator)
  const channelId = sandbox.tenant().channels()[0]!.id
  const order = { channelId, templateId: template.id, to: ada.phone, variables: { name: 'Ada', code: 7 } }
  expect((await client.ott.send(order, operator)).body).toBe('Hello Ada, 7')
  await client.templates.delete(template.id, operator)

  const [held] = sandbox.tenant().heldMessageIds()
  expect((await client.messages.release(held!, operator)).message).toEqual(expect.any(String))

  const webhook = { url: 'http://127.0.0.1:9/hook', events: ['dlr', 'mo'], secret: 'whsec-of-this-test' }
  const { id } = (await client.webhooks.create(webhook, operator)).subscription!
  const { items } = await client.webhooks.list({}, operator)
  expect(items).toMatchObject([{ subscription: { id, hasSecret: true }, secret: webhook.secret }])
  const tested = await client.webhooks.test({ id, eventType: 'dlr' }, operator)
  expect(tested.message).toEqual(expect.any(String))
})

test('takes the passwords and keys that the service takes, until they end', async () => {
  const { sandbox, client, clientWith } = await atSandbox()
  const { username } = sandbox.tenants[0]!
  const byKey = await clientWith({ apiKey: sandbox.createApiKey(username).key })
  expect((await byKey.dashboard.get(operator)).messagesWeek).toBeGreaterThan(0)
  const wrongKey = await clientWith({ apiKey: 'sk_no_such_key' })
  expect((await errorOf(wrongKey.dashboard.get(operator))).code).toBe('API_KEY_REFUSED')
  const wrongPassword = await clientWith('password')
  const login = wrongPassword.auth.login({ username, password: 'wrong' }, operator)
  expect((await errorOf(login)).code).toBe('WRONG_PASSWORD')
  expect(await client.auth.logout(operator)).toEqual({ endedAtService: true })
  expect((await errorOf(client.dashboard.get(operator))).code).toBe('SIGNED_OUT')
})

test('500 bulk calls use 95 % of the real limit with at most 1 % 429, and operators wait under a second', async () => {
  const { client, clock } = await atSandbox(200)
  const startedMs = clock.monotonic()
  let isDone = false
  const waits: number[] = []
  const work = Promise.all(
    Array.from({ length: 500 }, () => client.errorCodes.search({ text: '1' }, bulk)),
  ).then(() => (isDone = true))
  for (let step = 0; !isDone; step++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await clock.advance(50)
    if (step % 200 === 100) {
      const askedMs = clock.monotonic()
      void client.dashboard.get(operator).then(() => waits.push(clock.monotonic() - askedMs))
    }
  }
  await work
  const minutes = (clock.monotonic() - startedMs) / 60_000
  expect((500 + waits.length) / (200 * minutes)).toBeGreaterThan(0.95)
  expect(waits.length).toBeGreaterThan(10)
  expect(Math.max(...waits)).toBeLessThan(1_000)
  expect(client.budget.snapshot()).toMatchObject({ limitPerMinute: 200, usedByOthers: 0 })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CredentialSource, createApiKey } from '#electron/core/service/credentials/credentials.ts'
import {
  createServiceClient,
  type ServiceClient,
} from '#electron/core/service/client/create-service-client.ts'
import { createServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { createPasswordSession } from '#electron/core/service/credentials/password-session.ts'
import { systemClock } from '#electron/lib/clock.ts'
import { createLog } from '#electron/lib/log.ts'
import { createSandbox, type Sandbox } from '#electron/sandbox/create-sandbox.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { bulk, errorOf, operator } from './client-under-test.ts'

let sandbox: Sandbox
let client: ServiceClient
afterEach(async () => {
  client.close()
  await sandbox.stop()
})

const log = createLog(() => {}, 'test')
const { fetch } = createServiceFetch({ resolveProxies: () => Promise.resolve([null]), log })
const passwordSession = (clock = systemClock) =>
  createPasswordSession({ clock, log, save: () => Promise.resolve() })
/** A client whose backoffs are all zero, so that it can use the system clock. */
const clientOf = (credentials: CredentialSource, clock = systemClock) =>
  createServiceClient({
    baseUrl: sandbox.baseUrl,
    credentials,
    clock,
    random: () => 0,
    fieldNames: () => defaultFieldNames,
    log,
    fetch,
  })
const login = () => {
  const { username, password } = sandbox.tenants[0]!
  return client.auth.login({ username, password }, operator)
}

describe('the client against the sandbox, each with its own reading of the spec', () => {
  beforeEach(async () => {
    sandbox = await createSandbox({
      traffic: false,
      rateLimitPerMinute: null,
      contactsCount: 20,
      dncCount: 45,
    })
    client = clientOf(passwordSession())
    await login()
  })

  test('reads records from every endpoint', async () => {
    const campaigns = await client.campaigns.list({ perPage: 5 }, operator)
    expect(campaigns.items).toHaveLength(5)
    expect(campaigns.total).toBeGreaterThan(5)
    const running = await client.campaigns.list({ status: 'running' }, operator)
    expect(new Set(running.items.map(({ status }) => status))).toEqual(new Set(['running']))
    expect(await client.campaigns.get(campaigns.items[0]!.id, operator)).toEqual(campaigns.items[0])

    const messages = await client.messages.list({ perPage: 100 }, operator)
    const message = messages.items[0]!
    expect(await client.messages.get(message.id, operator)).toMatchObject({ id: message.id, to: message.to })
    expect((await client.scheduled.list({}, operator)).items[0]?.scheduledAt).toMatch(/Z$/)

    const dnc = await client.dnc.list({ page: 1, perPage: 100 }, operator)
    expect([dnc.total, dnc.items.length]).toEqual([45, 45])
    const entry = dnc.items[0]!
    expect(await client.dnc.check({ phone: entry.phoneNumber }, operator)).toEqual({
      verdict: 'blocked',
      entry,
    })
    expect(await client.dnc.check({ phone: '+4915100000001' }, operator)).toEqual({
      verdict: 'not-proven',
      entry: null,
    })

    const span = { startDate: '2026-01-01', endDate: new Date().toISOString().slice(0, 10) }
    expect((await client.analytics.overview(span, operator)).totalMessages).toBeGreaterThan(0)
    expect((await client.analytics.billingSummary(span, operator)).byCurrency.length).toBeGreaterThan(0)
    const dashboard = await client.dashboard.get(operator)
    expect(dashboard.activeCampaigns).toBe(running.total)
    expect((await client.errorCodes.search({ text: '1' }, operator)).length).toBeGreaterThan(0)
  })

  test('changes what each call says and nothing else', async () => {
    const [campaign] = (await client.campaigns.list({ status: 'running' }, operator)).items
    expect((await client.campaigns.pause(campaign!.id, operator)).status).toBe('paused')
    expect((await errorOf(client.campaigns.pause(campaign!.id, operator))).code).toBe('SERVICE_REJECTED')

    const contact = await client.contacts.create(
      { name: 'Ada', phone: '+4915112345678', email: 'ada@example.com', tags: { city: 'Bern' } },
      operator,
    )
    expect(contact).toMatchObject({ name: 'Ada', phone: '+4915112345678', tags: { city: 'Bern' } })
    expect((await client.contacts.delete(contact.id, operator)).message).toEqual(expect.any(String))
    expect((await errorOf(client.contacts.delete(contact.id, operator))).code).toBe('SERVICE_NOT_FOUND')

    const template = await client.templates.create(
      { name: 'code', body: 'Hello {{name}}, {{code}}', variables: { name: 'string', code: 'number' } },
      operator,
    )
    expect(template.status).toBe('active')
    const [channel] = sandbox.tenant().channels()
    const sent = await client.ott.send(
      {
        channelId: channel!.id,
        templateId: template.id,
        to: '+4915112345678',
        variables: { name: 'Ada', code: 7 },
      },
      operator,
    )
    expect(sent.body).toBe('Hello Ada, 7')
    await client.templates.delete(template.id, operator)

    const [held] = sandbox.tenant().heldMessageIds()
    expect((await client.messages.release(held!, operator)).message).toEqual(expect.any(String))

    const webhook = { url: 'http://127.0.0.1:9/hook', events: ['dlr', 'mo'], secret: 'whsec-of-this-test' }
    const { subscription } = await client.webhooks.create(webhook, operator)
    const listed = await client.webhooks.list({}, operator)
    expect(listed.items).toEqual([
      {
        subscription: expect.objectContaining({ id: subscription?.id, hasSecret: true }),
        secret: webhook.secret,
      },
    ])
    expect(await client.webhooks.test({ id: subscription!.id, eventType: 'dlr' }, operator)).toMatchObject({
      message: expect.any(String),
    })
  })

  test('works with an API key until it is revoked', async () => {
    const created = sandbox.createApiKey(sandbox.tenants[0]!.username)
    const byKey = clientOf(createApiKey({ apiKey: created.key }))
    expect((await byKey.dashboard.get(operator)).messagesWeek).toBeGreaterThan(0)
    byKey.close()
    const wrong = clientOf(createApiKey({ apiKey: 'sk_no_such_key' }))
    expect((await errorOf(wrong.dashboard.get(operator))).code).toBe('API_KEY_REFUSED')
    wrong.close()
  })

  test('refuses a wrong password, and a logout ends the session on both sides', async () => {
    const other = clientOf(passwordSession())
    const { username } = sandbox.tenants[0]!
    expect((await errorOf(other.auth.login({ username, password: 'wrong' }, operator))).code).toBe(
      'WRONG_PASSWORD',
    )
    other.close()
    expect(await client.auth.logout(operator)).toEqual({ endedAtService: true })
    expect((await errorOf(client.dashboard.get(operator))).code).toBe('SIGNED_OUT')
  })

  test('loses none of 60 calls when their tokens expire midway', async () => {
    sandbox.setFault('token-expires-mid-batch', { after: 20 })
    const answers = await Promise.all(Array.from({ length: 60 }, () => client.dashboard.get(operator)))
    expect(answers).toHaveLength(60)
  })

  test.each(['error-500-after-commit', 'reset-after-commit', 'truncated-body', 'not-json', 'missing-id'])(
    'leaves a contact created under %s unconfirmed and creates it once',
    async (fault) => {
      const before = sandbox.tenant().contacts().length
      sandbox.setFault(fault, { method: 'POST', path: '/contacts' })
      const input = { name: 'Once', phone: '+4915112345678', email: 'once@example.com', tags: {} }
      expect((await errorOf(client.contacts.create(input, operator))).code).toBe('OUTCOME_UNKNOWN')
      expect(sandbox.tenant().contacts().length).toBe(before + 1)
    },
  )

  test.each<[string, string]>([
    ['html-200', 'NOT_THE_SERVICE'],
    ['huge-body', 'ANSWER_TOO_LARGE'],
    ['not-json', 'BAD_ANSWER'],
    ['missing-id', 'BAD_ANSWER'],
    ['wrong-id', 'BAD_ANSWER'],
    ['empty-204', 'BAD_ANSWER'],
    ['redirect', 'SERVICE_REDIRECTED'],
    ['forbidden', 'FORBIDDEN'],
    ['unauthorized', 'SESSION_EXPIRED'],
    ['error-500', 'SERVICE_FAILED'],
    ['reset-before', 'SERVICE_UNREACHABLE'],
  ])('a read under %s is %s', async (fault, code) => {
    const [campaign] = (await client.campaigns.list({}, operator)).items
    sandbox.setFault(fault)
    expect((await errorOf(client.campaigns.get(campaign!.id, operator))).code).toBe(code)
  })

  test('shows unknown statuses and fields', async () => {
    sandbox.setFault('unknown-values')
    const { items } = await client.campaigns.list({}, operator)
    expect(items.length).toBeGreaterThan(0)
  })
})

test('uses each rotated refresh token once over hours', async () => {
  const clock = createFakeClock()
  sandbox = await createSandbox({ traffic: false, rateLimitPerMinute: null, clock })
  client = clientOf(passwordSession(clock), clock)
  await login()
  sandbox.setFault('refresh-rotates')
  for (let round = 0; round < 8; round++) {
    await clock.advance(901_000)
    expect((await client.dashboard.get(operator)).activeCampaigns).toBeGreaterThanOrEqual(0)
  }
  expect(sandbox.stats()).toMatchObject({ logins: 1, refreshes: 8 })
})

test('500 bulk calls use 95 % of the real limit with at most 1 % 429, and operators wait under a second', async () => {
  const clock = createFakeClock()
  sandbox = await createSandbox({ traffic: false, rateLimitPerMinute: 200, clock })
  client = clientOf(passwordSession(clock), clock)
  await login()
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

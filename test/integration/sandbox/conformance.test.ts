import { describe, expect, test } from 'vitest'
import * as records from '../../helpers/spec-records.ts'
import { expectRecord, refusal, sharedSandbox, signIn, unknownId } from './raw.ts'

const raw = sharedSandbox()
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const span = `start_date=${day(-3)}&end_date=${day(0)}`

test.each([
  ['/campaigns', records.campaign],
  ['/messages', records.message],
  ['/scheduled-messages', records.scheduledMessage],
  ['/dnc', records.dncEntry],
  ['/webhooks/subscriptions', records.webhook],
])('GET %s returns the envelope and refuses pages out of bounds', async (path, example) => {
  if (example === records.webhook)
    for (let i = 0; i < 7; i++)
      await raw.post('/webhooks', { url: `http://127.0.0.1:9/${i}`, events: ['mo'], secret: 's' })
  const { status, body } = await raw.get(path)
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['data', 'page', 'per_page', 'total'])
  expect(body).toMatchObject({ page: 1, per_page: 20 })
  expect(body.data.length).toBe(Math.min(20, body.total))
  for (const record of body.data) expectRecord(record, example)
  const all = await raw.get(`${path}?page=1&per_page=100`)
  expect((await raw.get(`${path}?page=2&per_page=3`)).body).toEqual({
    data: all.body.data.slice(3, 6),
    page: 2,
    per_page: 3,
    total: body.total,
  })
  for (const page of [99_999, 9_999_999_999])
    expect(await raw.get(`${path}?page=${page}`)).toMatchObject({
      status: 200,
      body: { data: [], page, total: body.total },
    })
  const outOfBounds =
    'page=0 page=-1 page=1.5 page=x page= page=1e3 page=99999999999999999999 page=1&page=2 ' +
    'per_page=0 per_page=101 per_page=ten'
  for (const bad of outOfBounds.split(' '))
    expect(await raw.get(`${path}?${bad}`), bad).toMatchObject({
      status: 400,
      body: {
        error: expect.stringMatching(
          /^(per_)?page (must be an integer from 1 to \d+|is given more than once)$/,
        ),
      },
    })
})

describe('campaigns', () => {
  test('are filtered by one of the five states', async () => {
    for (const status of ['draft', 'running', 'paused', 'completed', 'cancelled']) {
      const { data } = (await raw.get(`/campaigns?status=${status}&per_page=100`)).body
      expect(new Set(data.map((one: { status: string }) => one.status))).toEqual(new Set([status]))
    }
    expect((await raw.get('/campaigns?status=running')).body.total).toBeGreaterThanOrEqual(3)
    expect((await raw.get('/campaigns?status=Running')).status).toBe(400)
    expect((await raw.get('/campaigns?status=')).status).toBe(400)
  })

  test('are paused only while running, for good', async () => {
    const running = (await raw.get('/campaigns?status=running')).body.data[0]
    const paused = await raw.post(`/campaigns/${running.id}/pause`)
    expect(paused).toMatchObject({ status: 200, body: { id: running.id, status: 'paused' } })
    expectRecord(paused.body, records.campaign)
    expect((await raw.get(`/campaigns/${running.id}`)).body.status).toBe('paused')
    for (const status of ['draft', 'paused', 'completed', 'cancelled']) {
      const { id } = (await raw.get(`/campaigns?status=${status}`)).body.data[0]
      expect(await raw.post(`/campaigns/${id}/pause`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(status) },
      })
      expect((await raw.get(`/campaigns/${id}`)).body.status).toBe(status)
    }
  })
})

describe('messages', () => {
  test('are released once, if held, and then sent', async () => {
    const [held] = raw.sandbox.tenant().heldMessageIds()
    raw.sandbox.tick(60_000)
    expect((await raw.get(`/messages/${held}`)).body.status).toBe('pending')
    expect(await raw.post(`/messages/${held}/release`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    })
    raw.sandbox.tick(60_000)
    expect(['delivered', 'failed', 'rejected', 'expired']).toContain(
      (await raw.get(`/messages/${held}`)).body.status,
    )
    expect((await raw.post(`/messages/${held}/release`)).status).toBe(400)
  })
})

test.each([
  ['GET', `/campaigns/${unknownId}`],
  ['POST', `/campaigns/${unknownId}/pause`],
  ['GET', `/messages/${unknownId}`],
  ['POST', `/messages/${unknownId}/release`],
])('%s %s finds nothing', async (method, path) => {
  expect(await raw.send(method, path)).toMatchObject(refusal(404))
})

describe('DNC', () => {
  test('blocks a listed number with its entry, and no other', async () => {
    const [entry] = (await raw.get('/dnc')).body.data
    const blocked = await raw.get(`/dnc/check?phone_number=${encodeURIComponent(entry.phone_number)}`)
    expect(blocked).toMatchObject({ status: 200, body: { is_blocked: true, entry } })
    const clear = await raw.get('/dnc/check?phone_number=%2B15005550006')
    expect(clear.body).toEqual({ is_blocked: false, entry: null })
  })
})

describe('analytics and dashboard', () => {
  test.each(['operator@harbor.example', 'operator@larkspur.example'])(
    'return a billing summary to %s that adds up',
    async (username) => {
      const tenant = await signIn(raw.sandbox, username)
      const { status, body } = await tenant.get(`/analytics/billing-summary?${span}`)
      expect(status).toBe(200)
      expectRecord(body, records.billingSummary)
      for (const row of body.by_currency) expectRecord(row, records.billingSummary.by_currency[0]!)
      const sum = (name: string) =>
        body.by_currency.reduce((total: number, row: Record<string, number>) => total + row[name]!, 0)
      expect(body.total_revenue).toBeCloseTo(sum('revenue'), 4)
      expect(body.total_cost).toBeCloseTo(sum('cost'), 4)
      expect(body.total_margin).toBeCloseTo(body.total_revenue - body.total_cost, 4)
    },
  )

  test('count the tenant’s own messages, none from the far past', async () => {
    const overview = async (query: string) => (await raw.get(`/analytics/overview?${query}`)).body
    const whole = await overview(span)
    expectRecord(whole, records.analyticsOverview)
    expect(whole.total_messages).toBeGreaterThan(0)
    raw.sandbox.tick(15_000)
    const [held] = raw.sandbox.tenant().heldMessageIds()
    const { sell_price: price, created_at: createdAt } = (await raw.get(`/messages/${held}`)).body
    const hour = `start_date=${createdAt}&end_date=${new Date(Date.parse(createdAt) + 1).toISOString()}`
    const before = await overview(hour)
    await raw.post(`/messages/${held}/release`)
    raw.sandbox.tick(15_000)
    const after = await overview(hour)
    const ended = (await raw.get(`/messages/${held}`)).body.status
    expect(after.total_messages).toBe(before.total_messages)
    expect(after.delivered - before.delivered).toBe(ended === 'delivered' ? 1 : 0)
    expect(after.failed - before.failed).toBe(ended === 'delivered' ? 0 : 1)
    if (ended !== 'rejected') expect(after.revenue - before.revenue).toBeCloseTo(price, 4)
    const nothing = { total_messages: 0, delivered: 0, failed: 0, revenue: 0, cost: 0, margin: 0 }
    expect(await overview('start_date=2001-01-01&end_date=2001-02-01')).toEqual(nothing)
  })

  test.each([
    '',
    `?start_date=${day(-1)}`,
    `?end_date=${day(-1)}`,
    `?from=${day(-1)}&to=${day(0)}`,
    `?start_date=${day(0)}&end_date=${day(-1)}`,
    '?start_date=2026-02-31&end_date=2026-03-02',
    '?start_date=yesterday&end_date=today',
    '?start_date=1767225600&end_date=1767312000',
  ])('refuse a period of %j', async (query) => {
    expect((await raw.get(`/analytics/overview${query}`)).status).toBe(400)
    expect((await raw.get(`/analytics/billing-summary${query}`)).status).toBe(400)
  })
})

test('finds error codes by code and description, as a bare array, in a catalogue of at least sixty', async () => {
  const search = async (text: string) => (await raw.get(`/error-codes/search?q=${text}`)).body
  const byText = await search('UNREACHABLE')
  expect(byText.map((record: { code: string }) => record.code)).toContain('2')
  for (const record of byText) expectRecord(record, records.errorCode)
  expect(await search('429')).toHaveLength(1)
  expect(await search('zzzz')).toEqual([])
  expect((await raw.get('/error-codes/search')).status).toBe(400)
  const ids = new Set<string>()
  for (const letter of 'aeiou') for (const { id } of await search(letter)) ids.add(id)
  expect(ids.size).toBeGreaterThanOrEqual(60)
})

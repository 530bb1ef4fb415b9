import { describe, expect, test } from 'vitest'
import { type Raw, signIn, startSandbox } from './raw.ts'
import { type TableName, expectRecord, unknownId } from './record-tables.ts'

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const span = `start_date=${day(-3)}&end_date=${day(0)}`

async function expectPaginated(raw: Raw, path: string, table: TableName) {
  const first = await raw.get(path)
  expect(first.status).toBe(200)
  expect(Object.keys(first.body).sort()).toEqual(['data', 'page', 'per_page', 'total'])
  expect(first.body).toMatchObject({ page: 1, per_page: 20 })
  expect(first.body.data.length).toBe(Math.min(20, first.body.total))
  for (const record of first.body.data) expectRecord(record, table)
  const second = await raw.get(`${path}?page=2&per_page=3`)
  const all = await raw.get(`${path}?page=1&per_page=100`)
  expect(second.body).toMatchObject({ page: 2, per_page: 3, total: first.body.total })
  expect(second.body.data).toEqual(all.body.data.slice(3, 6))
  for (const page of [99_999, 9_999_999_999])
    expect(await raw.get(`${path}?page=${page}`)).toMatchObject({
      status: 200,
      body: { data: [], page, total: first.body.total },
    })
  for (const bad of [
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=',
    'page=1e3',
    'page=99999999999999999999',
    'per_page=0',
    'per_page=101',
    'per_page=ten',
    'page=1&page=2',
  ]) {
    const refused = await raw.get(`${path}?${bad}`)
    expect([bad, refused.status, refused.body.error]).toEqual([
      bad,
      400,
      expect.stringMatching(/^(per_)?page (must be an integer from 1 to \d+|is given more than once)$/),
    ])
  }
}

test('accepts IDs in either case, in paths and bodies', async () => {
  const raw = await signIn(await startSandbox())
  const view = raw.sandbox.tenant()
  const upper = (id: string) => id.toUpperCase()
  const campaign = view.campaigns()[0]!
  expect((await raw.get(`/campaigns/${upper(campaign.id)}`)).body).toEqual(campaign)
  const message = view.messages()[0]!
  expect((await raw.get(`/messages/${upper(message.id)}`)).body).toEqual(message)
  expect((await raw.remove(`/contacts/${upper(view.contacts()[0]!.id)}`)).status).toBe(200)
  const template = (await raw.post('/templates', { name: 'T', body: 'Hi', variables: {} })).body
  const channel = view.channels()[0]!
  const sent = await raw.post('/ott/messages', {
    channel_id: upper(channel.id),
    template_id: upper(template.id),
    to: '+4915112345678',
    variables: {},
  })
  expect(sent).toMatchObject({ status: 201, body: { channel_id: channel.id, template_id: template.id } })
})

describe('paginated lists', () => {
  test.each([
    ['/campaigns', 'campaign'],
    ['/messages', 'message'],
    ['/scheduled-messages', 'scheduled'],
    ['/dnc', 'dncEntry'],
    ['/webhooks/subscriptions', 'subscription'],
  ] as const)('GET %s returns the envelope and refuses pages out of bounds', async (path, table) => {
    const raw = await signIn(await startSandbox())
    if (table === 'subscription')
      for (let i = 0; i < 7; i++)
        await raw.post('/webhooks', { url: `http://127.0.0.1:9/${i}`, events: ['mo'], secret: 's' })
    await expectPaginated(raw, path, table)
  })
})

describe('campaigns', () => {
  test('accepts only the five states as status filter', async () => {
    const raw = await signIn(await startSandbox())
    for (const status of ['draft', 'running', 'paused', 'completed', 'cancelled']) {
      const { body } = await raw.get(`/campaigns?status=${status}&per_page=100`)
      expect(body.total).toBeGreaterThan(0)
      expect(new Set(body.data.map((campaign: { status: string }) => campaign.status))).toEqual(
        new Set([status]),
      )
    }
    expect((await raw.get('/campaigns?status=running')).body.total).toBeGreaterThanOrEqual(3)
    expect((await raw.get('/campaigns?status=Running')).status).toBe(400)
    expect((await raw.get('/campaigns?status=')).status).toBe(400)
  })

  test('finds a campaign by id', async () => {
    const raw = await signIn(await startSandbox())
    const { body } = await raw.get('/campaigns?per_page=1')
    const one = await raw.get(`/campaigns/${body.data[0].id}`)
    expect(one).toMatchObject({ status: 200, body: body.data[0] })
    expect(await raw.get(`/campaigns/${unknownId}`)).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    })
  })

  test('pauses only running campaigns, for good', async () => {
    const raw = await signIn(await startSandbox())
    const running = (await raw.get('/campaigns?status=running')).body.data[0]
    const paused = await raw.post(`/campaigns/${running.id}/pause`)
    expect(paused).toMatchObject({ status: 200, body: { id: running.id, status: 'paused' } })
    expectRecord(paused.body, 'campaign')
    expect((await raw.get(`/campaigns/${running.id}`)).body.status).toBe('paused')
    for (const status of ['draft', 'paused', 'completed', 'cancelled']) {
      const { id } = (await raw.get(`/campaigns?status=${status}`)).body.data[0]
      expect(await raw.post(`/campaigns/${id}/pause`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(status) },
      })
      expect((await raw.get(`/campaigns/${id}`)).body.status).toBe(status)
    }
    expect((await raw.post(`/campaigns/${unknownId}/pause`)).status).toBe(404)
  })
})

describe('messages', () => {
  test('finds a message by id, and lists newest first', async () => {
    const raw = await signIn(await startSandbox())
    const { data } = (await raw.get('/messages?per_page=100')).body
    const one = await raw.get(`/messages/${data[0].id}`)
    expect(one).toMatchObject({ status: 200, body: data[0] })
    expectRecord(one.body, 'message')
    const times = data.map((message: { created_at: string }) => message.created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect((await raw.get(`/messages/${unknownId}`)).status).toBe(404)
  })

  test('releases a held message once and sends it; refuses others', async () => {
    const raw = await signIn(await startSandbox())
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
    expect((await raw.post(`/messages/${unknownId}/release`)).status).toBe(404)
  })
})

describe('DNC', () => {
  test('blocks a listed number with its entry, and no other', async () => {
    const raw = await signIn(await startSandbox())
    const [entry] = (await raw.get('/dnc')).body.data
    const blocked = await raw.get(`/dnc/check?phone_number=${encodeURIComponent(entry.phone_number)}`)
    expect(blocked).toMatchObject({ status: 200, body: { is_blocked: true, entry } })
    const clear = await raw.get('/dnc/check?phone_number=%2B15005550006')
    expect(clear.body).toEqual({ is_blocked: false, entry: null })
  })

  test.each([
    '',
    '?phone=%2B4915112345678',
    '?phone_number=',
    '?phone_number=+4915112345678',
    '?phone_number=abc',
  ])('refuses to check %j', async (query) => {
    const raw = await signIn(await startSandbox())
    expect((await raw.get(`/dnc/check${query}`)).status).toBe(400)
  })
})

describe('analytics and dashboard', () => {
  test('returns a billing summary that adds up', async () => {
    for (const username of ['operator@harbor.example', 'operator@larkspur.example']) {
      const raw = await signIn(await startSandbox(), username)
      const { status, body } = await raw.get(`/analytics/billing-summary?${span}`)
      expect(status).toBe(200)
      expectRecord(body, 'billing')
      for (const row of body.by_currency) expectRecord(row, 'currency')
      const sum = (name: string) =>
        body.by_currency.reduce((total: number, row: Record<string, number>) => total + row[name]!, 0)
      expect(body.total_revenue).toBeCloseTo(sum('revenue'), 4)
      expect(body.total_cost).toBeCloseTo(sum('cost'), 4)
      expect(body.total_margin).toBeCloseTo(body.total_revenue - body.total_cost, 4)
    }
  })

  test('counts the tenant’s own messages, none from the far past', async () => {
    const raw = await signIn(await startSandbox())
    const before = (await raw.get(`/analytics/overview?${span}`)).body
    expectRecord(before, 'overview')
    expect(before.total_messages).toBeGreaterThan(0)
    raw.sandbox.tick(15_000)
    const [held] = raw.sandbox.tenant().heldMessageIds()
    const { sell_price: price, created_at: createdAt } = (await raw.get(`/messages/${held}`)).body
    const hour = `start_date=${createdAt}&end_date=${new Date(Date.parse(createdAt) + 1).toISOString()}`
    const hourBefore = (await raw.get(`/analytics/overview?${hour}`)).body
    await raw.post(`/messages/${held}/release`)
    raw.sandbox.tick(15_000)
    const hourAfter = (await raw.get(`/analytics/overview?${hour}`)).body
    const ended = (await raw.get(`/messages/${held}`)).body.status
    expect(hourAfter.total_messages).toBe(hourBefore.total_messages)
    expect(hourAfter.delivered - hourBefore.delivered).toBe(ended === 'delivered' ? 1 : 0)
    expect(hourAfter.failed - hourBefore.failed).toBe(ended === 'delivered' ? 0 : 1)
    if (ended !== 'rejected') expect(hourAfter.revenue - hourBefore.revenue).toBeCloseTo(price, 4)
    expect((await raw.get('/analytics/overview?start_date=2001-01-01&end_date=2001-02-01')).body).toEqual({
      total_messages: 0,
      delivered: 0,
      failed: 0,
      revenue: 0,
      cost: 0,
      margin: 0,
    })
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
  ])('refuses a period of %j', async (query) => {
    const raw = await signIn(await startSandbox())
    expect((await raw.get(`/analytics/overview${query}`)).status).toBe(400)
    expect((await raw.get(`/analytics/billing-summary${query}`)).status).toBe(400)
  })

  test('shows a dashboard that agrees with the lists', async () => {
    const raw = await signIn(await startSandbox())
    const { status, body } = await raw.get('/dashboard')
    expect(status).toBe(200)
    expectRecord(body, 'dashboard')
    expect(body.active_campaigns).toBe((await raw.get('/campaigns?status=running')).body.total)
    expect(body.recent_messages).toEqual((await raw.get('/messages?per_page=10')).body.data)
    const today = (await raw.get(`/analytics/overview?start_date=${day(0)}&end_date=${day(0)}`)).body
    const week = (await raw.get(`/analytics/overview?start_date=${day(-6)}&end_date=${day(0)}`)).body
    expect([body.messages_today, body.messages_week]).toEqual([today.total_messages, week.total_messages])
  })
})

describe('error codes', () => {
  test('finds records by code and description, as a bare array', async () => {
    const raw = await signIn(await startSandbox())
    const byText = await raw.get('/error-codes/search?q=UNREACHABLE')
    expect(byText.status).toBe(200)
    expect(byText.body.map((record: { code: string }) => record.code)).toContain('2')
    for (const record of byText.body) expectRecord(record, 'errorCode')
    expect((await raw.get('/error-codes/search?q=429')).body).toHaveLength(1)
    expect((await raw.get('/error-codes/search?q=zzzz')).body).toEqual([])
    expect((await raw.get('/error-codes/search')).status).toBe(400)
  })

  test('has at least sixty codes in its catalogue', async () => {
    const raw = await signIn(await startSandbox())
    const ids = new Set<string>()
    for (const letter of 'aeiou')
      for (const { id } of (await raw.get(`/error-codes/search?q=${letter}`)).body) ids.add(id)
    expect(ids.size).toBeGreaterThanOrEqual(60)
  })
})

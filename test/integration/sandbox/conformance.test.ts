import { describe, expect, test } from 'vitest'
import { type Raw, rawWith, request, signIn, startSandbox } from './raw.ts'

/** The spec's field tables. A question mark: the field may be absent. */
const fields = {
  campaign: {
    id: 'uuid',
    tenant_id: 'uuid',
    account_id: 'uuid',
    name: 'string',
    template_id: 'uuid',
    sender_id: 'string',
    status: 'string',
    total_recipients: 'integer',
    sent_count: 'integer',
    failed_count: 'integer',
    started_at: 'time?',
    completed_at: 'time?',
    created_at: 'time',
    updated_at: 'time',
  },
  message: {
    id: 'string',
    tenant_id: 'string',
    account_id: 'string',
    user_id: 'string',
    batch_id: 'string',
    from: 'phone',
    to: 'phone',
    body: 'string',
    status: 'string',
    part_count: 'integer',
    sell_price: 'number',
    cost_price: 'number',
    connection_id: 'string',
    provider_message_id: 'string',
    priority: 'string',
    is_encrypted: 'boolean',
    sent_at: 'time?',
    delivered_at: 'time?',
    created_at: 'time',
    updated_at: 'time',
  },
  template: {
    id: 'uuid',
    tenant_id: 'uuid',
    name: 'string',
    body: 'string',
    variables: 'object',
    status: 'string',
    created_at: 'time',
    updated_at: 'time',
  },
  ottMessage: {
    id: 'string',
    tenant_id: 'string',
    channel_id: 'uuid',
    template_id: 'uuid',
    to: 'phone',
    body: 'string',
    status: 'string',
    provider_message_id: 'string',
    created_at: 'time',
  },
  contact: {
    id: 'uuid',
    tenant_id: 'uuid',
    name: 'string',
    phone: 'phone',
    email: 'string',
    tags: 'object',
    created_at: 'time',
    updated_at: 'time',
  },
  scheduled: {
    id: 'string',
    tenant_id: 'string',
    account_id: 'string',
    from_number: 'phone',
    to_number: 'phone',
    body: 'string',
    status: 'string',
    scheduled_at: 'time',
    created_at: 'time',
  },
  dncEntry: {
    id: 'string',
    tenant_id: 'string',
    phone_number: 'phone',
    reason: 'string',
    created_at: 'time',
  },
  subscription: {
    id: 'string',
    tenant_id: 'string',
    url: 'string',
    events: 'strings',
    secret: 'string',
    status: 'string',
    created_at: 'time',
  },
  errorCode: {
    id: 'string',
    code: 'string',
    description: 'string',
    category: 'string',
    resolution: 'string',
    created_at: 'time',
  },
  billing: { total_revenue: 'number', total_cost: 'number', total_margin: 'number', by_currency: 'array' },
  currency: { currency: 'string', revenue: 'number', cost: 'number' },
  overview: {
    total_messages: 'integer',
    delivered: 'integer',
    failed: 'integer',
    revenue: 'number',
    cost: 'number',
    margin: 'number',
  },
  dashboard: {
    messages_today: 'integer',
    messages_week: 'integer',
    balance: 'number',
    active_campaigns: 'integer',
    recent_messages: 'array',
  },
} as const

const isString = (value: unknown) => typeof value === 'string'
const kinds: Record<string, (value: unknown) => boolean> = {
  string: isString,
  uuid: (value) =>
    isString(value) && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value as string),
  time: (value) => isString(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value as string),
  phone: (value) => isString(value) && /^\+[1-9]\d{6,14}$/.test(value as string),
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  strings: (value) => Array.isArray(value) && value.every(isString),
}

/** A record has every field of its table, each of its type, and no field beside them. */
function expectRecord(record: Record<string, unknown>, table: keyof typeof fields) {
  const wanted: Record<string, string> = fields[table]
  for (const [name, kind] of Object.entries(wanted)) {
    if (kind.endsWith('?') && !(name in record)) continue
    expect(
      kinds[kind.replace('?', '')]!(record[name]),
      `${table}.${name} = ${JSON.stringify(record[name])}`,
    ).toBe(true)
  }
  expect(Object.keys(record).filter((name) => !(name in wanted))).toEqual([])
}

const unknownId = '11111111-1111-4111-8111-111111111111'
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const span = `start_date=${day(-3)}&end_date=${day(0)}`

async function expectPaginated(raw: Raw, path: string, table: keyof typeof fields) {
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
    expect([bad, refused.status, typeof refused.body.error]).toEqual([bad, 400, 'string'])
  }
}

describe('paginated lists', () => {
  test.each([
    ['/campaigns', 'campaign'],
    ['/messages', 'message'],
    ['/scheduled-messages', 'scheduled'],
    ['/dnc', 'dncEntry'],
    ['/webhooks/subscriptions', 'subscription'],
  ] as const)(
    'GET %s gives the envelope, its records and refuses pages out of bounds',
    async (path, table) => {
      const raw = await signIn(await startSandbox())
      if (table === 'subscription')
        for (let i = 0; i < 7; i++)
          await raw.post('/webhooks', { url: `http://127.0.0.1:9/${i}`, events: ['mo'], secret: 's' })
      await expectPaginated(raw, path, table)
    },
  )
})

describe('campaigns', () => {
  test('the status filter takes the five states and nothing else', async () => {
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

  test('one campaign is found by its id', async () => {
    const raw = await signIn(await startSandbox())
    const { body } = await raw.get('/campaigns?per_page=1')
    const one = await raw.get(`/campaigns/${body.data[0].id}`)
    expect(one).toMatchObject({ status: 200, body: body.data[0] })
    expect(await raw.get(`/campaigns/${unknownId}`)).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    })
  })

  test('a running campaign is paused and stays so; no other state can be paused', async () => {
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
  test('a message is found by its id, newest first in the list', async () => {
    const raw = await signIn(await startSandbox())
    const { data } = (await raw.get('/messages?per_page=100')).body
    const one = await raw.get(`/messages/${data[0].id}`)
    expect(one).toMatchObject({ status: 200, body: data[0] })
    expectRecord(one.body, 'message')
    const times = data.map((message: { created_at: string }) => message.created_at)
    expect(times).toEqual([...times].sort().reverse())
    expect((await raw.get(`/messages/${unknownId}`)).status).toBe(404)
  })

  test('a held message is released once and then sent; others cannot be released', async () => {
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

describe('templates and OTT messages', () => {
  const good = {
    name: 'Greeting',
    body: 'Hi {{ name }}, {{count}} left',
    variables: { name: 'string', count: 'number' },
  }

  test('a template is created and deleted', async () => {
    const raw = await signIn(await startSandbox())
    const made = await raw.post('/templates', good)
    expect(made).toMatchObject({ status: 201, body: { ...good, status: 'active' } })
    expectRecord(made.body, 'template')
    expect(await raw.remove(`/ott/templates/${made.body.id}`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    })
    expect((await raw.remove(`/ott/templates/${made.body.id}`)).status).toBe(404)
  })

  test.each([
    ['no name', { ...good, name: undefined }],
    ['a blank body', { ...good, body: '  ' }],
    ['a name that is a number', { ...good, name: 7 }],
    ['variables as an array', { ...good, variables: ['name'] }],
    ['variables that are null', { ...good, body: 'Hi', variables: null }],
    ['an unknown type', { ...good, variables: { name: 'string', count: 'integer' } }],
    ['a placeholder without a type', { ...good, variables: { name: 'string' } }],
    ['a field the call does not know', { ...good, language: 'en' }],
  ])('a template with %s is refused', async (_what, body) => {
    const raw = await signIn(await startSandbox())
    expect(await raw.post('/templates', body)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('an OTT message is rendered from its template', async () => {
    const raw = await signIn(await startSandbox())
    const template = (await raw.post('/templates', good)).body
    const [channel] = raw.sandbox.tenant().channels()
    const sent = await raw.post('/ott/messages', {
      channel_id: channel!.id,
      template_id: template.id,
      to: '+4915112345678',
      variables: { name: 'Zoë', count: 3 },
    })
    expect(sent).toMatchObject({ status: 201, body: { body: 'Hi Zoë, 3 left', status: 'delivered' } })
    expectRecord(sent.body, 'ottMessage')
  })

  test.each([
    ['a variable of the wrong type', { variables: { name: 'Zoë', count: '3' } }],
    ['a variable missing', { variables: { name: 'Zoë' } }],
    ['no variables', { variables: undefined }],
    ['a variable too many', { variables: { name: 'Zoë', count: 3, more: 1 } }],
    ['an unknown channel', { channel_id: unknownId }],
    ['an unknown template', { template_id: unknownId }],
    ['a channel id that is no UUID', { channel_id: 'whatsapp' }],
    ['a number without plus', { to: '4915112345678' }],
    ['no destination', { to: undefined }],
    ['a value longer than any text', { variables: { name: 'x'.repeat(10_001), count: 3 } }],
  ])('an OTT message with %s is refused', async (_what, change) => {
    const raw = await signIn(await startSandbox())
    const template = (await raw.post('/templates', good)).body
    const [channel] = raw.sandbox.tenant().channels()
    const body = {
      channel_id: channel!.id,
      template_id: template.id,
      to: '+4915112345678',
      variables: { name: 'Zoë', count: 3 },
      ...change,
    }
    expect(await raw.post('/ott/messages', body)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
    expect(raw.sandbox.tenant().ottMessages()).toEqual([])
  })

  test('an OTT message is refused when its values make it longer than any text', async () => {
    const raw = await signIn(await startSandbox())
    const body = '{{name}}'.repeat(200)
    const template = (await raw.post('/templates', { ...good, body, variables: { name: 'string' } })).body
    const send = (name: string) =>
      raw.post('/ott/messages', {
        channel_id: raw.sandbox.tenant().channels()[0]!.id,
        template_id: template.id,
        to: '+4915112345678',
        variables: { name },
      })
    expect((await send('x'.repeat(50))).status).toBe(201)
    expect((await send('x'.repeat(51))).status).toBe(400)
  })

  test('a number too large to be one is no value for a number', async () => {
    const raw = await signIn(await startSandbox())
    const template = (await raw.post('/templates', good)).body
    const [channel] = raw.sandbox.tenant().channels()
    const text = `{"channel_id":"${channel!.id}","template_id":"${template.id}","to":"+4915112345678","variables":{"name":"N","count":1e999}}`
    const headers = { Authorization: `Bearer ${raw.accessToken}`, 'Content-Type': 'application/json' }
    expect((await request(raw.sandbox, 'POST', '/ott/messages', headers, text)).status).toBe(400)
  })

  test('an OTT message to a number on the DNC list is refused', async () => {
    const raw = await signIn(await startSandbox())
    const template = (await raw.post('/templates', good)).body
    const { phone_number: to } = (await raw.get('/dnc')).body.data[0]
    const body = {
      channel_id: raw.sandbox.tenant().channels()[0]!.id,
      template_id: template.id,
      to,
      variables: { name: 'Zoë', count: 3 },
    }
    expect((await raw.post('/ott/messages', body)).status).toBe(400)
  })
})

describe('contacts', () => {
  const good = {
    name: 'Noor',
    phone: '+4915112345678',
    email: 'noor@example.org',
    tags: { city: 'Graz', __proto__x: 'y' },
  }

  test('a contact is created and deleted', async () => {
    const raw = await signIn(await startSandbox())
    const made = await raw.post('/contacts', good)
    expect(made).toMatchObject({ status: 201, body: good })
    expectRecord(made.body, 'contact')
    expect(raw.sandbox.tenant().contacts()).toContainEqual(made.body)
    expect(await raw.remove(`/contacts/${made.body.id}`)).toMatchObject({
      status: 200,
      body: { message: expect.any(String) },
    })
    expect((await raw.remove(`/contacts/${made.body.id}`)).status).toBe(404)
  })

  test('only name and phone are required, and the same number may come twice', async () => {
    const raw = await signIn(await startSandbox())
    const least = { name: 'N', phone: '+4915112345678' }
    expect(await raw.post('/contacts', least)).toMatchObject({ status: 201, body: { ...least, tags: {} } })
    expect((await raw.post('/contacts', least)).status).toBe(201)
  })

  test('tags named like parts of every object are kept as they are', async () => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const text = '{"name":"N","phone":"+4915112345678","tags":{"__proto__":"a","constructor":"b"}}'
    const made = await request(
      sandbox,
      'POST',
      '/contacts',
      {
        Authorization: `Bearer ${accessToken}`,
        'Content-Type': 'application/json',
      },
      text,
    )
    expect(made.status).toBe(201)
    expect(Object.entries(made.body.tags)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })

  test.each([
    ['no name', { name: undefined }],
    ['no phone', { phone: undefined }],
    ['a phone without plus', { phone: '015112345678' }],
    ['a phone with spaces', { phone: '+49 151 12345678' }],
    ['a phone that is too long', { phone: '+4915112345678901' }],
    ['a phone whose country begins with 0', { phone: '+0151123456' }],
    ['an e-mail without at', { email: 'noor' }],
    ['an e-mail longer than addresses get', { email: `${'n'.repeat(250)}@example.org` }],
    ['tags as an array', { tags: ['a'] }],
    ['a tag longer than any text', { tags: { a: 'x'.repeat(10_001) } }],
    ['a tag whose name is longer than any text', { tags: { ['x'.repeat(10_001)]: 'a' } }],
    ['a tag that is a number', { tags: { a: 1 } }],
    ['a field the call does not know', { id: unknownId }],
  ])('a contact with %s is refused', async (_what, change) => {
    const raw = await signIn(await startSandbox())
    const before = raw.sandbox.tenant().contacts().length
    expect(await raw.post('/contacts', { ...good, ...change })).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
    expect(raw.sandbox.tenant().contacts().length).toBe(before)
  })
})

describe('DNC', () => {
  test('a listed number is blocked with its entry, another is not', async () => {
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
  ])('the check refuses %j', async (query) => {
    const raw = await signIn(await startSandbox())
    expect((await raw.get(`/dnc/check${query}`)).status).toBe(400)
  })
})

describe('analytics and dashboard', () => {
  test('the billing summary adds up', async () => {
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

  test('the overview counts the tenant’s own messages and nothing of the far past', async () => {
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
  ])('a span of %j is refused', async (query) => {
    const raw = await signIn(await startSandbox())
    expect((await raw.get(`/analytics/overview${query}`)).status).toBe(400)
    expect((await raw.get(`/analytics/billing-summary${query}`)).status).toBe(400)
  })

  test('the dashboard agrees with the lists', async () => {
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

describe('webhooks', () => {
  test('a subscription is created and listed with its secret and dotted event names', async () => {
    const raw = await signIn(await startSandbox())
    const made = await raw.post('/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      events: ['dlr', 'mo'],
      secret: 'abc',
    })
    expect(made.status).toBe(201)
    expectRecord(made.body, 'subscription')
    expect(made.body).toMatchObject({ secret: 'abc', status: 'active' })
    expect(made.body.events).toEqual([
      'message.submitted',
      'message.delivered',
      'message.failed',
      'message.expired',
      'message.received',
    ])
    expect((await raw.get('/webhooks/subscriptions')).body.data).toEqual([made.body])
  })

  test.each([
    ['no url', { url: undefined }],
    ['a url that is none', { url: 'hook' }],
    ['an ftp url', { url: 'ftp://127.0.0.1/hook' }],
    ['a url of another machine', { url: 'http://192.0.2.1/hook' }],
    ['a url that only looks local', { url: 'http://127.0.0.1.example.org/hook' }],
    ['a url with a user name', { url: 'http://name@127.0.0.1:9/hook' }],
    ['a url whose password cannot be read', { url: 'http://name:%zz@127.0.0.1:9/hook' }],
    ['no events', { events: undefined }],
    ['an empty list of events', { events: [] }],
    ['events as a string', { events: 'dlr' }],
    ['an unknown event', { events: ['dlr', 'message.read'] }],
    ['an event named like a part of every object', { events: ['constructor'] }],
    ['an event that is a number', { events: [1] }],
    ['an empty secret', { secret: '' }],
  ])('a subscription with %s is refused', async (_what, change) => {
    const raw = await signIn(await startSandbox())
    const body = { url: 'http://127.0.0.1:9/hook', events: ['dlr'], secret: 'abc', ...change }
    expect(await raw.post('/webhooks', body)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('a test needs a known subscription and event', async () => {
    const raw = await signIn(await startSandbox())
    const { id } = (await raw.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['dlr'] })).body
    expect((await raw.post(`/webhooks/${id}/test`, { event_type: 'dlr' })).status).toBe(200)
    expect((await raw.post(`/webhooks/${id}/test`, { event_type: 'sms' })).status).toBe(400)
    expect((await raw.post(`/webhooks/${id}/test`, {})).status).toBe(400)
    expect((await raw.post(`/webhooks/${unknownId}/test`, { event_type: 'dlr' })).status).toBe(404)
  })
})

describe('error codes', () => {
  test('records are found by code and by description, as a bare array', async () => {
    const raw = await signIn(await startSandbox())
    const byText = await raw.get('/error-codes/search?q=UNREACHABLE')
    expect(byText.status).toBe(200)
    expect(byText.body.map((record: { code: string }) => record.code)).toContain('2')
    for (const record of byText.body) expectRecord(record, 'errorCode')
    expect((await raw.get('/error-codes/search?q=429')).body).toHaveLength(1)
    expect((await raw.get('/error-codes/search?q=zzzz')).body).toEqual([])
    expect((await raw.get('/error-codes/search')).status).toBe(400)
  })

  test('the catalogue holds at least sixty codes', async () => {
    const raw = await signIn(await startSandbox())
    const ids = new Set<string>()
    for (const letter of 'aeiou')
      for (const { id } of (await raw.get(`/error-codes/search?q=${letter}`)).body) ids.add(id)
    expect(ids.size).toBeGreaterThanOrEqual(60)
  })
})

describe('bodies and paths', () => {
  test.each([
    ['another content type', 'text/plain', '{"name":"N","phone":"+4915112345678"}'],
    ['no content type', '', '{"name":"N","phone":"+4915112345678"}'],
    ['another charset', 'application/json; charset=latin1', '{"name":"N","phone":"+4915112345678"}'],
    ['broken JSON', 'application/json', '{"name":'],
    ['no body', 'application/json', ''],
    ['an array', 'application/json', '[]'],
    ['null', 'application/json', 'null'],
  ])('a body with %s is refused', async (_what, contentType, text) => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': contentType }
    const bytes = new TextEncoder().encode(text)
    expect(await request(sandbox, 'POST', '/contacts', headers, bytes)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('bytes that are not UTF-8 are refused, and the charset may be named', async () => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      'Content-Type': 'application/json; charset=UTF-8',
    }
    const text = '{"name":"N?","phone":"+4915112345678"}'
    const bytes = Uint8Array.from(text, (character) => (character === '?' ? 0xff : character.charCodeAt(0)))
    expect((await request(sandbox, 'POST', '/contacts', headers, bytes)).status).toBe(400)
    expect(
      (await request(sandbox, 'POST', '/contacts', headers, new TextEncoder().encode(text))).status,
    ).toBe(201)
  })

  test('a body over a megabyte is refused', async () => {
    const raw = await signIn(await startSandbox())
    expect(
      (await raw.post('/contacts', { name: 'x'.repeat(1_100_000), phone: '+4915112345678' })).status,
    ).toBe(400)
  })

  test('a body over a megabyte is judged after the path and the credential, once', async () => {
    const raw = await signIn(await startSandbox())
    const stranger = rawWith(raw.sandbox, {})
    const large = { name: 'x'.repeat(3_000_000) }
    expect((await stranger.post('/contacts', large)).status).toBe(401)
    expect((await raw.post('/nope', large)).status).toBe(404)
    raw.sandbox.setFault('slow', { delayMs: 20 })
    expect((await raw.post('/contacts', large)).status).toBe(400)
    expect(raw.sandbox.activeFault()!.happened).toBe(1)
  })

  test('a call without body takes an empty object at most', async () => {
    const raw = await signIn(await startSandbox())
    const { id } = (await raw.get('/campaigns?status=running')).body.data[0]
    expect((await raw.post(`/campaigns/${id}/pause`, { reason: 'x' })).status).toBe(400)
    expect((await raw.post(`/campaigns/${id}/pause`, {})).status).toBe(200)
  })

  test.each([
    '/nope',
    '/campaigns/',
    '//campaigns',
    '/campaigns/a/b',
    '/campaigns/%zz',
    '/contacts',
    '/templates',
    '/',
  ])('GET %s is not there', async (path) => {
    const raw = await signIn(await startSandbox())
    expect(await raw.get(path)).toMatchObject({ status: 404, body: { error: expect.any(String) } })
  })

  test('another method on a known path and a path outside the version are not there', async () => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const headers = { Authorization: `Bearer ${accessToken}` }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
      expect((await request(sandbox, method, '/campaigns', headers)).status).toBe(404)
    expect((await fetch(sandbox.baseUrl.replace('/v1', '/v2/campaigns'), { headers })).status).toBe(404)
    expect((await fetch(sandbox.baseUrl.replace('/v1', '/'), { headers })).status).toBe(404)
  })

  test('every list and record answers an unknown credential with 401 and the error shape', async () => {
    const stranger = rawWith(await startSandbox(), {})
    for (const path of [
      '/campaigns',
      `/campaigns/${unknownId}`,
      '/messages',
      `/messages/${unknownId}`,
      '/scheduled-messages',
      '/dnc',
      '/dnc/check?phone_number=1',
      '/analytics/overview',
      '/analytics/billing-summary',
      '/dashboard',
      '/webhooks/subscriptions',
      '/error-codes/search?q=a',
    ])
      expect(await stranger.get(path)).toMatchObject({ status: 401, body: { error: expect.any(String) } })
    for (const path of [
      '/contacts',
      '/templates',
      '/ott/messages',
      '/webhooks',
      '/auth/logout',
      '/auth/refresh',
    ])
      expect([path, (await stranger.post(path)).status]).toEqual([path, 401])
    for (const path of [`/contacts/${unknownId}`, `/ott/templates/${unknownId}`])
      expect([path, (await stranger.remove(path)).status]).toEqual([path, 401])
    for (const path of ['/campaigns/x/pause', '/messages/x/release', '/webhooks/x/test'])
      expect([path, (await stranger.post(path)).status]).toEqual([path, 401])
  })
})

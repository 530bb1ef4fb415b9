import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { hangUp, json, raw } from '../../../../helpers/fixture-service.ts'
import { bulk, errorOf, loginAnswer, operator, startClient, type UnderTest } from './client-under-test.ts'
import { answerOf, endpoints } from './endpoints.ts'
import * as records from '../../../../helpers/spec-records.ts'

let under: UnderTest
beforeEach(async () => {
  under = await startClient()
})
afterEach(() => under.stop())

describe('every endpoint as in the spec', () => {
  test.each(endpoints)('$wire is sent and returns the record', async (endpoint) => {
    under.fixture.on(endpoint.wire, answerOf(endpoint))

    const returned = await endpoint.invoke(under.client)

    expect(returned).toEqual(endpoint.returns)
    expect(JSON.parse(JSON.stringify(returned))).toEqual(returned)
    const [request, ...others] = under.fixture.requests
    expect(others).toEqual([])
    expect(`${request?.method} ${request?.path}`).toBe(endpoint.wire)
    expect(Object.fromEntries(new URLSearchParams(request?.query))).toEqual(endpoint.query ?? {})
    expect(request?.body === '' ? undefined : JSON.parse(request?.body ?? '')).toEqual(endpoint.body)
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': 'key-SECRET-1',
    })
    expect(request?.headers.authorization).toBeUndefined()
  })

  test.each(endpoints)('$wire ignores fields outside the spec, and takes 200 for 201', async (endpoint) => {
    const widened = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(widened)
      const { data, ...rest } = value as Record<string, unknown>
      const more = { surprise: { deep: [1, null] }, constructor: 'x', toString: 3 }
      return { ...rest, ...(data === undefined ? {} : { data: widened(data) }), ...more }
    }
    under.fixture.on(endpoint.wire, json(endpoint.status === 201 ? 200 : 201, widened(endpoint.answer)))
    expect(await endpoint.invoke(under.client)).toEqual(endpoint.returns)
  })
})

describe('minimal and unusual answers', () => {
  test.each<[string, object, object]>([
    ['only an ID', { id: 'c1' }, { name: null, status: null, totalRecipients: null, startedAt: null }],
    ['an unknown state', { id: 'c1', status: 'Throttled!' }, { status: 'Throttled!' }],
    ['a number for its ID', { id: 77 }, { id: '77' }],
    [
      'numbers as text',
      { id: 'c1', sent_count: '1200', failed_count: 'many' },
      { sentCount: 1200, failedCount: null },
    ],
    [
      'numbers that are no counts',
      { id: 'c1', total_recipients: '1.234', sent_count: 0.97, failed_count: -3 },
      { totalRecipients: null, sentCount: null, failedCount: null },
    ],
    [
      'a time without zone',
      { id: 'c1', started_at: '2026-01-05T08:00:00' },
      { startedAt: '2026-01-05T08:00:00.000Z' },
    ],
    ['a time in the year 1', { id: 'c1', started_at: '0001-01-01T00:00:00Z' }, { startedAt: null }],
    ['a time in seconds', { id: 'c1', started_at: 1_767_600_000 }, { startedAt: '2026-01-05T08:00:00.000Z' }],
    [
      'a time of another zone',
      { id: 'c1', started_at: '2026-01-05T10:00:00.123456+02:00' },
      { startedAt: '2026-01-05T08:00:00.123Z' },
    ],
  ])('reads a campaign with %s', async (_what, record, campaign) => {
    under.fixture.on('GET /campaigns', json(200, records.envelope([record])))
    expect(await under.client.campaigns.list({}, operator)).toMatchObject({ items: [campaign] })
  })

  test('accepts error codes in an envelope', async () => {
    under.fixture.on('GET /error-codes/search', json(200, records.envelope([{ id: 'e', code: 4 }])))
    expect(await under.client.errorCodes.search({ text: 'x' }, operator)).toMatchObject({
      items: [{ code: '4' }],
    })
  })

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['{}', {}],
    ['a text', 'none'],
  ])('reads an unblocked number with an entry of %s as without entry', async (_name, entry) => {
    under.fixture.on('GET /dnc/check', json(200, { is_blocked: false, entry }))
    expect((await under.client.dnc.check({ phone: '+49' }, operator)).entry).toBeNull()
  })

  test.each([
    ['nothing at all', raw(204, {}), null],
    ['an empty body', raw(201, {}), null],
    ['plain text', raw(200, { 'Content-Type': 'text/plain' }, 'OK'), null],
    ['a message', json(201, { message: 'created' }), null],
    ['only an id text', json(200, '"wh-9"'), null],
    ['the record under data', json(201, { data: records.webhook }), { id: 'wh-1' }],
  ])('reads a created webhook answered with %s as created', async (_name, answer, subscription) => {
    under.fixture.on('POST /webhooks', answer)
    const created = under.client.webhooks.create({ url: 'https://x.example', events: ['dlr'] }, operator)
    expect(await created).toMatchObject({ subscription })
  })

  test.each(['DELETE /contacts/c1', 'DELETE /ott/templates/c1'])('%s with 204 is done', async (wire) => {
    under.fixture.on(wire, raw(204, {}))
    const call = wire.includes('contacts') ? under.client.contacts : under.client.templates
    expect(await call.delete('c1', operator)).toEqual({ message: null })
  })

  test('accepts JSON labelled as plain text, with a byte order mark', async () => {
    under.fixture.on(
      'GET /dashboard',
      raw(200, { 'Content-Type': 'text/plain' }, `\uFEFF${JSON.stringify(records.dashboard)}`),
    )
    expect((await under.read()).messagesToday).toBe(12)
  })

  test('keeps tags with __proto__ and emoji unchanged in both directions, and mends half a character of an answer', async () => {
    const tags = JSON.parse('{"__proto__":"x","constructor":"y","😀":"‮rtl","a":"\\ud800"}') as Record<
      string,
      string
    >
    under.fixture.on('POST /contacts', (socket, request) =>
      socket.end(json(201, { id: 'c1', tags: JSON.parse(request.body).tags })),
    )
    const created = await under.client.contacts.create({ name: '', phone: '+49', email: '', tags }, bulk)
    expect(Object.entries(created.tags)).toEqual(Object.entries({ ...tags, a: '\ufffd' }))
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    expect(Object.getPrototypeOf(created.tags)).toBe(Object.prototype)
  })
})

describe('names the spec leaves open', () => {
  const proven = <T>(value: T) => ({ value, provenance: 'proven' as const })

  test('follow the current field names at each call', async () => {
    await under.stop()
    const fieldNames = {
      ...defaultFieldNames,
      dncCheckParameter: proven('number'),
      errorCodeSearchParameter: proven('search'),
      analyticsDates: proven({ startParameter: 'from', endParameter: 'to', format: 'date-time' as const }),
    }
    under = await startClient({ fieldNames })
    under.fixture.on('GET /dnc/check', json(200, { is_blocked: false }))
    under.fixture.on('GET /error-codes/search', json(200, []))
    under.fixture.on('GET /analytics/overview', json(200, records.analyticsOverview))
    expect((await under.client.dnc.check({ phone: '+1' }, operator)).verdict).toBe('clear')
    await under.client.errorCodes.search({ text: 'a' }, operator)
    await under.client.analytics.overview({ startDate: '2026-01-01', endDate: '2026-01-02' }, operator)
    expect(under.fixture.requests.map(({ query }) => decodeURIComponent(query))).toEqual([
      'number=+1',
      'search=a',
      'from=2026-01-01T00:00:00Z&to=2026-01-02T23:59:59Z',
    ])
  })
})

describe('requests refused before sending', () => {
  const span = (startDate: string, endDate: string) => ({ startDate, endDate })
  test.each<[string, (under: UnderTest) => Promise<unknown>]>([
    ['page 0', ({ client }) => client.dnc.list({ page: 0 }, operator)],
    ['half a page', ({ client }) => client.dnc.list({ page: 1.5 }, operator)],
    ['101 per page', ({ client }) => client.dnc.list({ perPage: 101 }, operator)],
    ['an empty id', ({ client }) => client.contacts.delete('', operator)],
    ['an id of dots', ({ client }) => client.messages.get('..', operator)],
    ['an invalid day', ({ client }) => client.analytics.overview(span('2026-02-30', '2026-03-01'), operator)],
    [
      'a reversed period',
      ({ client }) => client.analytics.overview(span('2026-02-02', '2026-02-01'), operator),
    ],
  ])('%s', async (_name, invoke) => {
    expect((await errorOf(invoke(under))).code).toBe('INVALID_INPUT')
    expect(under.fixture.requests).toEqual([])
  })
})

describe('signing in and out', () => {
  beforeEach(async () => {
    await under.stop()
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', loginAnswer())
  })

  test('sends name and password alone, then the access token, and refreshes without a body', async () => {
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-SECRET-2' }))
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.login('pw-SECRET-1')
    const session = { refreshTokenEndsAt: '2026-01-12T09:00:00.000Z' }
    expect(under.saved).toEqual([{ refreshToken: 'refresh-SECRET-1', ...session }])
    expect(under.credentials.state()).toEqual({ status: 'signed-in', problem: null, ...session })
    await under.read()
    await under.clock.advance(901_000)
    await under.read()
    const asked = under.fixture.requests.map(({ method, path, headers, body }) => [
      `${method} ${path}`,
      headers.authorization,
      body,
    ])
    expect(asked).toEqual([
      ['POST /auth/login', undefined, '{"username":"ada","password":"pw-SECRET-1"}'],
      ['GET /dashboard', 'Bearer access-SECRET-1', ''],
      ['POST /auth/refresh', 'Bearer refresh-SECRET-1', ''],
      ['GET /dashboard', 'Bearer access-SECRET-2', ''],
    ])
    expect(under.fixture.requests[0]?.headers['x-api-key']).toBeUndefined()
  })

  const page = (status: number) => raw(status, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>')
  test.each<[string, Buffer, string, unknown]>([
    ['a wrong password', json(401, { error: 'no ada, pw-SECRET-1' }), 'WRONG_PASSWORD', 'no ada, [secret]'],
    ['a rate limit', json(429, { error: 'slow' }, { 'Retry-After': '30' }), 'RATE_LIMITED', 'slow'],
    ['a Base URL without a sign-in', json(404, { error: 'none here' }), 'NOT_THE_SERVICE', 'none here'],
    ['a web page', page(200), 'NOT_THE_SERVICE', undefined],
    ['a web page with 401', page(401), 'NOT_THE_SERVICE', { key: 'answer.status', status: '401' }],
    ['no access token', json(200, { refresh_token: 'r', expires_in: 900 }), 'BAD_ANSWER', undefined],
    ['no refresh token', json(200, { access_token: 'a', expires_in: 900 }), 'BAD_ANSWER', undefined],
  ])('names %s, once', async (_what, answer, code, serviceText) => {
    under.fixture.on('POST /auth/login', answer)
    const { code: found, data } = await errorOf(under.login('pw-SECRET-1'))
    expect([found, data['serviceText']]).toEqual([code, serviceText])
    expect(under.credentials.state().status).toBe('signed-out')
    expect(under.saved).toEqual([])
    expect(under.fixture.requests).toHaveLength(1)
  })

  test('retries a broken login once', async () => {
    under.fixture.on('POST /auth/login', hangUp, loginAnswer())
    await under.settled(under.login())
    expect(under.credentials.state().status).toBe('signed-in')
  })
})

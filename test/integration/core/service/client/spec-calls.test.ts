import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { json, raw } from '../../../../helpers/fixture-service.ts'
import { bulk, errorOf, loginAnswer, operator, startClient, type UnderTest } from './client-under-test.ts'
import { answerOf, endpoints } from './endpoints.ts'
import * as records from '../../../../helpers/spec-records.ts'

let under: UnderTest
beforeEach(async () => {
  under = await startClient()
})
afterEach(() => under.stop())

describe('every endpoint as in the spec', () => {
  test.each(endpoints)('$name sends $wire and returns the record', async (endpoint) => {
    under.fixture.on(endpoint.wire, answerOf(endpoint))

    const returned = await endpoint.invoke(under.client)

    expect(returned).toEqual(endpoint.returns)
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

  test.each(endpoints)('$name returns values that survive JSON', async (endpoint) => {
    under.fixture.on(endpoint.wire, answerOf(endpoint))
    const returned = await endpoint.invoke(under.client)
    expect(JSON.parse(JSON.stringify(returned))).toEqual(returned)
  })

  test.each(endpoints)('$name accepts 200 and 201 alike', async (endpoint) => {
    under.fixture.on(endpoint.wire, json(endpoint.status === 201 ? 200 : 201, endpoint.answer))
    expect(await endpoint.invoke(under.client)).toEqual(endpoint.returns)
  })

  test.each(endpoints)('$name ignores fields outside the spec', async (endpoint) => {
    const more = { surprise: { deep: [1, null] }, constructor: 'x', toString: 3 }
    const answer = Array.isArray(endpoint.answer)
      ? endpoint.answer.map((item) => ({ ...item, ...more }))
      : 'data' in Object(endpoint.answer)
        ? {
            ...(endpoint.answer as object),
            ...more,
            data: (endpoint.answer as { data: object[] }).data.map((item) => ({ ...item, ...more })),
          }
        : { ...(endpoint.answer as object), ...more }
    under.fixture.on(endpoint.wire, json(200, answer))
    expect(await endpoint.invoke(under.client)).toEqual(endpoint.returns)
  })

  test('sends a plus in a number as %2B, never as a space', async () => {
    under.fixture.on('GET /dnc/check', json(200, { is_blocked: true }))
    await under.client.dnc.check({ phone: '+49151' }, operator)
    expect(under.fixture.requests[0]?.query).toBe('phone_number=%2B49151')
  })
})

describe('minimal and unusual answers', () => {
  test('accepts a campaign with only an ID', async () => {
    under.fixture.on('GET /campaigns/c1', json(200, { id: 'c1' }))
    const campaign = await under.client.campaigns.get('c1', operator)
    const { id, ...rest } = campaign
    expect(id).toBe('c1')
    expect(new Set(Object.values(rest))).toEqual(new Set([null]))
  })

  test('keeps unknown states unchanged', async () => {
    under.fixture.on(
      'GET /campaigns',
      json(200, records.envelope([{ ...records.campaign, status: 'Throttled!' }])),
    )
    const page = await under.client.campaigns.list({}, operator)
    expect(page.items[0]?.status).toBe('Throttled!')
  })

  test('reads numbers as text, numeric IDs, times without zone or in seconds, and the year 1', async () => {
    under.fixture.on(
      'GET /campaigns/77',
      json(200, {
        id: 77,
        sent_count: '1200',
        failed_count: 'many',
        started_at: '2026-01-05T08:00:00',
        completed_at: '0001-01-01T00:00:00Z',
        created_at: 1_767_600_000,
        updated_at: '2026-01-05T10:00:00.123456+02:00',
      }),
    )
    expect(await under.client.campaigns.get('77', operator)).toMatchObject({
      id: '77',
      sentCount: 1200,
      failedCount: null,
      startedAt: '2026-01-05T08:00:00.000Z',
      completedAt: null,
      createdAt: '2026-01-05T08:00:00.000Z',
      updatedAt: '2026-01-05T08:00:00.123Z',
    })
  })

  test('reads null as an empty list', async () => {
    under.fixture.on('GET /dnc', json(200, { data: null, total: 0, page: 1, per_page: 20 }))
    expect((await under.client.dnc.list({}, operator)).items).toEqual([])
  })

  test('reads an envelope without page and per_page as the requested page', async () => {
    under.fixture.on('GET /dnc', json(200, { data: [records.dncEntry], total: '250' }))
    expect(await under.client.dnc.list({ page: 3, perPage: 100 }, operator)).toMatchObject({
      total: 250,
      page: 3,
      perPage: 100,
    })
  })

  test('accepts error codes in an envelope', async () => {
    under.fixture.on(
      'GET /error-codes/search',
      json(200, records.envelope([{ ...records.errorCode, code: 4 }])),
    )
    expect(await under.client.errorCodes.search({ text: 'x' }, operator)).toMatchObject([{ code: '4' }])
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
    ['nothing at all', raw(204, {})],
    ['an empty body', raw(201, {})],
    ['plain text', raw(200, { 'Content-Type': 'text/plain' }, 'OK')],
    ['a message', json(201, { message: 'created' })],
    ['only an id text', json(200, '"wh-9"')],
  ])(
    'reads a created webhook answered with %s as created, with its record in the list',
    async (_name, answer) => {
      under.fixture.on('POST /webhooks', answer)
      expect(
        await under.client.webhooks.create({ url: 'https://x.example', events: ['dlr'] }, operator),
      ).toEqual({
        subscription: null,
      })
    },
  )

  test('finds a created webhook under data', async () => {
    under.fixture.on('POST /webhooks', json(201, { data: records.webhook }))
    const { subscription } = await under.client.webhooks.create(
      { url: 'https://x.example', events: [] },
      operator,
    )
    expect(subscription?.id).toBe('wh-1')
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
    expect((await under.client.dashboard.get(operator)).messagesToday).toBe(12)
  })

  test('keeps tags with __proto__, emoji and lone surrogates unchanged in both directions', async () => {
    const tags = JSON.parse('{"__proto__":"x","constructor":"y","😀":"‮rtl","a":"\\ud800"}') as Record<
      string,
      string
    >
    under.fixture.on('POST /contacts', (socket, request) =>
      socket.end(json(201, { id: 'c1', tags: JSON.parse(request.body).tags })),
    )
    const created = await under.client.contacts.create({ name: '', phone: '+49', email: '', tags }, bulk)
    expect(Object.entries(created.tags)).toEqual(Object.entries(tags))
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    expect(Object.getPrototypeOf(created.tags)).toBe(Object.prototype)
  })
})

describe('names the spec leaves open', () => {
  const proven = <T>(value: T) => ({ value, provenance: 'proven' as const })

  test('follow the current field names at each call', async () => {
    await under.stop()
    const { defaultFieldNames } = await import('#electron/core/service/field-names/default-field-names.ts')
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

  test('do not call a number clear while only assumed', async () => {
    under.fixture.on('GET /dnc/check', json(200, { is_blocked: false, entry: null }))
    expect((await under.client.dnc.check({ phone: '+1' }, operator)).verdict).toBe('not-proven')
  })
})

describe('requests refused before sending', () => {
  test.each<[string, (under: UnderTest) => Promise<unknown>]>([
    ['page 0', ({ client }) => client.dnc.list({ page: 0 }, operator)],
    ['half a page', ({ client }) => client.dnc.list({ page: 1.5 }, operator)],
    ['101 per page', ({ client }) => client.dnc.list({ perPage: 101 }, operator)],
    ['an empty id', ({ client }) => client.contacts.delete('', operator)],
    ['an id of dots', ({ client }) => client.messages.get('..', operator)],
    [
      'an invalid day',
      ({ client }) => client.analytics.overview({ startDate: '2026-02-30', endDate: '2026-03-01' }, operator),
    ],
    [
      'a reversed period',
      ({ client }) =>
        client.analytics.billingSummary({ startDate: '2026-02-02', endDate: '2026-02-01' }, operator),
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

  test('sends name and password without a credential and keeps the session', async () => {
    await under.client.auth.login({ username: 'ada', password: 'pw-SECRET-1' }, operator)
    const [request] = under.fixture.requests
    expect(JSON.parse(request?.body ?? '')).toEqual({ username: 'ada', password: 'pw-SECRET-1' })
    expect(request?.headers.authorization).toBeUndefined()
    expect(request?.headers['x-api-key']).toBeUndefined()
    expect(under.saved).toEqual([
      { refreshToken: 'refresh-SECRET-1', refreshTokenEndsAt: '2026-01-12T09:00:00.000Z' },
    ])
    expect(under.credentials.state()).toEqual({
      status: 'signed-in',
      refreshTokenEndsAt: '2026-01-12T09:00:00.000Z',
    })
  })

  test('adds the access token to calls, and refreshes with the refresh token and no body', async () => {
    under.fixture.on('POST /auth/refresh', json(200, { access_token: 'access-SECRET-2' }))
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
    await under.client.dashboard.get(operator)
    await under.clock.advance(901_000)
    await under.client.dashboard.get(operator)
    expect(
      under.fixture.requests.map(({ method, path, headers, body }) => [
        method,
        path,
        headers.authorization,
        body,
      ]),
    ).toEqual([
      ['POST', '/auth/login', undefined, '{"username":"ada","password":"pw"}'],
      ['GET', '/dashboard', 'Bearer access-SECRET-1', ''],
      ['POST', '/auth/refresh', 'Bearer refresh-SECRET-1', ''],
      ['GET', '/dashboard', 'Bearer access-SECRET-2', ''],
    ])
  })

  test('tells the service about a logout and forgets both tokens', async () => {
    under.fixture.on('POST /auth/logout', json(200, { message: 'bye' }))
    await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
    expect(await under.client.auth.logout(operator)).toEqual({ endedAtService: true })
    expect(under.fixture.asked('POST /auth/logout')[0]?.headers.authorization).toBe('Bearer access-SECRET-1')
    expect(under.saved.at(-1)).toBeNull()
    expect(under.credentials.state().status).toBe('signed-out')
    expect((await errorOf(under.client.dashboard.get(operator))).code).toBe('SIGNED_OUT')
  })

  test('forgets the session even when the logout fails, and says so', async () => {
    under.fixture.on('POST /auth/logout', json(500, { error: 'no' }))
    await under.client.auth.login({ username: 'ada', password: 'pw' }, operator)
    expect(await under.client.auth.logout(operator)).toEqual({ endedAtService: false })
    expect(under.saved.at(-1)).toBeNull()
  })

  test('quotes the service for a wrong password, without the password', async () => {
    under.fixture.on('POST /auth/login', json(401, { error: 'no user ada with pw-SECRET-1' }))
    const error = await errorOf(
      under.client.auth.login({ username: 'ada', password: 'pw-SECRET-1' }, operator),
    )
    expect(error.code).toBe('WRONG_PASSWORD')
    expect(error.data['serviceText']).toBe('no user ada with [secret]')
    expect(under.credentials.state().status).toBe('signed-out')
    expect(under.fixture.requests).toHaveLength(1)
  })

  test('does not accept a Base URL without a sign-in as the service', async () => {
    under.fixture.on('POST /auth/login', json(404, { error: 'nothing here' }))
    expect((await errorOf(under.client.auth.login({ username: 'a', password: 'b' }, operator))).code).toBe(
      'NOT_THE_SERVICE',
    )
  })
})

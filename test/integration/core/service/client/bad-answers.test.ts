import { englishText, type Said } from '#electron/contract/phrases.ts'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { type FixtureAnswer, hangUp, json, raw, reset } from '../../../../helpers/fixture-service.ts'
import { errorOf, operator, startClient, type UnderTest } from './client-under-test.ts'
import { endpoints } from './endpoints.ts'
import * as records from '../../../../helpers/spec-records.ts'

const html = '<!DOCTYPE html><html><body>Sign in to AirportWiFi</body></html>'
const asHtml = { 'Content-Type': 'text/html; charset=utf-8' }
const asJson = { 'Content-Type': 'application/json' }
const campaignText = JSON.stringify(records.campaign)
const tenMiB = 'x'.repeat(10 * 1024 * 1024)
const campaignWithoutId = { ...records.campaign, id: undefined }

/** Bytes, then the end of the connection although more was promised. */
const cutOff =
  (bytes: Buffer): FixtureAnswer =>
  (socket) =>
    socket.end(bytes)

/** Bad answer to GET /campaigns/{id} → the error of a read. Permanent faults are never retried. */
const badRecords: [string, FixtureAnswer, ErrorCode, tries?: number][] = [
  ['an HTML page with 200', raw(200, asHtml, html), 'NOT_THE_SERVICE'],
  ['an HTML page labelled as JSON', raw(200, asJson, html), 'NOT_THE_SERVICE'],
  ['an HTML page with 404', raw(404, asHtml, html), 'NOT_THE_SERVICE'],
  ['an HTML page with 405', raw(405, asHtml, html), 'NOT_THE_SERVICE'],
  [
    'an XML document',
    raw(200, { 'Content-Type': 'text/xml' }, '<?xml version="1.0"?><a/>'),
    'NOT_THE_SERVICE',
  ],
  ['plain text', raw(200, { 'Content-Type': 'text/plain' }, 'it works!'), 'BAD_ANSWER'],
  ['JSON cut off in the middle', raw(200, asJson, campaignText.slice(0, 80)), 'BAD_ANSWER'],
  ['two JSON documents', raw(200, asJson, campaignText + campaignText), 'BAD_ANSWER'],
  ['an empty body', raw(200, asJson), 'BAD_ANSWER'],
  ['white space', raw(200, asJson, ' \n '), 'BAD_ANSWER'],
  ['204 where a record is needed', raw(204, {}), 'BAD_ANSWER'],
  ['205 without a body', raw(205, {}), 'BAD_ANSWER'],
  [
    'bytes that are not UTF-8',
    raw(200, asJson, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
    'BAD_ANSWER',
  ],
  ['null', json(200, null), 'BAD_ANSWER'],
  ['a number', json(200, 7), 'BAD_ANSWER'],
  ['a text', json(200, 'ok'), 'BAD_ANSWER'],
  ['an array', json(200, [records.campaign]), 'BAD_ANSWER'],
  ['an empty object', json(200, {}), 'BAD_ANSWER'],
  ['an error text with status 200', json(200, { error: 'not found' }), 'BAD_ANSWER'],
  ['a record without id', json(200, campaignWithoutId), 'BAD_ANSWER'],
  ['a record with an empty id', json(200, { ...records.campaign, id: '' }), 'BAD_ANSWER'],
  ['a record with a null id', json(200, { ...records.campaign, id: null }), 'BAD_ANSWER'],
  ['a record with an object for id', json(200, { ...records.campaign, id: {} }), 'BAD_ANSWER'],
  ['a record with a fractional id', json(200, { ...records.campaign, id: 1.5 }), 'BAD_ANSWER'],
  ['another record', json(200, { ...records.campaign, id: 'someone-else' }), 'BAD_ANSWER'],
  ['the record in an envelope', json(200, { data: records.campaign }), 'BAD_ANSWER'],
  ['10 MiB', raw(200, asJson, `"${tenMiB}"`), 'ANSWER_TOO_LARGE'],
  [
    '10 MiB without a length',
    (socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"${tenMiB}"`),
    'ANSWER_TOO_LARGE',
  ],
  [
    '10 MiB packed into 10 KiB',
    raw(200, { ...asJson, 'Content-Encoding': 'gzip' }, gzipSync(`"${tenMiB}"`)),
    'ANSWER_TOO_LARGE',
  ],
  [
    'a promise of 10 GiB',
    cutOff(raw(200, { ...asJson, 'Content-Length': '10737418240' }, '{')),
    'ANSWER_TOO_LARGE',
  ],
  [
    'broken compression',
    raw(200, { ...asJson, 'Content-Encoding': 'gzip' }, 'not gzip at all'),
    'BAD_ANSWER',
  ],
  ['302 elsewhere', raw(302, { Location: 'https://login.example/?next=%2F' }), 'SERVICE_REDIRECTED'],
  ['301 without a location', raw(301, {}), 'SERVICE_REDIRECTED'],
  ['307', raw(307, { Location: '/v2/campaigns' }), 'SERVICE_REDIRECTED'],
  ['308', raw(308, { Location: 'http://127.0.0.1/' }), 'SERVICE_REDIRECTED'],
  ['304', raw(304, {}), 'SERVICE_REDIRECTED'],
  ['400', json(400, { error: 'bad id' }), 'SERVICE_REJECTED'],
  ['401', json(401, { error: 'key revoked' }), 'API_KEY_REFUSED'],
  ['403', json(403, { error: 'not yours' }), 'FORBIDDEN'],
  ['404', json(404, { error: 'no such campaign' }), 'SERVICE_NOT_FOUND'],
  ['409', json(409, { error: 'not now' }), 'SERVICE_REJECTED'],
  ['418', json(418, { error: 'teapot' }), 'SERVICE_REJECTED'],
  ['422', json(422, { message: 'unprocessable' }), 'SERVICE_REJECTED'],
  ['501', json(501, { error: 'not built' }), 'SERVICE_FAILED'],
  ['500, again and again', json(500, { error: 'oops' }), 'SERVICE_FAILED', 5],
  ['repeated 502 with a page', raw(502, asHtml, html), 'SERVICE_FAILED', 5],
  ['408, again and again', json(408, { error: 'slow' }), 'SERVICE_FAILED', 5],
  ['429, again and again', json(429, { error: 'too many' }), 'RATE_LIMITED', 6],
  ['status 700', json(700, {}), 'BAD_ANSWER'],
  ['status 99', (socket) => socket.end('HTTP/1.1 099 Odd\r\n\r\n'), 'BAD_ANSWER'],
  ['no HTTP at all', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'), 'BAD_ANSWER'],
  [
    'a body shorter than promised',
    cutOff(raw(200, { ...asJson, 'Content-Length': '4000' }, campaignText)),
    'SERVICE_UNREACHABLE',
    5,
  ],
  [
    'chunks that break off',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"id"\r\n'),
    'SERVICE_UNREACHABLE',
    5,
  ],
  ['a closed connection', hangUp, 'SERVICE_UNREACHABLE', 5],
  ['a reset connection', reset, 'SERVICE_UNREACHABLE', 5],
]

let under: UnderTest
beforeEach(async () => {
  under = await startClient()
})
afterEach(() => under.stop())

describe('a read', () => {
  test.each(badRecords)(
    'answered with %s fails with its own error',
    async (_name, answer, code, tries = 1) => {
      under.fixture.on(`GET /campaigns/${records.campaign.id}`, answer)
      const error = await errorOf(under.settled(under.client.campaigns.get(records.campaign.id, operator)))
      expect(error.code).toBe(code)
      expect(error.message).not.toMatch(/undefined|\[object|Error:|\n/)
      expect(under.fixture.requests).toHaveLength(tries)
    },
  )
})

test('a compressed answer is read', async () => {
  const compressed = raw(200, { ...asJson, 'Content-Encoding': 'gzip' }, gzipSync(campaignText))
  under.fixture.on(`GET /campaigns/${records.campaign.id}`, compressed)
  const { id } = await under.settled(under.client.campaigns.get(records.campaign.id, operator))
  expect(id).toBe(records.campaign.id)
})

/** After one of these the service certainly did nothing. */
const certainlyNot: ErrorCode[] = [
  'SERVICE_REDIRECTED',
  'SERVICE_REJECTED',
  'API_KEY_REFUSED',
  'FORBIDDEN',
  'SERVICE_NOT_FOUND',
  'RATE_LIMITED',
]

// Any ID is valid for a created record.
const badCreations = badRecords.filter(([name]) => name !== 'another record')

describe('a POST', () => {
  test.each(badCreations)(
    'answered with %s is never done, and unconfirmed unless certainly not done',
    async (name, answer, code) => {
      under.fixture.on('POST /contacts', answer)
      const input = { name: 'Ada', phone: '+49', email: '', tags: {} }
      const error = await errorOf(under.settled(under.client.contacts.create(input, operator)))
      const isPage404 = code === 'NOT_THE_SERVICE' && /40[45]/.test(name)
      if (isPage404) expect(error.code).toBe('NOT_THE_SERVICE')
      else if (certainlyNot.includes(code)) expect(error.code).toBe(code)
      else {
        expect(error.code).toBe('OUTCOME_UNKNOWN')
        expect(error.data).toMatchObject({ reason: code, call: 'POST /contacts' })
      }
      expect(under.fixture.requests).toHaveLength(code === 'RATE_LIMITED' ? 6 : 1)
    },
  )
})

describe('a list', () => {
  test.each<[string, unknown]>([
    ['no data', { total: 0, page: 1, per_page: 20 }],
    ['data that is an object', { data: {}, total: 1 }],
    ['no total', { data: [], page: 1, per_page: 20 }],
    ['an invalid total', { data: [], total: 'many' }],
    ['a total below zero', { data: [], total: -1 }],
    ['half a total', { data: [], total: 1.5 }],
    ['a bare array', [records.dncEntry]],
  ])('with %s is refused', async (_name, answer) => {
    under.fixture.on('GET /dnc', json(200, answer))
    expect((await errorOf(under.client.dnc.list({}, operator))).code).toBe('BAD_ANSWER')
  })

  test('keeps each DNC record: a lost entry could be a number that gets called', async () => {
    const { id: _, ...withoutId } = records.dncEntry
    const given = [withoutId, { ...records.dncEntry, phone_number: {} }, { id: 'x' }, null, '+447700900001']
    under.fixture.on('GET /dnc', json(200, records.envelope(given, given.length)))
    const { items } = await under.client.dnc.list({}, operator)
    const numbers = items.map(({ phoneNumber }) => phoneNumber)
    expect(numbers).toEqual([records.dncEntry.phone_number, '', '', '', '+447700900001'])
  })

  test('skips a record that cannot be read and names no value of it', async () => {
    const given = [records.campaign, { ...records.campaign, id: null }]
    under.fixture.on('GET /campaigns', json(200, records.envelope(given, 2)))
    expect(await under.client.campaigns.list({}, operator)).toMatchObject({ unreadable: 1, items: [{}] })
    under.fixture.on('GET /campaigns', json(200, records.envelope([{ id: ['SECRET'] }], 1)))
    const error = await errorOf(under.client.campaigns.list({}, operator))
    expect(error.code).toBe('BAD_ANSWER')
    expect(error.message).not.toContain('SECRET')
  })
})

describe('other impossible answers', () => {
  test.each<[string, string, unknown]>([
    ['a DNC check without verdict', 'dnc.check', { entry: null }],
    ['a DNC check whose verdict is a text', 'dnc.check', { is_blocked: 'no' }],
    ['a dashboard without any figure', 'dashboard.get', {}],
    ['an overview of another kind', 'analytics.overview', { total_revenue: 1 }],
    ['a billing summary that is a list', 'analytics.billingSummary', []],
    ['error codes as one record', 'errorCodes.search', records.errorCode],
    ['a deletion that reports an error', 'contacts.delete', { error: 'in use' }],
  ])('%s', async (_name, endpointName, answer) => {
    const endpoint = endpoints.find(({ name }) => name === endpointName)!
    under.fixture.on(endpoint.wire, json(200, answer))
    expect((await errorOf(endpoint.invoke(under.client))).code).toBe('BAD_ANSWER')
  })

  test.each<[string, unknown, string]>([
    ['campaigns.list', [], 'the body is a list, not an object'],
    ['campaigns.list', { data: 'none', total: 0 }, 'data is text, not a list'],
    ['campaigns.list', { data: [7], total: 1 }, 'data.0 is a number, not an object'],
    ['campaigns.list', { total: 0 }, 'data is missing'],
    ['campaigns.list', null, 'the body is null, not an object'],
    ['dnc.check', {}, 'is_blocked isn’t true or false'],
  ])('%s answered with %j names the fault plainly', async (endpointName, answer, detail) => {
    const endpoint = endpoints.find(({ name }) => name === endpointName)!
    under.fixture.on(endpoint.wire, json(200, answer))
    const error = await errorOf(endpoint.invoke(under.client))
    expect(error.message).toContain(`: ${detail}.`)
    expect(error.message).not.toContain('Invalid input')
  })

  test.each(['contacts.delete', 'templates.delete'])(
    '%s answered with a page is not done',
    async (endpointName) => {
      const endpoint = endpoints.find(({ name }) => name === endpointName)!
      under.fixture.on(endpoint.wire, raw(200, asHtml, html))
      expect((await errorOf(endpoint.invoke(under.client))).code).toBe('NOT_THE_SERVICE')
    },
  )

  test.each(['webhooks.create', 'webhooks.test', 'messages.release'])(
    '%s answered with a page is unconfirmed',
    async (endpointName) => {
      const endpoint = endpoints.find(({ name }) => name === endpointName)!
      under.fixture.on(endpoint.wire, raw(200, asHtml, html))
      expect((await errorOf(endpoint.invoke(under.client))).code).toBe('OUTCOME_UNKNOWN')
    },
  )
})

describe('the service’s words', () => {
  const rejected = async (body: unknown) => {
    under.fixture.on('GET /dashboard', json(400, body))
    return (await errorOf(under.client.dashboard.get(operator))).data['serviceText']
  }

  test.each<[unknown, string]>([
    [{ error: 'phone is not valid' }, 'phone is not valid'],
    [{ message: 'phone is not valid' }, 'phone is not valid'],
    [{ error: { message: 'nested' } }, 'nested'],
    [{ error: '' }, 'status 400'],
    [{ error: 7 }, 'status 400'],
    ['bare', 'status 400'],
    [{ error: 'two\nlines\u0000\u001b[31m' }, 'two lines [31m'],
  ])('%j are quoted as "%s"', async (body, text) => {
    expect(englishText((await rejected(body)) as Said)).toBe(text)
  })

  test.each([
    [{ error: 'no database' }, 'The service failed (status 501: “no database”). '],
    [{}, 'The service failed (status 501). '],
  ])('of a failure, %j, follow its status, which is said once', async (body, text) => {
    under.fixture.on('GET /dashboard', json(501, body))
    expect((await errorOf(under.client.dashboard.get(operator))).message).toContain(text)
    under.fixture.on('POST /contacts', json(501, body))
    const input = { name: 'Ada', phone: '+49', email: '', tags: {} }
    const { data } = await errorOf(under.client.contacts.create(input, operator))
    expect(data).toMatchObject({ status: 501, serviceText: 'error' in body ? body.error : '' })
  })

  test('are cut at 300 characters', async () => {
    expect(await rejected({ error: 'x'.repeat(5_000) })).toHaveLength(300)
  })

  test('never repeat the credential or a token', async () => {
    const text = await rejected({
      error: 'key key-SECRET-1 and Bearer abc.def and eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln are refused',
    })
    expect(text).toBe('key [secret] and Bearer [secret] and [secret] are refused')
  })
})

test('counts any answer as reachable, even a failure, but not a missing one', async () => {
  under.fixture.on('GET /dashboard', json(400, { error: 'no' }))
  await errorOf(under.client.dashboard.get(operator))
  under.fixture.on('GET /dashboard', hangUp, json(200, records.dashboard))
  await under.settled(under.client.dashboard.get(operator))
  expect(under.observed).toEqual(['answered', 'SERVICE_UNREACHABLE', 'answered'])
})

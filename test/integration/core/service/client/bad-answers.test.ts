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
const asXml = { 'Content-Type': 'text/xml' }
const asText = { 'Content-Type': 'text/plain' }
const asJson = { 'Content-Type': 'application/json' }
const packed = { ...asJson, 'Content-Encoding': 'gzip' }
const long = (length: number) => ({ ...asJson, 'Content-Length': String(length) })
const notUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])
const campaignText = JSON.stringify(records.campaign)
const tenMiB = 'x'.repeat(10 * 1024 * 1024)
const withId = (id: unknown) => json(200, { ...records.campaign, id })
/** Exact text, then the end of the connection. */
const text =
  (written: string): FixtureAnswer =>
  (socket) =>
    socket.end(written)

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Bad answer to GET /campaigns/{id} → the error of a read. Permanent faults are never retried. */
const badRecords: [string, FixtureAnswer, ErrorCode, tries?: number][] = [
  ['an HTML page with 200', raw(200, asHtml, html), 'NOT_THE_SERVICE'],
  ['an HTML page labelled as JSON', raw(200, asJson, html), 'NOT_THE_SERVICE'],
  ['an HTML page with 404', raw(404, asHtml, html), 'NOT_THE_SERVICE'],
  ['an HTML page with 405', raw(405, asHtml, html), 'NOT_THE_SERVICE'],
  ['an XML document', raw(200, asXml, '<?xml version="1.0"?><a/>'), 'NOT_THE_SERVICE'],
  ['plain text', raw(200, asText, 'it works!'), 'BAD_ANSWER'],
  ['JSON cut off in the middle', raw(200, asJson, campaignText.slice(0, 80)), 'BAD_ANSWER'],
  ['two JSON documents', raw(200, asJson, campaignText + campaignText), 'BAD_ANSWER'],
  ['an empty body', raw(200, asJson), 'BAD_ANSWER'],
  ['white space', raw(200, asJson, ' \n '), 'BAD_ANSWER'],
  ['204 where a record is needed', raw(204, {}), 'BAD_ANSWER'],
  ['205 without a body', raw(205, {}), 'BAD_ANSWER'],
  ['bytes that are not UTF-8', raw(200, asJson, notUtf8), 'BAD_ANSWER'],
  ['null', json(200, null), 'BAD_ANSWER'],
  ['a number', json(200, 7), 'BAD_ANSWER'],
  ['a text', json(200, 'ok'), 'BAD_ANSWER'],
  ['an array', json(200, [records.campaign]), 'BAD_ANSWER'],
  ['an empty object', json(200, {}), 'BAD_ANSWER'],
  ['an error text with status 200', json(200, { error: 'not found' }), 'BAD_ANSWER'],
  ['a record without id', withId(undefined), 'BAD_ANSWER'],
  ['a record with an empty id', withId(''), 'BAD_ANSWER'],
  ['a record with a null id', withId(null), 'BAD_ANSWER'],
  ['a record with an object for id', withId({}), 'BAD_ANSWER'],
  ['a record with a fractional id', withId(1.5), 'BAD_ANSWER'],
  ['another record', withId('someone-else'), 'BAD_ANSWER'],
  ['the record in an envelope', json(200, { data: records.campaign }), 'BAD_ANSWER'],
  ['10 MiB', raw(200, asJson, `"${tenMiB}"`), 'ANSWER_TOO_LARGE'],
  [
    '10 MiB without length',
    text(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"${tenMiB}"`),
    'ANSWER_TOO_LARGE',
  ],
  ['10 MiB packed into 10 KiB', raw(200, packed, gzipSync(`"${tenMiB}"`)), 'ANSWER_TOO_LARGE'],
  ['a promise of 10 GiB', raw(200, long(10_737_418_240), '{'), 'ANSWER_TOO_LARGE'],
  ['broken compression', raw(200, packed, 'not gzip at all'), 'BAD_ANSWER'],
  ['302 elsewhere', raw(302, { Location: 'https://login.example/?next=%2F' }), 'SERVICE_REDIRECTED'],
  ['301 without a location', raw(301, {}), 'SERVICE_REDIRECTED'],
  ['307', raw(307, { Location: '/v2/campaigns' }), 'SERVICE_REDIRECTED'],
  ['308', raw(308, { Location: 'http://127.0.0.1/' }), 'SERVICE_REDIRECTED'],
  ['304', raw(304, {}), 'SERVICE_REDIRECTED'],
  ['400', json(400, { error: 'bad id' }), 'SERVICE_REJECTED'],
  ['401', json(401, { error: 'key revoked' }), 'API_KEY_REFUSED', 2],
  ['403', json(403, { error: 'not yours' }), 'FORBIDDEN'],
  ['404', json(404, { error: 'no such campaign' }), 'SERVICE_NOT_FOUND'],
  ['410', json(410, { error: 'deleted' }), 'SERVICE_NOT_FOUND'],
  ['409', json(409, { error: 'not now' }), 'SERVICE_REJECTED'],
  ['418', json(418, { error: 'teapot' }), 'SERVICE_REJECTED'],
  ['422', json(422, { message: 'unprocessable' }), 'SERVICE_REJECTED'],
  ['501', json(501, { error: 'not built' }), 'SERVICE_FAILED'],
  ['500, again and again', json(500, { error: 'oops' }), 'SERVICE_FAILED', 5],
  ['repeated 502 with a page', raw(502, asHtml, html), 'SERVICE_FAILED', 5],
  ['408, again and again', json(408, { error: 'slow' }), 'SERVICE_FAILED', 5],
  ['429, again and again', json(429, { error: 'too many' }), 'RATE_LIMITED', 6],
  ['status 700', json(700, {}), 'BAD_ANSWER'],
  ['status 99', text('HTTP/1.1 099 Odd\r\n\r\n'), 'BAD_ANSWER'],
  ['no HTTP at all', text('SSH-2.0-OpenSSH_9.2\r\n'), 'BAD_ANSWER'],
  ['a body shorter than promised', raw(200, long(4000), campaignText), 'SERVICE_UNREACHABLE', 5],
  ['chunks that break off', text(`${chunked}5\r\n{"id"\r\n`), 'SERVICE_UNREACHABLE', 5],
  ['a closed connection', hangUp, 'SERVICE_UNREACHABLE', 5],
  ['a reset connection', reset, 'SERVICE_UNREACHABLE', 5],
]

let under: UnderTest
beforeEach(async () => {
  under = await startClient()
})
afterEach(() => under.stop())

test.each(badRecords)('a read answered with %s fails with its own error', async (...row) => {
  const [, answer, code, tries = 1] = row
  under.fixture.on(`GET /campaigns/${records.campaign.id}`, answer)
  const error = await errorOf(under.settled(under.client.campaigns.get(records.campaign.id, operator)))
  expect(error.code).toBe(code)
  expect(error.message).not.toMatch(/undefined|\[object|Error:|\n/)
  expect(under.fixture.requests).toHaveLength(tries)
})

test('ids beyond 2^53 are read digit for digit', async () => {
  under.fixture.on(
    'GET /dnc',
    raw(200, asJson, '{"data":[{"id":9007199254740993},{"id":9007199254740992}],"total":2}'),
  )
  const { items } = await under.settled(under.client.dnc.list({}, operator))
  expect(items.map(({ id }) => id)).toEqual(['9007199254740993', '9007199254740992'])
})

test('broken characters cost neither a page nor a record, and an ID with one counts as unreadable', async () => {
  const written = [
    ...[
      '"a", "name": "Jos\xe9"',
      String.raw`"b", "name": "half \ud83d"`,
      String.raw`"c", "name": "N\u0000L"`,
    ],
    ...['"d", "name": "N\0L"', '"e", "name": "two\nlines"', String.raw`"f", "name": "whole \ud83d\ude00"`],
    '"\xff", "name": ""',
  ].map((fields) =>
    JSON.stringify({ ...records.campaign, id: undefined, name: undefined }).replace('{', `{"id": ${fields},`),
  )
  const body = Buffer.from(`{"total":7,"data":[${written.join(',')}]}`, 'latin1')
  under.fixture.on('GET /campaigns', raw(200, asJson, body))
  const { items, unreadable } = await under.settled(under.client.campaigns.list({}, operator))
  expect(items.map(({ name }) => name)).toEqual([
    ...['Jos\ufffd', 'half \ufffd', 'N\ufffdL', 'N\ufffdL', 'two\nlines', 'whole 😀'],
  ])
  expect(unreadable).toBe(1)
})

test('a compressed answer is read', async () => {
  under.fixture.on(`GET /campaigns/${records.campaign.id}`, raw(200, packed, gzipSync(campaignText)))
  const { id } = await under.settled(under.client.campaigns.get(records.campaign.id, operator))
  expect(id).toBe(records.campaign.id)
})

const page = raw(200, asHtml, html)
const created = (record: object) => json(201, { ...record, success: false, message: 'blocked' })
test.each<[string, string, Buffer, ErrorCode, string?]>([
  ['GET /campaigns', 'no data', json(200, { total: 0 }), 'BAD_ANSWER', 'data is missing'],
  ['GET /campaigns', 'a list', json(200, []), 'BAD_ANSWER', 'the body is a list, not an object'],
  ['GET /campaigns', 'null', json(200, null), 'BAD_ANSWER', 'the body is null, not an object'],
  [
    'GET /campaigns',
    'text for data',
    json(200, { data: 'none', total: 0 }),
    'BAD_ANSWER',
    'data is text, not a list',
  ],
  [
    'GET /campaigns',
    'a number for a record',
    json(200, { data: [7], total: 1 }),
    'BAD_ANSWER',
    'data.0 is a number, not an object',
  ],
  [
    'GET /dnc/check',
    'no verdict',
    json(200, { entry: null }),
    'BAD_ANSWER',
    'is_blocked isn’t true or false',
  ],
  ['GET /dnc/check', 'text for a verdict', json(200, { is_blocked: 'no' }), 'BAD_ANSWER'],
  ['GET /dashboard', 'no figures', json(200, {}), 'BAD_ANSWER'],
  ['GET /analytics/overview', 'other figures', json(200, { total_revenue: 1 }), 'BAD_ANSWER'],
  ['GET /analytics/billing-summary', 'a list', json(200, []), 'BAD_ANSWER'],
  ['GET /error-codes/search', 'one record', json(200, records.errorCode), 'BAD_ANSWER'],
  [`DELETE /contacts/${records.contact.id}`, 'an error', json(200, { error: 'in use' }), 'BAD_ANSWER'],
  [`DELETE /contacts/${records.contact.id}`, 'a page', page, 'NOT_THE_SERVICE'],
  [`DELETE /ott/templates/${records.template.id}`, 'a page', page, 'NOT_THE_SERVICE'],
  [
    'GET /dnc',
    'an empty list with an error',
    json(200, { data: [], total: 0, error: 'tenant suspended' }),
    'BAD_ANSWER',
    'the body reports an error despite its success status',
  ],
  [
    'GET /dnc',
    'an empty list without success',
    json(200, { data: [], total: 0, success: false }),
    'BAD_ANSWER',
  ],
  ...[{ error: { code: 7 } }, { error: true }, { errors: ['x'] }, { status: 'error' }].map(
    (says): [string, string, Buffer, ErrorCode] => [
      'GET /dnc',
      `an empty list with ${JSON.stringify(says)}`,
      json(200, { data: [], total: 0, ...says }),
      'BAD_ANSWER',
    ],
  ),
  [
    'GET /dnc/check',
    'a verdict with an error',
    json(200, { is_blocked: false, error: 'no index' }),
    'BAD_ANSWER',
  ],
  ['GET /dnc', 'an empty list that is not ok', json(200, { data: [], total: 0, ok: false }), 'BAD_ANSWER'],
  ['POST /messages/msg_01%2F%C3%A4/release', 'no success', json(200, { success: false }), 'OUTCOME_UNKNOWN'],
  ['POST /contacts', 'a record and an error', created(records.contact), 'OUTCOME_UNKNOWN'],
  ['POST /templates', 'a record and an error', created(records.template), 'OUTCOME_UNKNOWN'],
  ['POST /ott/messages', 'a record and an error', created(records.ottMessage), 'OUTCOME_UNKNOWN'],
  ['POST /webhooks', 'a page', page, 'OUTCOME_UNKNOWN'],
  ['POST /webhooks/wh-1/test', 'a page', page, 'OUTCOME_UNKNOWN'],
  ['POST /messages/msg_01%2F%C3%A4/release', 'a page', page, 'OUTCOME_UNKNOWN'],
])('%s answered with %s says so plainly', async (call, _what, answer, code, detail = '') => {
  const endpoint = endpoints.find(({ wire }) => wire === call)!
  under.fixture.on(endpoint.wire, answer)
  const error = await errorOf(endpoint.invoke(under.client))
  expect(error.code).toBe(code)
  expect(error.message).toContain(detail && `: ${detail}.`)
  expect(error.message).not.toContain('Invalid input')
})

test('a message that says how it failed is no doubtful one', async () => {
  const failed = { ...records.ottMessage, status: 'Rejected', error: 'opted out' }
  const { wire, invoke } = endpoints.find((one) => one.wire === 'POST /ott/messages')!
  under.fixture.on(wire, json(201, failed))
  expect(await invoke(under.client)).toMatchObject({ id: failed.id, status: 'rejected' })
})

test.each([
  { is_blocked: true, error: 'on the list' },
  { is_blocked: 'TRUE', error: 'on the list' },
  { is_blocked: 1 },
])('%j counts as blocked', async (body) => {
  under.fixture.on('GET /dnc/check', json(200, body))
  expect(await under.client.dnc.check({ phone: '+447700900001' }, operator)).toMatchObject({
    verdict: 'blocked',
  })
})

describe('the service’s words', () => {
  const rejected = async (body: unknown) => {
    under.fixture.on('GET /dashboard', json(400, body))
    return (await errorOf(under.read())).data['serviceText']
  }

  test.each<[unknown, string]>([
    [{ error: 'phone is not valid' }, 'phone is not valid'],
    [{ message: 'phone is not valid' }, 'phone is not valid'],
    [{ error: { message: 'nested' } }, 'nested'],
    [{ errors: [{ title: 'Bad page', detail: 'page too deep' }] }, 'page too deep'],
    [{ errors: ['page too deep'], title: 'Bad request' }, 'page too deep'],
    [{ errors: { phone: ['is taken'] }, title: 'Bad request' }, 'phone: is taken'],
    [{ errors: { phone: 'is taken', email: [{ message: 'no' }], tags: [] } }, 'phone: is taken; email: no'],
    [{ errors: { error: 'page too deep' } }, 'page too deep'],
    [{ errors: { phone: 7 } }, 'status 400'],
    [{ errors: 'page too deep' }, 'page too deep'],
    [{ detail: [{ loc: ['query', 'page'], msg: 'page too deep' }] }, 'page too deep'],
    [{ detail: 'page too deep', title: 'Bad request' }, 'page too deep'],
    [{ title: 'Bad request' }, 'Bad request'],
    [{ error: '' }, 'status 400'],
    [{ error: 7 }, 'status 400'],
    ['bare', 'status 400'],
    [{ error: 'two\nlines\u0000\u001b[31m' }, 'two lines\ufffd [31m'],
  ])('%j are quoted as "%s"', async (body, text) => {
    expect(englishText((await rejected(body)) as Said)).toBe(text)
  })

  test.each([
    [{ error: 'no database' }, 'The service failed (GET /dashboard: status 501, “no database”). '],
    [{}, 'The service failed (GET /dashboard: status 501). '],
  ])('of a failure, %j, follow its status, which is said once', async (body, text) => {
    under.fixture.on('GET /dashboard', json(501, body))
    expect((await errorOf(under.read())).message).toContain(text)
    under.fixture.on('POST /contacts', json(501, body))
    const { data } = await errorOf(under.write())
    expect(data).toMatchObject({ status: 501, serviceText: 'error' in body ? body.error : '' })
  })

  test('of a rejection, are followed by what to do: a read is no mistake of the operator', async () => {
    under.fixture.on('GET /dashboard', json(400, { error: 'no' }))
    expect((await errorOf(under.read())).message).toContain('“no”. Only data was requested (GET /dashboard)')
    under.fixture.on('POST /contacts', json(400, { error: 'no' }))
    expect((await errorOf(under.write())).message).toContain('“no”. Nothing was changed. Correct it')
  })

  test('are cut at 300 characters', async () => {
    for (const body of [{ error: 'x'.repeat(5_000) }, { errors: { phone: ['x'.repeat(5_000)] } }])
      expect(await rejected(body)).toHaveLength(300)
  })

  test('never repeat the credential or a token', async () => {
    const text = await rejected({
      error: 'key key-SECRET-1 and Bearer abc.def and eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln are refused',
    })
    expect(text).toBe('key [secret] and Bearer [secret] and [secret] are refused')
  })
})

test('counts any answer but 5xx as reachable, and not a missing one', async () => {
  under.fixture.on('GET /dashboard', json(400, { error: 'no' }))
  await errorOf(under.read())
  under.fixture.on('GET /dashboard', json(500, {}), hangUp, json(200, records.dashboard))
  await under.settled(under.read())
  expect(under.observed).toEqual(['answered', 'SERVICE_FAILED', 'SERVICE_UNREACHABLE', 'answered'])
})

import { expect, test } from 'vitest'
import { rawWith, refusal, sharedSandbox, unknownId } from './raw.ts'

const raw = sharedSandbox()
const contact = '{"name":"N","phone":"+4915112345678"}'
const bytes = (text: string) => new TextEncoder().encode(text)
/** The text with a byte that isn't UTF-8 for its question mark. */
const notUtf8 = (text: string) => Uint8Array.from(bytes(text), (byte) => (byte === 0x3f ? 0xff : byte))

test.each([
  ['a named charset', 201, 'application/json; charset=UTF-8', bytes(contact)],
  ['another charset', 400, 'application/json; charset=latin1', bytes(contact)],
  ['another content type', 400, 'text/plain', bytes(contact)],
  ['no content type', 400, '', bytes(contact)],
  ['bytes that are not UTF-8', 400, 'application/json', notUtf8(contact.replace('N', 'N?'))],
  ['broken JSON', 400, 'application/json', bytes('{"name":')],
  ['no body', 400, 'application/json', bytes('')],
  ['an array', 400, 'application/json', bytes('[]')],
  ['null', 400, 'application/json', bytes('null')],
  ['over a megabyte', 400, 'application/json', bytes(contact.replace('N', 'x'.repeat(1_100_000)))],
])('answers a body with %s by %i', async (_what, status, contentType, body) => {
  const answer = await raw.send('POST', '/contacts', body, contentType)
  expect(answer).toMatchObject(status === 400 ? refusal(400) : { status })
})

test('checks path and credential before the size of a body, once', async () => {
  const large = { name: 'x'.repeat(3_000_000) }
  expect((await rawWith(raw.sandbox, {}).post('/contacts', large)).status).toBe(401)
  expect((await raw.post('/nope', large)).status).toBe(404)
  raw.sandbox.setFault('slow', { delayMs: 20 })
  expect((await raw.post('/contacts', large)).status).toBe(400)
  expect(raw.sandbox.activeFault()!.happened).toBe(1)
  raw.sandbox.setFault(null)
})

test('takes at most an empty object for a call without a body', async () => {
  const { id } = (await raw.get('/campaigns?status=running')).body.data[0]
  expect((await raw.post(`/campaigns/${id}/pause`, { reason: 'x' })).status).toBe(400)
  expect((await raw.post(`/campaigns/${id}/pause`, {})).status).toBe(200)
})

test.each([
  ...['/nope', '/campaigns/', '//campaigns', '/campaigns/a/b', '/campaigns/%zz'].map((path) => ['GET', path]),
  ...['/contacts', '/templates', '/', '/../v2/campaigns', '/..'].map((path) => ['GET', path]),
  ...['PUT', 'PATCH', 'DELETE', 'POST'].map((method) => [method, '/campaigns']),
])('%s %s is not found', async (method, path) => {
  expect(await raw.send(method!, path!)).toMatchObject(refusal(404))
})

const calls =
  `GET /campaigns, GET /campaigns/${unknownId}, POST /campaigns/x/pause, GET /messages, ` +
  `GET /messages/${unknownId}, POST /messages/x/release, GET /scheduled-messages, GET /dnc, ` +
  'GET /dnc/check?phone_number=1, GET /analytics/overview, GET /analytics/billing-summary, GET /dashboard, ' +
  `GET /webhooks/subscriptions, GET /error-codes/search?q=a, POST /contacts, DELETE /contacts/${unknownId}, ` +
  `POST /templates, DELETE /ott/templates/${unknownId}, POST /ott/messages, POST /webhooks, ` +
  'POST /webhooks/x/test, POST /auth/logout, POST /auth/refresh'
test.each(calls.split(', '))('%s without a credential is 401', async (call) => {
  const [method, path] = call.split(' ') as [string, string]
  expect(await rawWith(raw.sandbox, {}).send(method, path)).toMatchObject(refusal(401))
})

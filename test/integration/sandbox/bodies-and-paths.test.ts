import { expect, test } from 'vitest'
import { refusal, sharedSandbox } from './raw.ts'

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

test.each([
  ...['/nope', '/campaigns/', '//campaigns', '/campaigns/a/b', '/campaigns/%zz'].map((path) => ['GET', path]),
  ...['/contacts', '/templates', '/', '/../v2/campaigns', '/..'].map((path) => ['GET', path]),
  ...['PUT', 'PATCH', 'DELETE', 'POST'].map((method) => [method, '/campaigns']),
])('%s %s is not found', async (method, path) => {
  expect(await raw.send(method!, path!)).toMatchObject(refusal(404))
})

import { beforeAll, describe, expect, test } from 'vitest'
import * as records from '../../helpers/spec-records.ts'
import { expectRecord, refusal, sharedSandbox, startReceiver, unknownId, until } from './raw.ts'

const raw = sharedSandbox()
const done = { status: 200, body: { message: expect.any(String) } }
const long = 'x'.repeat(10_001)

const greeting = {
  name: 'Greeting',
  body: 'Hi {{ name }}, {{count}} left',
  variables: { name: 'string', count: 'number' },
}
const contact = {
  name: 'Noor',
  phone: '+4915112345678',
  email: 'noor@example.org',
  tags: { city: 'Graz', __proto__x: 'y' },
}
const hook = { url: 'http://127.0.0.1:9/hook', events: ['dlr'], secret: 'abc' }

/** An OTT message of the greeting. */
const ott: Record<string, unknown> = { to: '+4915112345678', variables: { name: 'Zoë', count: 3 } }
beforeAll(async () => {
  ott['channel_id'] = raw.sandbox.tenant().channels()[0]!.id
  ott['template_id'] = (await raw.post('/templates', greeting)).body.id
})

/** Sends an OTT message of a new template. */
async function sendText(body: string, types: Record<string, string>, variables: Record<string, unknown>) {
  const template = await raw.post('/templates', { name: 'T', body, variables: types })
  expect(template).toMatchObject({ status: 201, body: { variables: types } })
  return raw.post('/ott/messages', { ...ott, template_id: template.body.id, variables })
}

test.each([
  ['/templates', greeting, { status: 'active' }, records.template, '/ott/templates'],
  ['/contacts', contact, {}, records.contact, '/contacts'],
])('POST %s creates a record that can be deleted once', async (path, given, more, example, deleted) => {
  const made = await raw.post(path, given)
  expect(made).toMatchObject({ status: 201, body: { ...given, ...more } })
  expectRecord(made.body, example)
  if (path === '/contacts') expect(raw.sandbox.tenant().contacts()).toContainEqual(made.body)
  expect(await raw.remove(`${deleted}/${made.body.id}`)).toMatchObject(done)
  expect((await raw.remove(`${deleted}/${made.body.id}`)).status).toBe(404)
})

const refused: [string, string, object, object][] = [
  ['/templates', 'no name', greeting, { name: undefined }],
  ['/templates', 'a name that is a number', greeting, { name: 7 }],
  ['/templates', 'variables as an array', greeting, { variables: ['name'] }],
  ['/templates', 'an unknown type', greeting, { variables: { name: 'string', count: 'integer' } }],
  ['/templates', 'a placeholder without a type', greeting, { variables: { name: 'string' } }],
  ['/ott/messages', 'a variable of the wrong type', ott, { variables: { name: 'Zoë', count: '3' } }],
  ['/ott/messages', 'a missing variable', ott, { variables: { name: 'Zoë' } }],
  ['/ott/messages', 'an extra variable', ott, { variables: { name: 'Zoë', count: 3, more: 1 } }],
  ['/ott/messages', 'an unknown channel', ott, { channel_id: unknownId }],
  ['/ott/messages', 'a channel id that is not a UUID', ott, { channel_id: 'whatsapp' }],
  ['/ott/messages', 'a value over the length limit', ott, { variables: { name: long, count: 3 } }],
  ['/contacts', 'no name', contact, { name: undefined }],
  ['/contacts', 'no phone', contact, { phone: undefined }],
  ['/contacts', 'a phone without a plus', contact, { phone: '015112345678' }],
  ['/contacts', 'a phone of 16 digits', contact, { phone: '+4915112345678901' }],
  ['/contacts', 'a phone whose country begins with 0', contact, { phone: '+0151123456' }],
  ['/contacts', 'an email without @', contact, { email: 'noor' }],
  ['/contacts', 'tags as an array', contact, { tags: ['a'] }],
  ['/contacts', 'a field the call does not know', contact, { id: unknownId }],
  ['/webhooks', 'no url', hook, { url: undefined }],
  ['/webhooks', 'an invalid url', hook, { url: 'hook' }],
  ['/webhooks', 'a url of another computer', hook, { url: 'http://192.0.2.1/hook' }],
  ['/webhooks', 'a url with a user name', hook, { url: 'http://name@127.0.0.1:9/hook' }],
  ['/webhooks', 'an empty list of events', hook, { events: [] }],
  ['/webhooks', 'an unknown event', hook, { events: ['dlr', 'message.read'] }],
  ['/webhooks', 'an empty secret', hook, { secret: '' }],
]

test.each(refused)('POST %s refuses %s and keeps nothing', async (path, _what, good, change) => {
  const kept = () => {
    const view = raw.sandbox.tenant()
    return [view.templates(), view.ottMessages(), view.contacts()]
  }
  const before = kept()
  expect(await raw.post(path, { ...good, ...change })).toMatchObject(refusal(400))
  expect(kept()).toEqual(before)
  expect((await raw.get('/webhooks/subscriptions')).body.total).toBe(0)
})

describe('templates and OTT messages', () => {
  test('write a number as the request does', async () => {
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
    const sent = await sendText('{{amount}} EUR', { amount: 'number' }, { amount: rawJSON('12.50') })
    expect(sent).toMatchObject({ status: 201, body: { body: '12.50 EUR' } })
  })

  test('are sent as a message, which can be looked up and gets its reports', async () => {
    const { url, received } = await startReceiver()
    await raw.post('/webhooks', { url, events: ['dlr'] })
    const sent = await raw.post('/ott/messages', ott)
    expect(sent).toMatchObject({ status: 201, body: { body: 'Hi Zoë, 3 left', status: 'delivered' } })
    expectRecord(sent.body, records.ottMessage)
    const { id, to, body, provider_message_id } = sent.body
    const message = async () => (await raw.get(`/messages/${id}`)).body
    const beforeReports = expect.stringMatching(/^(pending|queued)$/) as string
    expect(await message()).toMatchObject({ id, to, body, provider_message_id, status: beforeReports })
    raw.sandbox.tick(10_000)
    const states = () =>
      received.filter(({ json }) => json.message_id === id).map(({ json }) => json.status as string)
    await until(() => states().length === 2, 'both reports')
    expect(states().sort()).toEqual(['submitted', (await message()).status].sort())
  })

  test('refuse a number that reads as infinity, and a recipient on the DNC list', async () => {
    const text = JSON.stringify({ ...ott, variables: { name: 'N', count: 999 } }).replace('999', '1e999')
    expect((await raw.send('POST', '/ott/messages', text)).status).toBe(400)
    const { phone_number: to } = (await raw.get('/dnc')).body.data[0]
    expect((await raw.post('/ott/messages', { ...ott, to })).status).toBe(400)
  })
})

test('a subscription is listed with its secret and dotted event names, and tested with known events', async () => {
  const made = await raw.post('/webhooks', { ...hook, events: ['dlr', 'mo'] })
  expect(made).toMatchObject({ status: 201, body: { secret: 'abc', status: 'active' } })
  expectRecord(made.body, records.webhook)
  expect(made.body.events).toEqual([
    'message.submitted',
    'message.delivered',
    'message.failed',
    'message.expired',
    'message.received',
  ])
  expect((await raw.get('/webhooks/subscriptions')).body.data[0]).toEqual(made.body)
  const tried = async (id: string, body: object) => (await raw.post(`/webhooks/${id}/test`, body)).status
  expect(await tried(made.body.id, { event_type: 'dlr' })).toBe(200)
  expect(await tried(made.body.id, { event_type: 'sms' })).toBe(400)
  expect(await tried(made.body.id, {})).toBe(400)
  expect(await tried(unknownId, { event_type: 'dlr' })).toBe(404)
})

import { describe, expect, test } from 'vitest'
import { request, signIn, startReceiver, startSandbox, until } from './raw.ts'
import { expectRecord, unknownId } from './record-tables.ts'

describe('templates and OTT messages', () => {
  const good = {
    name: 'Greeting',
    body: 'Hi {{ name }}, {{count}} left',
    variables: { name: 'string', count: 'number' },
  }

  test('creates and deletes a template', async () => {
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
  ])('refuses a template with %s', async (_what, body) => {
    const raw = await signIn(await startSandbox())
    expect(await raw.post('/templates', body)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('accepts placeholder names with any letters and inner spaces', async () => {
    const raw = await signIn(await startSandbox())
    const variables = { 'first name': 'string', prénom: 'string', 'order-no.': 'number' }
    const template = await raw.post('/templates', {
      name: 'Any name',
      body: '{{first name}} {{ prénom }} {{order-no.}}',
      variables,
    })
    expect(template).toMatchObject({ status: 201, body: { variables } })
    const sent = await raw.post('/ott/messages', {
      channel_id: raw.sandbox.tenant().channels()[0]!.id,
      template_id: template.body.id,
      to: '+4915112345678',
      variables: { 'first name': 'Zoë', prénom: '', 'order-no.': 3 },
    })
    expect(sent).toMatchObject({ status: 201, body: { body: 'Zoë  3' } })
  })

  test('sends an OTT message as a message, which can be looked up and gets its reports', async () => {
    const raw = await signIn(await startSandbox())
    const { url, received } = await startReceiver()
    await raw.post('/webhooks', { url, events: ['dlr'] })
    const template = await raw.post('/templates', good)
    const { body: sent } = await raw.post('/ott/messages', {
      channel_id: raw.sandbox.tenant().channels()[0]!.id,
      template_id: template.body.id,
      to: '+4915112345678',
      variables: { name: 'Zoë', count: 3 },
    })
    expect((await raw.get(`/messages/${sent.id}`)).body).toMatchObject({
      id: sent.id,
      to: '+4915112345678',
      body: sent.body,
      provider_message_id: sent.provider_message_id,
      status: 'pending',
    })
    raw.sandbox.tick(10_000)
    const states = () =>
      received.filter(({ json }) => json.message_id === sent.id).map(({ json }) => json.status as string)
    await until(() => states().length === 2, 'both reports')
    expect(states()).toContain('submitted')
    const { status } = (await raw.get(`/messages/${sent.id}`)).body
    expect(states()).toContain(status)
  })

  test('writes a number in a text as the request does', async () => {
    const raw = await signIn(await startSandbox())
    const template = await raw.post('/templates', {
      name: 'Bill',
      body: 'You owe {{amount}} EUR',
      variables: { amount: 'number' },
    })
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
    const sent = await raw.post('/ott/messages', {
      channel_id: raw.sandbox.tenant().channels()[0]!.id,
      template_id: template.body.id,
      to: '+4915112345678',
      variables: { amount: rawJSON('12.50') },
    })
    expect(sent).toMatchObject({ status: 201, body: { body: 'You owe 12.50 EUR' } })
  })

  test.each([
    ['{{}}', {}, 'the body has a placeholder without a name'],
    ['{{ a }}', {}, 'the body uses "a", which variables does not name'],
    ['x', { ' a': 'string' }, 'variables: " a" is not a variable name'],
  ])('refuses the text %j with variables %j', async (body, variables, error) => {
    const raw = await signIn(await startSandbox())
    expect(await raw.post('/templates', { name: 'T', body, variables })).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  test('renders an OTT message from its template', async () => {
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
    ['a missing variable', { variables: { name: 'Zoë' } }],
    ['no variables', { variables: undefined }],
    ['an extra variable', { variables: { name: 'Zoë', count: 3, more: 1 } }],
    ['an unknown channel', { channel_id: unknownId }],
    ['an unknown template', { template_id: unknownId }],
    ['a channel id that is not a UUID', { channel_id: 'whatsapp' }],
    ['a number without a plus', { to: '4915112345678' }],
    ['no destination', { to: undefined }],
    ['a value over the length limit', { variables: { name: 'x'.repeat(10_001), count: 3 } }],
  ])('refuses an OTT message with %s', async (_what, change) => {
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

  test('refuses an OTT message whose values make it too long', async () => {
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

  test('refuses a number that reads as infinity', async () => {
    const raw = await signIn(await startSandbox())
    const template = (await raw.post('/templates', good)).body
    const [channel] = raw.sandbox.tenant().channels()
    const text = `{"channel_id":"${channel!.id}","template_id":"${template.id}","to":"+4915112345678","variables":{"name":"N","count":1e999}}`
    const headers = { Authorization: `Bearer ${raw.accessToken}`, 'Content-Type': 'application/json' }
    expect((await request(raw.sandbox, 'POST', '/ott/messages', headers, text)).status).toBe(400)
  })

  test('refuses an OTT message to a number on the DNC list', async () => {
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

  test('creates and deletes a contact', async () => {
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

  test('requires only name and phone, and allows duplicate numbers', async () => {
    const raw = await signIn(await startSandbox())
    const least = { name: 'N', phone: '+4915112345678' }
    expect(await raw.post('/contacts', least)).toMatchObject({ status: 201, body: { ...least, tags: {} } })
    expect((await raw.post('/contacts', least)).status).toBe(201)
  })

  test('keeps tags named like object members', async () => {
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
    ['a phone without a plus', { phone: '015112345678' }],
    ['a phone with spaces', { phone: '+49 151 12345678' }],
    ['a phone that is too long', { phone: '+4915112345678901' }],
    ['a phone whose country begins with 0', { phone: '+0151123456' }],
    ['an email without @', { email: 'noor' }],
    ['an email over the length limit', { email: `${'n'.repeat(250)}@example.org` }],
    ['tags as an array', { tags: ['a'] }],
    ['a tag over the length limit', { tags: { a: 'x'.repeat(10_001) } }],
    ['a tag name over the length limit', { tags: { ['x'.repeat(10_001)]: 'a' } }],
    ['a tag that is a number', { tags: { a: 1 } }],
    ['a field the call does not know', { id: unknownId }],
  ])('refuses a contact with %s', async (_what, change) => {
    const raw = await signIn(await startSandbox())
    const before = raw.sandbox.tenant().contacts().length
    expect(await raw.post('/contacts', { ...good, ...change })).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
    expect(raw.sandbox.tenant().contacts().length).toBe(before)
  })
})

describe('webhooks', () => {
  test('creates a subscription and lists it with secret and dotted event names', async () => {
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
    ['an invalid url', { url: 'hook' }],
    ['an ftp url', { url: 'ftp://127.0.0.1/hook' }],
    ['a url of another computer', { url: 'http://192.0.2.1/hook' }],
    ['a url that only looks local', { url: 'http://127.0.0.1.example.org/hook' }],
    ['a url with a user name', { url: 'http://name@127.0.0.1:9/hook' }],
    ['a url with an unreadable password', { url: 'http://name:%zz@127.0.0.1:9/hook' }],
    ['no events', { events: undefined }],
    ['an empty list of events', { events: [] }],
    ['events as a string', { events: 'dlr' }],
    ['an unknown event', { events: ['dlr', 'message.read'] }],
    ['an event named like an object property', { events: ['constructor'] }],
    ['an event that is a number', { events: [1] }],
    ['an empty secret', { secret: '' }],
  ])('refuses a subscription with %s', async (_what, change) => {
    const raw = await signIn(await startSandbox())
    const body = { url: 'http://127.0.0.1:9/hook', events: ['dlr'], secret: 'abc', ...change }
    expect(await raw.post('/webhooks', body)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('tests only known subscriptions and events', async () => {
    const raw = await signIn(await startSandbox())
    const { id } = (await raw.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['dlr'] })).body
    expect((await raw.post(`/webhooks/${id}/test`, { event_type: 'dlr' })).status).toBe(200)
    expect((await raw.post(`/webhooks/${id}/test`, { event_type: 'sms' })).status).toBe(400)
    expect((await raw.post(`/webhooks/${id}/test`, {})).status).toBe(400)
    expect((await raw.post(`/webhooks/${unknownId}/test`, { event_type: 'dlr' })).status).toBe(404)
  })
})

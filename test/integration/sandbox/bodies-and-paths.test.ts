import { describe, expect, test } from 'vitest'
import { rawWith, request, signIn, startSandbox } from './raw.ts'
import { unknownId } from './record-tables.ts'

describe('bodies and paths', () => {
  test.each([
    ['another content type', 'text/plain', '{"name":"N","phone":"+4915112345678"}'],
    ['no content type', '', '{"name":"N","phone":"+4915112345678"}'],
    ['another charset', 'application/json; charset=latin1', '{"name":"N","phone":"+4915112345678"}'],
    ['broken JSON', 'application/json', '{"name":'],
    ['no body', 'application/json', ''],
    ['an array', 'application/json', '[]'],
    ['null', 'application/json', 'null'],
  ])('refuses a body with %s', async (_what, contentType, text) => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': contentType }
    const bytes = new TextEncoder().encode(text)
    expect(await request(sandbox, 'POST', '/contacts', headers, bytes)).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    })
  })

  test('refuses bytes that are not UTF-8 and accepts a named charset', async () => {
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

  test('refuses a body over a megabyte', async () => {
    const raw = await signIn(await startSandbox())
    expect(
      (await raw.post('/contacts', { name: 'x'.repeat(1_100_000), phone: '+4915112345678' })).status,
    ).toBe(400)
  })

  test('checks path and credential before the size of a body, once', async () => {
    const raw = await signIn(await startSandbox())
    const stranger = rawWith(raw.sandbox, {})
    const large = { name: 'x'.repeat(3_000_000) }
    expect((await stranger.post('/contacts', large)).status).toBe(401)
    expect((await raw.post('/nope', large)).status).toBe(404)
    raw.sandbox.setFault('slow', { delayMs: 20 })
    expect((await raw.post('/contacts', large)).status).toBe(400)
    expect(raw.sandbox.activeFault()!.happened).toBe(1)
  })

  test('takes at most an empty object for a call without a body', async () => {
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
  ])('GET %s is not found', async (path) => {
    const raw = await signIn(await startSandbox())
    expect(await raw.get(path)).toMatchObject({ status: 404, body: { error: expect.any(String) } })
  })

  test('answers 404 for other methods on known paths and for paths outside the version', async () => {
    const { sandbox, accessToken } = await signIn(await startSandbox())
    const headers = { Authorization: `Bearer ${accessToken}` }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'])
      expect((await request(sandbox, method, '/campaigns', headers)).status).toBe(404)
    expect((await fetch(sandbox.baseUrl.replace('/v1', '/v2/campaigns'), { headers })).status).toBe(404)
    expect((await fetch(sandbox.baseUrl.replace('/v1', '/'), { headers })).status).toBe(404)
  })

  test('answers 401 in the error shape on every list and record for an unknown credential', async () => {
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

import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { type Raw, sharedSandbox, signIn, startReceiver, startSandbox, until, withToken } from './raw.ts'

const shared = sharedSandbox()
afterEach(() => shared.sandbox.setFault(null))

const contact = { name: 'Noor', phone: '+4915112345678' }
const contactsOf = (raw: Raw) => raw.sandbox.tenant().contacts().length

async function signedIn(options: Parameters<typeof startSandbox>[0] = {}) {
  const clock = createFakeClock()
  return { clock, raw: await signIn(await startSandbox({ clock, ...options })) }
}

/** The fate of a new contact: the answer as text, or the code of the failure. */
async function fate({ sandbox, accessToken }: Raw) {
  let status: number | null = null
  try {
    const response = await fetch(`${sandbox.baseUrl}/contacts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(contact),
    })
    status = response.status
    return { status, text: await response.text() }
  } catch (error) {
    return { status, failure: ((error as Error).cause as { code: string }).code }
  }
}

describe('faults on requests', () => {
  const refused = expect.stringMatching(/^\{"error":"[^"]+"\}$/)
  test.each<[string, number, object]>([
    ['rate-limited', 0, { status: 429, text: refused }],
    ['error-500', 0, { status: 500, text: refused }],
    ['error-500-after-commit', 1, { status: 500, text: refused }],
    ['unauthorized', 0, { status: 401, text: refused }],
    ['forbidden', 0, { status: 403, text: refused }],
    ['html-200', 0, { status: 200, text: expect.stringMatching(/^<!doctype html>/) }],
    ['reset-before', 0, { status: null, failure: 'ECONNRESET' }],
    ['reset-after-commit', 1, { status: null, failure: 'ECONNRESET' }],
    ['truncated-body', 1, { status: 201, failure: 'UND_ERR_SOCKET' }],
  ])('%s creates %i record and answers as it says', async (fault, made, answer) => {
    const before = contactsOf(shared)
    shared.sandbox.setFault(fault)
    expect(await fate(shared)).toEqual(answer)
    expect(contactsOf(shared) - before).toBe(made)
    shared.sandbox.setFault(null)
    expect((await shared.post('/contacts', contact)).status).toBe(201)
  })

  test('token-expires-mid-batch ends every access token once, and a refresh helps', async () => {
    const raw = await signIn(shared.sandbox)
    raw.sandbox.setFault('token-expires-mid-batch', { after: 3 })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await raw.get('/dnc')).status)
    expect(statuses).toEqual([200, 200, 200, 401, 401])
    const { body } = await withToken(raw.sandbox, raw.refreshToken).post('/auth/refresh')
    const renewed = withToken(raw.sandbox, body.access_token)
    for (let i = 0; i < 10; i++) expect((await renewed.get('/dnc')).status).toBe(200)
    Object.assign(shared, await signIn(shared.sandbox))
  })

  test('slow completes its answer after its delay', async () => {
    const { clock, raw } = await signedIn()
    raw.sandbox.setFault('slow', { delayMs: 10_000 })
    let done = false
    const slow = raw.get('/dnc').then((answer) => ((done = true), answer))
    await until(() => raw.sandbox.activeFault()!.happened === 1)
    await clock.advance(9_000)
    expect(done).toBe(false)
    await clock.advance(1_000)
    expect((await slow).body.total).toBe(45)
  })

  test('missing-id and unknown-values change correct answers', async () => {
    const first = async (fault: string | null) => {
      shared.sandbox.setFault(fault)
      return (await shared.get('/campaigns')).body.data[0]
    }
    const right = await first(null)
    expect(await first('missing-id')).toEqual({ ...right, id: undefined })
    const unknown = await first('unknown-values')
    expect(['draft', 'running', 'paused', 'completed', 'cancelled']).not.toContain(unknown.status)
    expect(Object.keys(unknown).length).toBeGreaterThan(Object.keys(right).length)
    expect(await first(null)).toEqual(right)
  })

  test.each<[string, string, object]>([
    ['unreadable-record', '/dnc', { 0: expect.any(String), 1: expect.any(Object) }],
    ['year-one', '/dnc', { 0: { created_at: '0001-01-01T00:00:00Z' } }],
  ])('%s changes correct answers', async (fault, path, records) => {
    shared.sandbox.setFault(fault)
    expect({ ...(await shared.get(path)).body.data }).toMatchObject(records)
  })

  test('refresh-fails and refresh-denied hit only the refresh', async () => {
    const raw = await signIn(shared.sandbox)
    const refreshWith = (token: string) => withToken(raw.sandbox, token).post('/auth/refresh')
    raw.sandbox.setFault('refresh-fails')
    expect((await refreshWith(raw.refreshToken)).status).toBe(500)
    raw.sandbox.setFault('refresh-denied')
    expect((await refreshWith(raw.refreshToken)).status).toBe(401)
    expect((await raw.get('/dnc')).status).toBe(200)
  })

  test('are limited by path, method, count, after and seeded probability', async () => {
    shared.sandbox.setFault('error-500', { path: '/contacts', method: 'POST', after: 1, count: 2 })
    expect((await shared.get('/dnc')).status).toBe(200)
    expect((await shared.remove('/contacts/x')).status).toBe(404)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await shared.post('/contacts', contact)).status)
    expect(statuses).toEqual([201, 500, 500, 201, 201])
    const drawn = async (seed: number) => {
      const { raw } = await signedIn({ seed })
      raw.sandbox.setFault('error-500', { probability: 0.5 })
      const found: number[] = []
      for (let i = 0; i < 30; i++) found.push((await raw.get('/dnc')).status)
      return found.join(' ')
    }
    const once = await drawn(1)
    expect(once).toMatch(/500.*200|200.*500/)
    expect(await drawn(1)).toBe(once)
    expect(await drawn(2)).not.toBe(once)
  })

  test('refuses an unknown fault and keeps the active one', async () => {
    shared.sandbox.setFault('forbidden')
    expect(() => shared.sandbox.setFault('gremlins')).toThrow(/no fault "gremlins".*rate-limited/)
    expect(shared.sandbox.activeFault()?.name).toBe('forbidden')
    await expect(startSandbox({ fault: 'gremlins' })).rejects.toThrow(/gremlins/)
  })
})

describe('faults on webhooks', () => {
  async function faulty(fault: string) {
    const receiver = await startReceiver()
    const { clock, raw } = await signedIn()
    await raw.post('/webhooks', { url: receiver.url, events: ['dlr', 'mo'], secret: 's' })
    raw.sandbox.setFault(fault)
    return { clock, sandbox: raw.sandbox, received: receiver.received }
  }
  const signature = (raw: Buffer) => createHmac('sha256', 's').update(raw).digest('hex')

  test('webhook-duplicates sends the same body three times', async () => {
    const { clock, sandbox, received } = await faulty('webhook-duplicates')
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 2)
    await clock.advance(400)
    await until(() => received.length === 3)
    expect(new Set(received.map(({ raw }) => raw.toString())).size).toBe(1)
  })

  test('webhook-out-of-order sends eight events in reverse, or fewer after three seconds', async () => {
    const { clock, sandbox, received } = await faulty('webhook-out-of-order')
    for (let i = 0; i < 8; i++) sandbox.emitMo({ content: String(i) })
    await until(() => received.length === 8)
    const events = received.map(({ json }) => json)
    expect(events.map(({ content }) => content)).not.toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    expect(sandbox.deliveries().map(({ messageId }) => messageId)).toEqual(
      events.sort((a, b) => b.content - a.content).map((json) => json.message_id),
    )
    sandbox.emitMo({ content: 'late' })
    await clock.advance(3_000)
    await until(() => received.length === 9)
  })

  test('webhook-bad-signature and webhook-unsigned spoil the signature', async () => {
    const { sandbox, received } = await faulty('webhook-bad-signature')
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 1)
    expect(received[0]!.headers['x-webhook-signature']).toMatch(/^[0-9a-f]{64}$/)
    expect(received[0]!.headers['x-webhook-signature']).not.toBe(signature(received[0]!.raw))
    sandbox.setFault('webhook-unsigned')
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 2)
    expect(received[1]!.headers).not.toHaveProperty('x-webhook-signature')
  })

  test('byte-order-mark comes before the body, signed as sent', async () => {
    const { sandbox, received } = await faulty('byte-order-mark')
    const event = sandbox.emitMo({ content: 'x' })
    await until(() => received.length === 1)
    const { raw, headers } = received[0]!
    expect(raw.toString()).toBe(`\uFEFF${JSON.stringify(event)}`)
    expect(headers['x-webhook-signature']).toBe(signature(raw))
  })

  test('webhook-stops delivers nothing then or later', async () => {
    const { sandbox, received } = await faulty('webhook-stops')
    sandbox.emitDlr({ status: 'delivered' })
    sandbox.setFault(null)
    sandbox.emitMo({ content: 'after' })
    await until(() => received.length === 1 && sandbox.stats().webhooks.open === 0)
    expect(received[0]!.json.content).toBe('after')
    expect(sandbox.stats().webhooks).toMatchObject({ dropped: 1, open: 0 })
  })
})

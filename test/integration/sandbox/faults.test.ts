import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { faultTable } from '#electron/sandbox/faults/fault-table.ts'
import { type Raw, rawWith, type Sandbox, signIn, startReceiver, startSandbox, until } from './raw.ts'

const contact = { name: 'Noor', phone: '+4915112345678' }
const contactsOf = (raw: Raw) => raw.sandbox.tenant().contacts().length

/** The fate of a request on the wire, up to the point of failure. */
function wire(
  raw: Raw & { accessToken: string },
  path: string,
): Promise<{ status: number | null; text: string; error: string | null }> {
  return new Promise((resolve) => {
    let status: number | null = null
    let text = ''
    const body = JSON.stringify(contact)
    const end = (error: string | null) => resolve({ status, text, error })
    const req = httpRequest(
      raw.sandbox.baseUrl + path,
      {
        method: 'POST',
        agent: false,
        headers: {
          Authorization: `Bearer ${raw.accessToken}`,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        },
      },
      (res) => {
        status = res.statusCode!
        res.on('data', (chunk: Buffer) => (text += chunk.toString()))
        res.on('end', () => end(null))
        res.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
      },
    )
    req.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
    req.end(body)
  })
}

describe('faults on requests', () => {
  test.each([
    ['rate-limited', 429, 0],
    ['error-500', 500, 0],
    ['error-500-after-commit', 500, 1],
    ['unauthorized', 401, 0],
    ['forbidden', 403, 0],
    ['empty-204', 204, 1],
  ])('%s answers %i and creates %i record', async (fault, status, made) => {
    const raw = await signIn(await startSandbox())
    const before = contactsOf(raw)
    raw.sandbox.setFault(fault)
    const answer = await raw.post('/contacts', contact)
    expect(answer.status).toBe(status)
    if (status !== 204) expect(answer.body).toEqual({ error: expect.any(String) })
    else expect(answer.body).toBe('')
    expect(contactsOf(raw) - before).toBe(made)
    raw.sandbox.setFault(null)
    expect((await raw.post('/contacts', contact)).status).toBe(201)
  })

  test('rate-limited names the time to return', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock }))
    raw.sandbox.setFault('rate-limited', { resetSeconds: 9, count: 1 })
    const { headers } = await raw.get('/dnc')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('x-ratelimit-reset'))).toBe(Math.ceil(clock.now() / 1_000) + 9)
    expect((await raw.get('/dnc')).status).toBe(200)
  })

  test('token-expires-mid-batch ends every access token once, and a refresh helps', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('token-expires-mid-batch', { after: 3 })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await raw.get('/dnc')).status)
    expect(statuses).toEqual([200, 200, 200, 401, 401])
    const refresh = rawWith(raw.sandbox, { Authorization: `Bearer ${raw.refreshToken}` })
    const { access_token: token } = (await refresh.post('/auth/refresh')).body
    const renewed = rawWith(raw.sandbox, { Authorization: `Bearer ${token}` })
    for (let i = 0; i < 10; i++) expect((await renewed.get('/dnc')).status).toBe(200)
  })

  test.each(['html-200', 'login-html'])('%s answers with a page', async (fault) => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault(fault)
    const answer =
      fault === 'login-html'
        ? await raw.post('/auth/login', { username: 'x', password: 'y' })
        : await raw.post('/contacts', contact)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(answer.body).toContain('<!doctype html>')
  })

  test('reset-before and reset-after-commit cut the connection, the second after creating the record', async () => {
    const raw = await signIn(await startSandbox())
    for (const [fault, made] of [
      ['reset-before', 0],
      ['reset-after-commit', 1],
    ] as const) {
      const before = contactsOf(raw)
      raw.sandbox.setFault(fault)
      expect(await wire(raw, '/contacts')).toMatchObject({ status: null, error: 'ECONNRESET' })
      expect(contactsOf(raw) - before).toBe(made)
    }
  })

  test('truncated-body breaks off midway; not-json is complete but no JSON', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('truncated-body')
    const cut = await wire(raw, '/contacts')
    expect(cut.status).toBe(201)
    expect(cut.error).not.toBeNull()
    expect(() => JSON.parse(cut.text)).toThrow()
    raw.sandbox.setFault('not-json')
    const half = await wire(raw, '/contacts')
    expect(half).toMatchObject({ status: 201, error: null })
    expect(() => JSON.parse(half.text)).toThrow()
  })

  test('slow answers after its delay; hang and hang-after-commit do not', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock }))
    raw.sandbox.setFault('slow', { delayMs: 3_000 })
    let done = false
    const slow = raw.get('/dnc').then((answer) => ((done = true), answer))
    await until(() => raw.sandbox.activeFault()!.happened === 1)
    await clock.advance(2_999)
    expect(done).toBe(false)
    await clock.advance(1)
    expect((await slow).status).toBe(200)
    for (const [fault, made] of [
      ['hang', 0],
      ['hang-after-commit', 1],
    ] as const) {
      const before = contactsOf(raw)
      raw.sandbox.setFault(fault)
      void wire(raw, '/contacts').then(() => (done = false))
      await until(() => raw.sandbox.activeFault()!.happened === 1)
      await clock.advance(20_000)
      expect([fault, done, contactsOf(raw) - before]).toEqual([fault, true, made])
    }
  })

  test('slow-body sends its answer in pieces', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock }))
    raw.sandbox.setFault('slow-body', { delayMs: 10_000 })
    let done = false
    const slow = raw.get('/dnc').then((answer) => ((done = true), answer))
    await until(() => raw.sandbox.activeFault()!.happened === 1)
    await clock.advance(9_000)
    expect(done).toBe(false)
    await clock.advance(1_000)
    expect((await slow).body.total).toBe(45)
  })

  test.each(['slow-body', 'empty-204', 'truncated-body', 'huge-body'])(
    '%s changes only the body, not the headers',
    async (fault) => {
      const clock = createFakeClock()
      const raw = await signIn(await startSandbox({ clock, rateLimitPerMinute: 200 }))
      raw.sandbox.setFault(fault, { delayMs: 0, sizeBytes: 1_000 })
      const response = fetch(`${raw.sandbox.baseUrl}/dnc`, {
        headers: { Authorization: `Bearer ${raw.accessToken}` },
      })
      const { headers, body } = await response
      expect(headers.get('x-ratelimit-limit')).toBe('200')
      expect(headers.get('x-ratelimit-remaining')).toBe('198')
      expect(Number(headers.get('x-ratelimit-reset'))).toBe(clock.now() / 1_000 + 60)
      expect(Date.parse(headers.get('date')!)).toBe(clock.now())
      await body?.cancel()
    },
  )

  test('empty-204 counts under the status it sends', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('empty-204')
    await raw.get('/dnc')
    expect(raw.sandbox.requestLog().at(-1)!.status).toBe(204)
    await until(() => raw.sandbox.stats().perStatus[204] === 1, 'the count')
  })

  test('huge-body has the requested size', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('huge-body', { sizeBytes: 3_000_000 })
    const { text, error } = await wire(raw, '/contacts')
    expect([text.length, error]).toEqual([3_000_000, null])
    expect(JSON.parse(text).data.length).toBe(3_000_000 - 11)
  })

  test('wrong-type, missing-id, wrong-id and unknown-values change correct answers', async () => {
    const raw = await signIn(await startSandbox())
    const [right] = (await raw.get('/campaigns')).body.data
    const spoiled = async (fault: string) => {
      raw.sandbox.setFault(fault)
      return (await raw.get(`/campaigns`)).body
    }
    const wrong = (await spoiled('wrong-type')).data[0]
    for (const [name, value] of Object.entries(wrong))
      expect([name, typeof value]).not.toEqual([name, typeof right[name]])
    expect((await spoiled('missing-id')).data[0]).toEqual({ ...right, id: undefined })
    const otherId = (await spoiled('wrong-id')).data[0]
    expect(otherId).toEqual({ ...right, id: otherId.id })
    expect(otherId.id).not.toBe(right.id)
    const unknown = (await spoiled('unknown-values')).data[0]
    expect(['draft', 'running', 'paused', 'completed', 'cancelled']).not.toContain(unknown.status)
    expect(Object.keys(unknown).length).toBeGreaterThan(Object.keys(right).length)
    raw.sandbox.setFault(null)
    expect((await raw.get('/campaigns')).body.data[0]).toEqual(right)
  })

  test('page-cap, unreadable-record, year-one and capital-status change correct answers', async () => {
    const raw = await signIn(await startSandbox())
    const dnc = async (fault: string, query: string, options = {}) => {
      raw.sandbox.setFault(fault, options)
      return (await raw.get(`/dnc${query}`)).body
    }
    const pages = [1, 2, 3].map((page) => dnc('page-cap', `?page=${page}&per_page=100`, { perPage: 20 }))
    const [first, , last] = await Promise.all(pages)
    expect(first).toMatchObject({ total: 45, per_page: 20 })
    expect([first.data.length, last.data.length]).toEqual([20, 5])
    const broken = (await dnc('unreadable-record', '')).data
    expect(broken.map((record: unknown) => typeof record).slice(0, 2)).toEqual(['string', 'object'])
    expect((await dnc('year-one', '')).data[0].created_at).toBe('0001-01-01T00:00:00Z')
    expect((await dnc('time-without-zone', '')).data[0].created_at).not.toContain('Z')
    raw.sandbox.setFault('capital-status')
    expect((await raw.get('/campaigns')).body.data[0].status).toMatch(/^[A-Z]+$/)
  })

  test('redirect points to another origin, which would record a leaked credential', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('redirect')
    const { status, headers } = await raw.get('/dnc')
    expect(status).toBe(302)
    expect(new URL(headers.get('location')!).origin).not.toBe(new URL(raw.sandbox.baseUrl).origin)
    await fetch(headers.get('location')!.replace('localhost', '127.0.0.1'), {
      headers: { Authorization: 'Bearer x' },
    })
    expect(raw.sandbox.requestLog().at(-1)).toMatchObject({
      path: '/sandbox/redirected',
      hasCredential: true,
    })
  })

  test('refresh-fails, refresh-denied and refresh-rotates hit only the refresh', async () => {
    const raw = await signIn(await startSandbox())
    const refreshWith = (token: string) =>
      rawWith(raw.sandbox, { Authorization: `Bearer ${token}` }).post('/auth/refresh')
    raw.sandbox.setFault('refresh-fails')
    expect((await refreshWith(raw.refreshToken)).status).toBe(500)
    raw.sandbox.setFault('refresh-denied')
    expect((await refreshWith(raw.refreshToken)).status).toBe(401)
    expect((await raw.get('/dnc')).status).toBe(200)
    raw.sandbox.setFault('refresh-rotates')
    const rotated = (await refreshWith(raw.refreshToken)).body
    expect((await refreshWith(raw.refreshToken)).status).toBe(401)
    expect((await refreshWith(rotated.refresh_token)).status).toBe(200)
  })

  test('refresh-rotates ends after its count', async () => {
    const raw = await signIn(await startSandbox())
    const refreshWith = (token: string) =>
      rawWith(raw.sandbox, { Authorization: `Bearer ${token}` }).post('/auth/refresh')
    raw.sandbox.setFault('refresh-rotates', { after: 1, count: 1 })
    expect((await refreshWith(raw.refreshToken)).body).not.toHaveProperty('refresh_token')
    const { refresh_token: rotated } = (await refreshWith(raw.refreshToken)).body
    expect(rotated).toEqual(expect.any(String))
    expect((await refreshWith(rotated)).body).not.toHaveProperty('refresh_token')
  })

  test('clock-skew shifts Date and reset together', async () => {
    const clock = createFakeClock()
    const raw = await signIn(await startSandbox({ clock, rateLimitPerMinute: 200 }))
    raw.sandbox.setFault('clock-skew', { skewMs: -3_600_000 })
    const { status, headers } = await raw.get('/dnc')
    expect(status).toBe(200)
    expect(Date.parse(headers.get('date')!)).toBe(clock.now() - 3_600_000)
    expect(Number(headers.get('x-ratelimit-reset'))).toBe(clock.now() / 1_000 - 3_600 + 60)
  })

  test('reset-header-garbage and missing-rate-headers spoil only their headers', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('reset-header-garbage')
    const seen: (string | null)[] = []
    for (let i = 0; i < 7; i++) seen.push((await raw.get('/dnc')).headers.get('x-ratelimit-reset'))
    expect(seen[0]).toBe('soon')
    expect(seen[1]).toBe('')
    expect(seen[6]).toBeNull()
    expect(new Set(seen).size).toBe(7)
    raw.sandbox.setFault('missing-rate-headers')
    const { headers } = await raw.get('/dnc')
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  test('limits a fault by path, method, count, after and seeded probability', async () => {
    const raw = await signIn(await startSandbox())
    raw.sandbox.setFault('error-500', { path: '/contacts', method: 'POST', after: 1, count: 2 })
    expect((await raw.get('/dnc')).status).toBe(200)
    expect((await raw.remove('/contacts/x')).status).toBe(404)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await raw.post('/contacts', contact)).status)
    expect(statuses).toEqual([201, 500, 500, 201, 201])
    const drawn = async (seed: number) => {
      const other = await signIn(await startSandbox({ seed }))
      other.sandbox.setFault('error-500', { probability: 0.5 })
      const found: number[] = []
      for (let i = 0; i < 30; i++) found.push((await other.get('/dnc')).status)
      return found.join(' ')
    }
    const [once, again, elsewhere] = [await drawn(1), await drawn(1), await drawn(2)]
    expect(once).toBe(again)
    expect(once).not.toBe(elsewhere)
    expect(once).toContain('500')
    expect(once).toContain('200')
  })

  test('refuses an unknown fault and keeps the active one', async () => {
    const sandbox = await startSandbox({ fault: 'forbidden' })
    expect(() => sandbox.setFault('gremlins')).toThrow(/no fault "gremlins".*rate-limited/)
    expect(sandbox.activeFault()?.name).toBe('forbidden')
    await expect(startSandbox({ fault: 'gremlins' })).rejects.toThrow(/gremlins/)
  })
})

describe('faults on webhooks', () => {
  async function faulty(fault: string, options: Parameters<typeof startSandbox>[0] = {}) {
    const receiver = await startReceiver()
    const raw = await signIn(await startSandbox(options))
    await raw.post('/webhooks', { url: receiver.url, events: ['dlr', 'mo'], secret: 's' })
    raw.sandbox.setFault(fault)
    return { sandbox: raw.sandbox, received: receiver.received }
  }
  const signature = (raw: Buffer) => createHmac('sha256', 's').update(raw).digest('hex')

  test('webhook-duplicates sends the same body three times', async () => {
    const clock = createFakeClock()
    const { sandbox, received } = await faulty('webhook-duplicates', { clock })
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 2)
    await clock.advance(400)
    await until(() => received.length === 3)
    expect(new Set(received.map(({ raw }) => raw.toString())).size).toBe(1)
  })

  test('webhook-out-of-order sends eight events in reverse, or fewer after three seconds', async () => {
    const clock = createFakeClock()
    const { sandbox, received } = await faulty('webhook-out-of-order', { clock })
    for (let i = 0; i < 8; i++) sandbox.emitMo({ content: String(i) })
    await until(() => received.length === 8)
    expect(received.map(({ json }) => json.content)).not.toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
    expect(sandbox.deliveries().map(({ messageId }) => messageId)).toEqual(
      received
        .map(({ json }) => json)
        .sort((a, b) => b.content - a.content)
        .map((json) => json.message_id),
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

  test('webhook-odd-body sends signed bodies of a dozen odd kinds', async () => {
    const { sandbox, received } = await faulty('webhook-odd-body')
    for (let i = 0; i < 12; i++) sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 12)
    for (const { raw, headers } of received) expect(headers['x-webhook-signature']).toBe(signature(raw))
    expect(new Set(received.map(({ raw }) => raw.toString())).size).toBe(12)
    expect(received.some(({ json }) => json === undefined)).toBe(true)
  })

  const zoneless = /^\d{4}-\d\d-\d\dT[\d:.]+$/
  test.each<[string, (sandbox: Sandbox) => unknown, object]>([
    [
      'code-zero',
      (it) => it.emitDlr({ status: 'failed', errorCode: 2 }),
      { error_code: expect.toSatisfy((code) => String(code) === '0') },
    ],
    ['code-on-delivered', (it) => it.emitDlr({ status: 'delivered' }), { error_code: 3 }],
    ['capital-status', (it) => it.emitDlr({ status: 'delivered' }), { status: 'DELIVERED' }],
    [
      'time-without-zone',
      (it) => it.emitMo({ content: 'x' }),
      { received_at: expect.stringMatching(zoneless) },
    ],
    [
      'time-as-number',
      (it) => it.emitMo({ content: 'x' }),
      { received_at: expect.toSatisfy((time) => Number(time) > 1e9) },
    ],
    ['no-text', (it) => it.emitMo({ content: 'x' }), { content: expect.toSatisfy((text) => !text) }],
  ])('%s changes only its field, signed as sent', async (fault, emit, odd) => {
    const { sandbox, received } = await faulty(fault)
    const event = emit(sandbox) as Record<string, unknown>
    await until(() => received.length === 1)
    const { raw, json, headers } = received[0]!
    expect({ content: undefined, ...json }).toEqual({ content: undefined, ...event, ...odd })
    expect(headers['x-webhook-signature']).toBe(signature(raw))
  })

  test('byte-order-mark is signed too', async () => {
    const { sandbox, received } = await faulty('byte-order-mark')
    sandbox.emitDlr({ status: 'delivered' })
    await until(() => received.length === 1)
    const { raw, headers } = received[0]!
    expect([...raw.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(headers['x-webhook-signature']).toBe(signature(raw))
  })

  test('webhook-slow sends the body slowly', async () => {
    const clock = createFakeClock()
    const { sandbox, received } = await faulty('webhook-slow', { clock })
    sandbox.emitDlr({ status: 'delivered' })
    await clock.advance(3_450)
    expect(received).toEqual([])
    await clock.advance(100)
    await until(() => received.length === 1)
    expect(received[0]!.headers['x-webhook-signature']).toBe(signature(received[0]!.raw))
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

test('accepts every fault of the table', async () => {
  const sandbox = await startSandbox()
  for (const { name } of faultTable) {
    sandbox.setFault(name)
    expect(sandbox.activeFault()?.name).toBe(name)
  }
})

import { createServer } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AddressInfo } from 'node:net'
import type { ErrorCode } from '#contract/errors.ts'
import { type FixtureAnswer, hangUp, json, raw, reset, silence } from '../../../../helpers/fixture-service.ts'
import { bulk, errorOf, loginAnswer, operator, startClient, type UnderTest } from './client-under-test.ts'
import { answerOf, type EndpointCase, endpoints } from './endpoints.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { freePort } from '../../../../helpers/ports.ts'

let under: UnderTest
afterEach(() => under.stop())

/** A fetch whose first `times` calls go to a port without a listener. */
async function refusedAtFirst(times: number): Promise<typeof globalThis.fetch> {
  const port = await freePort()
  let calls = 0
  return (input, init) => {
    if (calls++ >= times) return globalThis.fetch(input, init)
    const url = new URL(String(input))
    url.port = String(port)
    return globalThis.fetch(url, init)
  }
}

interface Fault {
  name: string
  /** The first answer; `refused` never reaches the service. */
  first: FixtureAnswer | 'refused'
  /** The error of a POST that must not be repeated; `done` when it is repeated. */
  post: 'done' | ErrorCode
  reason?: ErrorCode
  /** Fake milliseconds per real one, to pass long waits faster. */
  stepMs?: number
}

const cutShort = raw(200, { 'Content-Type': 'application/json', 'Content-Length': '9000' }, '{"id":')
/** Temporary faults: reads and deletions are retried and then succeed. */
const passingFaults: Fault[] = [
  { name: 'refused before a byte', first: 'refused', post: 'done' },
  { name: '429', first: json(429, { error: 'slow down' }, { 'Retry-After': '2' }), post: 'done' },
  { name: 'a closed connection', first: hangUp, post: 'OUTCOME_UNKNOWN', reason: 'SERVICE_UNREACHABLE' },
  { name: 'a reset connection', first: reset, post: 'OUTCOME_UNKNOWN', reason: 'SERVICE_UNREACHABLE' },
  { name: 'silence', first: silence, post: 'OUTCOME_UNKNOWN', reason: 'SERVICE_TIMEOUT', stepMs: 500 },
  {
    name: '500',
    first: json(500, { error: 'committed, then fell' }),
    post: 'OUTCOME_UNKNOWN',
    reason: 'SERVICE_FAILED',
  },
  { name: '503', first: json(503, { error: 'busy' }), post: 'OUTCOME_UNKNOWN', reason: 'SERVICE_FAILED' },
  {
    name: 'an answer that breaks off',
    first: cutShort,
    post: 'OUTCOME_UNKNOWN',
    reason: 'SERVICE_UNREACHABLE',
  },
]
const cases = endpoints.flatMap((endpoint) => passingFaults.map((fault) => ({ endpoint, fault })))

async function startWith(endpoint: EndpointCase, fault: Fault): Promise<number> {
  const isRefused = fault.first === 'refused'
  under = await startClient(isRefused ? { fetch: await refusedAtFirst(1) } : {})
  under.fixture.on(endpoint.wire, ...(fault.first === 'refused' ? [] : [fault.first]), answerOf(endpoint))
  return isRefused ? 0 : 1
}

describe('a temporary fault', () => {
  test.each(cases.filter(({ endpoint, fault }) => endpoint.law !== 'POST' || fault.post === 'done'))(
    '$endpoint.name after $fault.name is retried and works',
    async ({ endpoint, fault }) => {
      const failed = await startWith(endpoint, fault)
      expect(await under.settled(endpoint.invoke(under.client), fault.stepMs)).toEqual(endpoint.returns)
      expect(under.fixture.requests).toHaveLength(failed + 1)
    },
  )

  test.each(cases.filter(({ endpoint, fault }) => endpoint.law === 'POST' && fault.post !== 'done'))(
    '$endpoint.name after $fault.name is unconfirmed and not retried',
    async ({ endpoint, fault }) => {
      await startWith(endpoint, fault)
      const error = await errorOf(under.settled(endpoint.invoke(under.client), fault.stepMs))
      expect(error.code).toBe('OUTCOME_UNKNOWN')
      expect(error.data['reason']).toBe(fault.reason)
      await under.clock.advance(120_000)
      expect(under.fixture.requests).toHaveLength(1)
    },
  )
})

describe('a deletion', () => {
  const deletions = endpoints.filter(({ law }) => law === 'DELETE')
  const gone = json(404, { error: 'no such record' })

  test.each(deletions)('$name: 404 on the retry means that the first try worked', async (endpoint) => {
    under = await startClient()
    under.fixture.on(endpoint.wire, hangUp, gone)
    expect(await under.settled(endpoint.invoke(under.client))).toEqual({ message: null })
  })

  test.each(deletions)('$name: 404 on the first try is an error', async (endpoint) => {
    under = await startClient()
    under.fixture.on(endpoint.wire, gone)
    expect((await errorOf(endpoint.invoke(under.client))).code).toBe('SERVICE_NOT_FOUND')
  })

  test.each(deletions)('$name: 404 after tries that did not arrive is an error', async (endpoint) => {
    under = await startClient({ fetch: await refusedAtFirst(1) })
    under.fixture.on(endpoint.wire, json(429, {}, { 'Retry-After': '1' }), gone)
    expect((await errorOf(under.settled(endpoint.invoke(under.client)))).code).toBe('SERVICE_NOT_FOUND')
  })

  test.each(deletions)('$name: a 404 web page on the retry proves nothing', async (endpoint) => {
    under = await startClient()
    under.fixture.on(endpoint.wire, hangUp, raw(404, { 'Content-Type': 'text/html' }, '<html></html>'))
    expect((await errorOf(under.settled(endpoint.invoke(under.client)))).code).toBe('NOT_THE_SERVICE')
  })
})

describe('limits', () => {
  test('make five tries with growing pauses of full jitter', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', json(500, { error: 'still down' }))
    const error = await errorOf(under.settled(under.client.dashboard.get(operator)))
    expect(error.code).toBe('SERVICE_FAILED')
    expect(error.data['serviceText']).toBe('still down')
    expect(under.fixture.requests).toHaveLength(5)
    const pauses = under.logged
      .filter(({ message }) => message === 'Retrying')
      .map(({ data }) => Number(data?.['delayMs']))
    expect(pauses).toHaveLength(4)
    pauses.forEach((pauseMs, index) => expect(pauseMs).toBeLessThanOrEqual(500 * 2 ** index))
  })

  test('end all tries after sixty seconds', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n{'))
    const startedMs = under.clock.monotonic()
    expect((await errorOf(under.settled(under.client.dashboard.get(operator), 500))).code).toBe(
      'SERVICE_TIMEOUT',
    )
    expect(under.fixture.requests.length).toBeLessThan(4)
    expect(under.clock.monotonic() - startedMs).toBeLessThan(92_000)
  })

  test('cut slow headers at 10 s and a slow body at 30 s', async () => {
    under = await startClient()
    const drip =
      (text: string): FixtureAnswer =>
      (socket) => {
        for (const part of text) socket.write(part)
      }
    under.fixture.on('POST /contacts', drip('HTTP/1.1 200 OK\r\nX-Slow: '))
    under.fixture.on('POST /templates', drip('HTTP/1.1 200 OK\r\n\r\n{"id": "'))
    const startedMs = under.clock.monotonic()
    const input = { name: '', phone: '+49', email: '', tags: {} }
    const headers = await errorOf(under.settled(under.client.contacts.create(input, bulk), 250))
    const headersMs = under.clock.monotonic() - startedMs
    expect(headers.data['reason']).toBe('SERVICE_TIMEOUT')
    expect(headersMs).toBeLessThan(10_600)
    await errorOf(
      under.settled(under.client.templates.create({ name: '', body: '', variables: {} }, bulk), 250),
    )
    const bodyMs = under.clock.monotonic() - startedMs - headersMs
    expect(bodyMs).toBeGreaterThan(29_000)
    expect(bodyMs).toBeLessThan(31_000)
  })

  test('do not call a service unreachable that answered another call meanwhile', async () => {
    under = await startClient()
    const input = { name: '', phone: '+49', email: '', tags: {} }
    under.fixture.on('POST /contacts', silence)
    const alone = await errorOf(under.settled(under.client.contacts.create(input, bulk), 500))
    expect(alone.data['reason']).toBe('SERVICE_TIMEOUT')
    expect(under.observed).toEqual(['SERVICE_TIMEOUT'])
    const hung = errorOf(under.client.contacts.create(input, bulk))
    await vi.waitFor(() => expect(under.fixture.asked('POST /contacts')).toHaveLength(2))
    await under.clock.advance(2_000)
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.settled(under.client.dashboard.get(operator))
    expect((await under.settled(hung, 500)).data['reason']).toBe('SERVICE_TIMEOUT')
    expect(under.observed).toEqual(['SERVICE_TIMEOUT', 'answered'])
  })

  test('give SERVICE_UNREACHABLE for every method after all tries without a listener, with nothing counted', async () => {
    under = await startClient({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` })
    const read = await errorOf(under.settled(under.client.dashboard.get(operator)))
    const write = await errorOf(
      under.settled(under.client.contacts.create({ name: '', phone: '+49', email: '', tags: {} }, bulk)),
    )
    expect([read.code, write.code]).toEqual(['SERVICE_UNREACHABLE', 'SERVICE_UNREACHABLE'])
    expect(read.data['detail']).toEqual({ key: 'network.refused' })
    expect(under.client.budget.snapshot().usedByUs).toBe(0)
  })

  test('send nothing of a POST whose connection never opens, also when it is cancelled', async () => {
    const swallowing = createServer((socket) => socket.on('error', () => {}).resume())
    await new Promise<void>((resolve) => swallowing.listen(0, '127.0.0.1', resolve))
    const { port } = swallowing.address() as AddressInfo
    under = await startClient({ baseUrl: `https://127.0.0.1:${port}/v1` })
    const input = { name: '', phone: '+49', email: '', tags: {} }
    const error = await errorOf(under.settled(under.client.contacts.create(input, bulk), 500))
    expect(error).toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      data: { detail: { key: 'network.timedOut' } },
    })
    expect(under.client.budget.snapshot().usedByUs).toBe(0)
    const controller = new AbortController()
    const cancelled = under.client.contacts.create(input, {
      ...bulk,
      signal: controller.signal,
      onSend: () => setImmediate(() => controller.abort(new Error('gave up'))),
    })
    await expect(cancelled).rejects.toThrow('gave up')
    swallowing.close()
  })

  test('report a failed TLS handshake at once without a retry', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => {}).resume()
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const port = (plain.address() as AddressInfo).port
    under = await startClient({ baseUrl: `https://127.0.0.1:${port}/v1` })
    const error = await errorOf(
      under.client.contacts.create({ name: '', phone: '+49', email: '', tags: {} }, bulk),
    )
    await new Promise((resolve) => plain.close(resolve))
    expect(error.code).toBe('SERVICE_TLS')
  })
})

/** Faults that loopback cannot produce, as Node 24's undici throws them. */
const thrown = (code: string, syscall?: string) =>
  Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error(`${syscall ?? ''} ${code}`), { code, ...(syscall ? { syscall } : {}) }),
  })

describe('network faults', () => {
  test.each<[string, Error, ErrorCode, ErrorCode]>([
    ['an unknown name', thrown('ENOTFOUND', 'getaddrinfo'), 'SERVICE_UNREACHABLE', 'SERVICE_UNREACHABLE'],
    ['a lookup that fails', thrown('EAI_AGAIN', 'getaddrinfo'), 'SERVICE_UNREACHABLE', 'SERVICE_UNREACHABLE'],
    ['no network', thrown('ENETUNREACH', 'connect'), 'SERVICE_UNREACHABLE', 'SERVICE_UNREACHABLE'],
    [
      'a connect that times out',
      thrown('UND_ERR_CONNECT_TIMEOUT'),
      'SERVICE_UNREACHABLE',
      'SERVICE_UNREACHABLE',
    ],
    ['an untrusted certificate', thrown('DEPTH_ZERO_SELF_SIGNED_CERT'), 'SERVICE_TLS', 'SERVICE_TLS'],
    ['a certificate for another name', thrown('ERR_TLS_CERT_ALTNAME_INVALID'), 'SERVICE_TLS', 'SERVICE_TLS'],
    ['an expired certificate', thrown('CERT_HAS_EXPIRED'), 'SERVICE_TLS', 'SERVICE_TLS'],
    [
      'a host that vanished on an open connection',
      thrown('EHOSTUNREACH', 'read'),
      'SERVICE_UNREACHABLE',
      'OUTCOME_UNKNOWN',
    ],
    ['a write on a dead connection', thrown('EPIPE', 'write'), 'SERVICE_UNREACHABLE', 'OUTCOME_UNKNOWN'],
    ['an unknown error', thrown('EWHATEVER'), 'SERVICE_UNREACHABLE', 'OUTCOME_UNKNOWN'],
    ['an error without a cause', new TypeError('fetch failed'), 'SERVICE_UNREACHABLE', 'OUTCOME_UNKNOWN'],
    [
      'a refusal by both addresses',
      Object.assign(new TypeError('fetch failed'), {
        cause: new AggregateError([
          thrown('ECONNREFUSED', 'connect').cause,
          thrown('ENETUNREACH', 'connect').cause,
        ]),
      }),
      'SERVICE_UNREACHABLE',
      'SERVICE_UNREACHABLE',
    ],
  ])('%s', async (_name, error, readCode, writeCode) => {
    let calls = 0
    under = await startClient({
      fetch(_url, init) {
        calls++
        if (writeCode === 'OUTCOME_UNKNOWN') init?.onOpen?.()
        return Promise.reject(error)
      },
    })
    const read = await errorOf(under.settled(under.client.dashboard.get(operator)))
    expect(read.code).toBe(readCode)
    expect(calls).toBe(readCode === 'SERVICE_TLS' ? 1 : 5)
    calls = 0
    const write = await errorOf(
      under.settled(under.client.contacts.create({ name: '', phone: '+49', email: '', tags: {} }, bulk)),
    )
    expect(write.code).toBe(writeCode)
    expect(calls).toBe(writeCode === 'SERVICE_UNREACHABLE' ? 5 : 1)
  })
})

describe('cancelling', () => {
  test('ends a read in flight with the signal’s reason', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', silence)
    const controller = new AbortController()
    const reading = under.client.dashboard.get({ ...operator, signal: controller.signal })
    await expect.poll(() => under.fixture.requests.length).toBe(1)
    controller.abort(new Error('closed the page'))
    await expect(reading).rejects.toThrow('closed the page')
  })

  test('leaves a POST in flight unconfirmed, but not one still waiting', async () => {
    under = await startClient()
    under.fixture.on(`POST /campaigns/${records.campaign.id}/pause`, silence)
    const controller = new AbortController()
    const pausing = under.client.campaigns.pause(records.campaign.id, {
      ...operator,
      signal: controller.signal,
    })
    await expect.poll(() => under.fixture.requests.length).toBe(1)
    controller.abort(new Error('gave up'))
    expect((await errorOf(pausing)).code).toBe('OUTCOME_UNKNOWN')
    await expect(
      under.client.campaigns.pause(records.campaign.id, { ...operator, signal: controller.signal }),
    ).rejects.toThrow('gave up')
    expect(under.fixture.requests).toHaveLength(1)
  })

  test('ends everything when the client closes', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', silence)
    const reading = errorOf(under.client.dashboard.get(operator))
    await expect.poll(() => under.fixture.requests.length).toBe(1)
    under.client.close()
    expect((await reading).code).toBe('SIGNED_OUT')
    expect((await errorOf(under.client.dashboard.get(operator))).code).toBe('SIGNED_OUT')
    expect(under.clock.pending()).toBe(0)
  })
})

describe('signing in', () => {
  test('retries a broken login once', async () => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', hangUp, loginAnswer())
    await under.settled(under.client.auth.login({ username: 'ada', password: 'pw' }, operator))
    expect(under.credentials.state().status).toBe('signed-in')
  })

  test('names a login answered by a web page', async () => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', raw(200, { 'Content-Type': 'text/html' }, '<html>Wi-Fi</html>'))
    const error = await errorOf(under.client.auth.login({ username: 'ada', password: 'pw' }, operator))
    expect(error.code).toBe('NOT_THE_SERVICE')
    expect(under.saved).toEqual([])
  })

  test.each<[string, unknown]>([
    ['access', { refresh_token: 'r', expires_in: 900 }],
    ['refresh', { access_token: 'a', expires_in: 900 }],
  ])('refuses a login without %s token', async (_name, answer) => {
    under = await startClient({ credential: 'password' })
    under.fixture.on('POST /auth/login', json(200, answer))
    expect((await errorOf(under.client.auth.login({ username: 'a', password: 'b' }, operator))).code).toBe(
      'BAD_ANSWER',
    )
  })
})

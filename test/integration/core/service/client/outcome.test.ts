import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Acted, AppError, isAppError, type Scope } from '#contract/errors.ts'
import { ProxyFailure, type ServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { type FixtureAnswer, hangUp, json, raw, reset, silence } from '../../../../helpers/fixture-service.ts'
import { freePort } from '../../../../helpers/ports.ts'
import { startConnectProxy } from '../../../../helpers/connect-proxy.ts'
import * as records from '../../../../helpers/spec-records.ts'
import { createServiceFetch } from '#electron/core/service/client/service-fetch.ts'
import { createLog } from '#electron/lib/log.ts'
import { bulk, serverWithoutTls, startClient, type UnderTest } from './client-under-test.ts'

// What a call says after every way in which an answer or a failure can enter.

let under: UnderTest
afterEach(() => under.stop())

const deletion = `DELETE /contacts/${records.contact.id}`
const methods = ['GET', 'DELETE', 'POST'] as const
type Method = (typeof methods)[number]
const wires: Record<Method, string> = { GET: 'GET /dashboard', DELETE: deletion, POST: 'POST /contacts' }

/** The end of a call: its error, and whether a request noted before it left is still noted. */
interface End {
  error: unknown
  acted: Acted | null
  scope: Scope | null
  isNoted: boolean
}

async function endOf(method: Method, signal?: AbortSignal, onSend?: () => void): Promise<End> {
  let isNoted = false
  const options = {
    ...bulk,
    ...(signal ? { signal } : {}),
    tries: 2,
    onSend() {
      isNoted = true
      onSend?.()
    },
    onNotDone() {
      expect(isNoted).toBe(true)
      isNoted = false
    },
  }
  const { client } = under
  const call: Promise<unknown> =
    method === 'GET'
      ? under.read(options)
      : method === 'POST'
        ? under.write(options)
        : client.contacts.delete(records.contact.id, options)
  const error = await under.settled(call, 500).then(
    (value) => expect.fail(`resolved with ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  const { acted = null, scope = null } = isAppError(error) ? error : {}
  return { error, acted, scope, isNoted }
}

/** A POST that may have been done is always OUTCOME_UNKNOWN and left once; nothing else is ever called so. */
function expectEnd(end: End, method: Method, acted: Acted, scope: Scope): void {
  expect([end.acted, end.scope, end.isNoted]).toEqual([acted, scope, acted === 'maybe'])
  const isUnknown = isAppError(end.error, 'OUTCOME_UNKNOWN')
  expect(isUnknown).toBe(method === 'POST' && acted === 'maybe')
  if (isUnknown) expect(under.fixture.requests.length).toBeLessThanOrEqual(1)
}

/** The end of a call that never reached the service, and so is in nobody's rate limit. */
async function expectNothingSent(method: Method): Promise<void> {
  expectEnd(await endOf(method), method, 'no', 'network')
  expect(under.client.budget.snapshot().usedByUs).toBe(0)
}

const page = '<!DOCTYPE html><html></html>'
const bodies: [name: string, answer: (status: number, headers: Record<string, string>) => FixtureAnswer][] = [
  ['no body', (status, headers) => raw(status, headers)],
  ['an error', (status, headers) => json(status, { error: 'no' }, headers)],
  ['a page', (status, headers) => raw(status, { ...headers, 'Content-Type': 'text/html' }, page)],
  ['text', (status, headers) => raw(status, { ...headers, 'Content-Type': 'text/plain' }, 'no')],
  ['a body that breaks off', (status, headers) => raw(status, { ...headers, 'Content-Length': '900' }, '{')],
  ['no UTF-8', (status, headers) => raw(status, headers, Buffer.from([0xff, 0xfe]))],
]

const elsewhere = { Location: 'https://login.example/' }
const within = { Location: '/v1/contacts/17' }
type StatusRow = [status: number, acted: Acted, scope: Scope, headers?: Record<string, string>]
const statuses: StatusRow[] = [
  [300, 'no', 'network', elsewhere],
  [301, 'no', 'network', within],
  [302, 'no', 'network', elsewhere],
  // A POST may be answered with a redirect to what it made.
  [302, 'maybe', 'network', within],
  [303, 'maybe', 'network', elsewhere],
  [307, 'no', 'network', within],
  [308, 'no', 'network', elsewhere],
  [400, 'no', 'item'],
  [401, 'no', 'session'],
  [403, 'no', 'session'],
  [404, 'no', 'item'],
  [405, 'no', 'item'],
  [408, 'maybe', 'item'],
  [409, 'no', 'item'],
  [413, 'no', 'item'],
  [422, 'no', 'item'],
  [429, 'no', 'network', { 'Retry-After': '1' }],
  [500, 'maybe', 'item'],
  [501, 'maybe', 'item'],
  [502, 'maybe', 'item'],
  [503, 'maybe', 'item'],
  [504, 'maybe', 'item'],
  [600, 'maybe', 'item'],
]

describe.each(methods)('%s', (method) => {
  describe.each(statuses)('answered with %i', (status, acted, scope, headers = {}) => {
    // A page, and one of the others by turns.
    const turn = status % bodies.length
    test.each(bodies.filter(([name], at) => name === 'a page' || at === turn))(
      `and %s${'Location' in headers ? ` to ${headers.Location}` : ''}`,
      async (name, answer) => {
        under = await startClient()
        under.fixture.on(wires[method], answer(status, headers))
        // A page says that something in front of the service answered.
        const isInFront = name === 'a page' && [401, 404, 405].includes(status)
        expectEnd(await endOf(method), method, acted, isInFront ? 'network' : scope)
      },
    )
  })

  // The spec needs no body after a deletion.
  const unusable = bodies.filter(([name]) => method !== 'DELETE' || /page|error|breaks/.test(name))
  test.each(unusable)('answered with 200 and %s', async (name, answer) => {
    under = await startClient()
    under.fixture.on(wires[method], answer(200, {}))
    expectEnd(await endOf(method), method, 'maybe', /page|breaks/.test(name) ? 'network' : 'item')
  })

  test.each<[string, Acted, Scope, FixtureAnswer]>([
    ['closes', 'maybe', 'network', hangUp],
    ['is reset', 'maybe', 'network', reset],
    ['stays silent', 'maybe', 'network', silence],
    ['stops within the headers', 'maybe', 'network', (socket) => socket.write('HTTP/1.1 200 OK\r\nX-')],
    ['stops within the body', 'maybe', 'network', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n{')],
    ['carries no HTTP', 'maybe', 'item', (socket) => socket.end('SSH-2.0\r\n')],
    ['carries status 99', 'maybe', 'item', (socket) => socket.end('HTTP/1.1 099 Odd\r\n\r\n')],
  ])('whose open connection %s', async (_name, acted, scope, answer) => {
    under = await startClient()
    under.fixture.on(wires[method], answer)
    expectEnd(await endOf(method), method, acted, scope)
  })

  test('without a listener', async () => {
    under = await startClient({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` })
    await expectNothingSent(method)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['never ends', () => {}],
    ['is answered in plain text', (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['is cut off', (socket) => void socket.destroy()],
    ['is reset', (socket) => void socket.resetAndDestroy()],
  ])('whose TLS handshake %s', async (_name, answer) => {
    under = await startClient({ baseUrl: await serverWithoutTls(answer) })
    await expectNothingSent(method)
  })

  test.each([403, 407, 502, 0])('whose proxy answers %i', async (status) => {
    const proxy = await startConnectProxy(await freePort())
    proxy.answer(status)
    const fetch = createServiceFetch({
      resolveProxies: () => Promise.resolve([`http://${proxy.host}`]),
      log: createLog(() => {}, 'test'),
    })
    under = await startClient({ fetch: fetch.fetch, baseUrl: 'https://service.example/v1' })
    await expectNothingSent(method)
    await fetch.close()
    await proxy.stop()
  })

  const coded = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  const thrown = [
    ...[
      'ECONNREFUSED',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ENETUNREACH',
      'EHOSTUNREACH',
      'ECONNRESET',
      'EPIPE',
      'EWHATEVER',
    ].map(coded),
    ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET', 'CERT_HAS_EXPIRED', 'ERR_SSL_WRONG_VERSION_NUMBER'].map(
      coded,
    ),
    new ProxyFailure('proxy.example', null),
    new ProxyFailure('proxy.example', 407),
    new TypeError('fetch failed'),
    new TypeError('fetch failed', { cause: new AggregateError(['ECONNREFUSED', 'ENETUNREACH'].map(coded)) }),
  ].map((error) => [error instanceof ProxyFailure ? error.message : String(error.cause), error] as const)
  test.each(thrown)('that throws %s: only the connection says whether it left', async (_name, error) => {
    for (const isOpen of [false, true]) {
      let calls = 0
      const fetch: ServiceFetch['fetch'] = (_url, init) => {
        calls++
        if (isOpen) init?.onOpen?.()
        return Promise.reject(error)
      }
      under = await startClient({ fetch })
      expectEnd(await endOf(method), method, isOpen ? 'maybe' : 'no', 'network')
      if (isOpen && method === 'POST') expect(calls).toBe(1)
      if (!isOpen) await under.stop()
    }
  })

  test('cancelled before its connection is open', async () => {
    under = await startClient({ baseUrl: await serverWithoutTls(() => {}) })
    const controller = new AbortController()
    const reason = new Error('gave up')
    const end = await endOf(method, controller.signal, () => setImmediate(() => controller.abort(reason)))
    expect(end).toMatchObject({ error: reason, isNoted: false })
    expect(under.client.budget.snapshot().usedByUs).toBe(0)
  })

  test('cancelled after it arrived', async () => {
    under = await startClient()
    const controller = new AbortController()
    const reason = new Error('gave up')
    under.fixture.on(wires[method], () => controller.abort(reason))
    const end = await endOf(method, controller.signal)
    expect(end.isNoted).toBe(true)
    if (method === 'POST') expectEnd(end, method, 'maybe', 'network')
    else expect(end.error).toBe(reason)
    expect(await endOf(method, controller.signal)).toMatchObject({ error: reason, isNoted: false })
    expect(under.fixture.requests).toHaveLength(1)
  })

  test('whose note can’t be written', async () => {
    under = await startClient()
    const refusal = new AppError('ON_DNC')
    const end = await endOf(method, undefined, () => {
      throw refusal
    })
    expect([end.error, under.fixture.requests]).toEqual([refusal, []])
  })

  test('whose sign-in can’t be renewed', async () => {
    under = await startClient({
      credential: { saved: { refreshToken: 'r', refreshTokenEndsAt: '2027-01-01' } },
    })
    under.fixture.on('POST /auth/refresh', json(500, {}))
    expectEnd(await endOf(method), method, 'no', 'network')
    expect(under.fixture.asked(wires[method])).toEqual([])
  })
})

const [failed, refused, gone] = [json(500, {}), json(400, {}), json(404, {})]
const limited = json(429, {}, { 'Retry-After': '1' })
test.each<[string, FixtureAnswer[], Acted, Scope]>([
  ['fails and is then refused', [failed, refused], 'maybe', 'item'],
  ['fails and then lacks permission', [failed, json(403, {})], 'maybe', 'session'],
  ['fails and then meets an ended session', [failed, json(401, {})], 'maybe', 'session'],
  ['hangs up and then redirects', [hangUp, raw(302, elsewhere)], 'maybe', 'network'],
  ['waits for the rate limit and is then refused', [limited, refused], 'no', 'item'],
  ['waits for the rate limit and then finds nothing', [limited, gone], 'no', 'item'],
])('a deletion that %s counts every try', async (_name, answers, acted, scope) => {
  under = await startClient()
  under.fixture.on(deletion, ...answers)
  expectEnd(await endOf('DELETE'), 'DELETE', acted, scope)
})

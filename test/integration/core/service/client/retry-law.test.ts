import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ErrorCode } from '#contract/errors.ts'
import { type FixtureAnswer, hangUp, json, raw, reset, silence } from '../../../../helpers/fixture-service.ts'
import { bulk, errorOf, startClient, type UnderTest } from './client-under-test.ts'
import { answerOf, type EndpointCase, endpoints, isDeletion, isPost } from './endpoints.ts'
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
  /** Why a POST is unconfirmed after it; without a reason, a POST is repeated too. */
  reason?: ErrorCode
  /** Fake milliseconds per real one, to pass long waits faster. */
  stepMs?: number
}

const cutShort = raw(200, { 'Content-Type': 'application/json', 'Content-Length': '9000' }, '{"id":')
/** Temporary faults: reads and deletions are retried and then succeed. */
const passingFaults: Fault[] = [
  { name: 'refused before a byte', first: 'refused' },
  { name: '429', first: json(429, { error: 'slow down' }, { 'Retry-After': '2' }) },
  { name: 'a closed connection', first: hangUp, reason: 'SERVICE_UNREACHABLE' },
  { name: 'a reset connection', first: reset, reason: 'SERVICE_UNREACHABLE' },
  { name: 'silence', first: silence, reason: 'SERVICE_TIMEOUT', stepMs: 500 },
  { name: '500', first: json(500, { error: 'committed, then fell' }), reason: 'SERVICE_FAILED' },
  { name: '503', first: json(503, { error: 'busy' }), reason: 'SERVICE_FAILED' },
  { name: 'an answer that breaks off', first: cutShort, reason: 'SERVICE_UNREACHABLE' },
]
/** Every fault of what changes something; reads meet two of them each, by turns. */
const cases = endpoints.flatMap((endpoint, turn) =>
  passingFaults
    .filter((_, at) => !endpoint.wire.startsWith('GET') || at % 4 === turn % 4)
    .map((fault) => ({ endpoint, fault })),
)

async function startWith(endpoint: EndpointCase, fault: Fault): Promise<number> {
  const isRefused = fault.first === 'refused'
  under = await startClient(isRefused ? { fetch: await refusedAtFirst(1) } : {})
  under.fixture.on(endpoint.wire, ...(fault.first === 'refused' ? [] : [fault.first]), answerOf(endpoint))
  return isRefused ? 0 : 1
}

describe('a temporary fault', () => {
  test.each(cases.filter(({ endpoint, fault }) => !isPost(endpoint) || !fault.reason))(
    '$endpoint.wire after $fault.name is retried and works',
    async ({ endpoint, fault }) => {
      const failed = await startWith(endpoint, fault)
      expect(await under.settled(endpoint.invoke(under.client), fault.stepMs)).toEqual(endpoint.returns)
      expect(under.fixture.requests).toHaveLength(failed + 1)
    },
  )

  test.each(cases.filter(({ endpoint, fault }) => isPost(endpoint) && fault.reason))(
    '$endpoint.wire after $fault.name is unconfirmed and not retried',
    async ({ endpoint, fault }) => {
      await startWith(endpoint, fault)
      const error = await errorOf(under.settled(endpoint.invoke(under.client), fault.stepMs))
      expect([error.code, error.data['reason']]).toEqual(['OUTCOME_UNKNOWN', fault.reason])
      await under.clock.advance(120_000)
      expect(under.fixture.requests).toHaveLength(1)
    },
  )
})

describe('a deletion', () => {
  const gone = json(404, { error: 'no such record' })

  const page = raw(404, { 'Content-Type': 'text/html' }, '<html></html>')
  const limited = json(429, {}, { 'Retry-After': '1' })
  test.each<[string, FixtureAnswer[], ErrorCode | 'done', boolean]>([
    ['on the retry means that the first try worked', [hangUp, gone], 'done', false],
    ['on the first try is an error', [gone], 'SERVICE_NOT_FOUND', false],
    ['after tries that did not arrive is an error', [limited, gone], 'SERVICE_NOT_FOUND', true],
    ['as a web page on the retry proves nothing', [hangUp, page], 'NOT_THE_SERVICE', false],
  ])('404 %s', async (_name, answers, code, isRefusedAtFirst) => {
    under = await startClient(isRefusedAtFirst ? { fetch: await refusedAtFirst(1) } : {})
    for (const { wire, invoke } of endpoints.filter(isDeletion)) {
      under.fixture.on(wire, ...answers)
      const deleting = under.settled(invoke(under.client))
      if (code === 'done') expect(await deleting).toEqual({ message: null })
      else expect((await errorOf(deleting)).code).toBe(code)
    }
  })
})

describe('limits', () => {
  test('make five tries with growing pauses of full jitter', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', json(500, { error: 'still down' }))
    const error = await errorOf(under.settled(under.read()))
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
    expect((await errorOf(under.settled(under.read(), 500))).code).toBe('SERVICE_TIMEOUT')
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
    const headers = await errorOf(under.settled(under.write(), 250))
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
    under.fixture.on('POST /contacts', silence)
    const alone = await errorOf(under.settled(under.write(), 500))
    expect(alone.data['reason']).toBe('SERVICE_TIMEOUT')
    expect(under.observed).toEqual(['SERVICE_TIMEOUT'])
    const hung = errorOf(under.write())
    await vi.waitFor(() => expect(under.fixture.asked('POST /contacts')).toHaveLength(2))
    await under.clock.advance(2_000)
    under.fixture.on('GET /dashboard', json(200, records.dashboard))
    await under.settled(under.read())
    expect((await under.settled(hung, 500)).data['reason']).toBe('SERVICE_TIMEOUT')
    expect(under.observed).toEqual(['SERVICE_TIMEOUT', 'answered'])
  })
})

describe('cancelling', () => {
  test('ends everything when the client closes', async () => {
    under = await startClient()
    under.fixture.on('GET /dashboard', silence)
    const reading = errorOf(under.read())
    await expect.poll(() => under.fixture.requests.length).toBe(1)
    under.client.close()
    expect((await reading).code).toBe('SIGNED_OUT')
    expect((await errorOf(under.read())).code).toBe('SIGNED_OUT')
    expect(under.clock.pending()).toBe(0)
  })
})

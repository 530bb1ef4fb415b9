import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FeedSink, FeedState } from '#electron/listener/feed-client.ts'
import {
  type FeedDelivery,
  type FeedPage,
  feedPageBytes,
  type FeedRequest,
  feedWaitMs,
  readFeedQuery,
} from '#electron/listener/feed-protocol.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { createReader, readFeed } from '../../helpers/relay.ts'

const page = (after: number, count: number, changes: Partial<FeedPage> = {}): FeedPage => ({
  relayId: 'r1',
  session: 's1',
  path: '/webhooks',
  lastSeq: 99,
  after,
  periods: [],
  gap: null,
  deliveries: Array.from({ length: count }, (_one, at) => ({
    receivedMs: at,
    headers: [],
    body: Buffer.from(`${after + at + 1}`).toString('base64'),
  })),
  ...changes,
})

type Answer = object | string | { status: number; reason?: string }

/** A relay that answers each request as the test says; null: never. */
async function scriptedRelay(answer: (request: FeedRequest, count: number) => Answer | null) {
  const requests: FeedRequest[] = []
  const open: ServerResponse[] = []
  const server = createServer((req, res) => {
    const request = readFeedQuery(new URL(req.url!, 'http://relay').searchParams)!
    open.push(res)
    const text = answer(request, requests.push(request))
    if (text === null) return
    if (typeof text === 'object' && 'status' in text) res.statusCode = text.status
    res.end(typeof text === 'string' ? text : JSON.stringify(text))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, token: 't', requests, open }
}

/** The reader's sink, which does something before it stores deliveries. */
const after = (
  reader: ReturnType<typeof createReader>,
  before: (deliveries: readonly FeedDelivery[]) => unknown,
): FeedSink => ({
  ...reader.sink,
  async store(relayId, deliveries) {
    await before(deliveries)
    await reader.sink.store(relayId, deliveries)
  },
})

const gapTo = (toSeq: number) => ({ toSeq, fromMs: null, toMs: null })
const isUnreachable = ({ kind }: FeedState) => kind === 'unreachable'
const seqs = (reader: ReturnType<typeof createReader>) => reader.deliveries.map(({ seq }) => seq)

describe('the feed client', () => {
  it('asks for more only when what it has is durable', async () => {
    const relay = await scriptedRelay((request) => (request.after === 0 ? page(0, 2) : null))
    const reader = createReader()
    const durable = Promise.withResolvers<null>()
    const begun = Promise.withResolvers<null>()
    const sink = after(reader, () => {
      begun.resolve(null)
      return durable.promise
    })
    const feed = readFeed(relay, reader, { sink })
    await begun.promise
    await new Promise((resolve) => setImmediate(resolve))
    expect(relay.requests).toHaveLength(1)
    durable.resolve(null)
    await feed.state((state) => state.kind === 'connected' && state.behind === 97)
    await expect.poll(() => relay.requests[1]).toMatchObject({ relayId: 'r1', after: 2, session: 's1' })
  })

  it('asks again from its own position when storing fails', async () => {
    const relay = await scriptedRelay(({ after }) => (after < 3 ? page(after, after === 0 ? 1 : 2) : null))
    const reader = createReader()
    let fails = true
    const sink = after(reader, ([first]) => {
      if (first!.seq !== 2 || !fails) return
      fails = false
      throw new Error('The disk is full')
    })
    const feed = readFeed(relay, reader, { sink })
    expect(await feed.state(isUnreachable)).toMatchObject({ detail: 'The disk is full' })
    await feed.state((state) => state.kind === 'connected' && state.behind === 96)
    expect(seqs(reader)).toEqual([1, 2, 3])
    expect(relay.requests.map(({ after }) => after).slice(0, 3)).toEqual([0, 1, 1])
  })

  it.each([
    ['goes on after another number', page(5, 1)],
    ['has a gap that ends before it begins', page(0, 1, { gap: gapTo(0) })],
    ['sends what is no page', '{"type":"other"}'],
    ['sends too long a page', ' '.repeat(feedPageBytes + 1)],
  ])('leaves a relay that %s', async (_what, answer) => {
    const relay = await scriptedRelay(() => answer)
    const reader = createReader()
    reader.sink.gap('r1', { fromSeq: 0, ...gapTo(0) })
    const feed = readFeed(relay, reader, { random: () => 1 })
    expect(await feed.state(isUnreachable)).toMatchObject({ detail: { key: 'relay.protocol' } })
    expect(reader.deliveries).toEqual([])
    expect(reader.gaps).toHaveLength(1)
  })

  it('starts over at a relay with another numbering, after what it no longer has', async () => {
    const answers = [page(0, 1, { relayId: 'r2', gap: gapTo(4) })]
    const relay = await scriptedRelay(() => answers.shift() ?? null)
    const reader = createReader()
    reader.sink.gap('r1', { fromSeq: 1, ...gapTo(40) })
    await readFeed(relay, reader).state((state) => state.kind === 'connected' && state.behind === 94)
    expect(reader.position()).toEqual({ relayId: 'r2', seq: 5 })
    expect(reader.gaps.at(-1)).toEqual({ fromSeq: 1, ...gapTo(4) })
  })

  it('returns when a relay restarts, and waits for a person when it was refused', async () => {
    const answers: Answer[] = [
      page(0, 0),
      { status: 503, reason: 'stopping' },
      page(0, 0),
      { status: 401, reason: 'revoked' },
    ]
    const relay = await scriptedRelay(() => answers.shift()!)
    const feed = readFeed(relay, createReader())
    expect(await feed.state(({ kind }) => kind === 'refused')).toEqual({ kind: 'refused', reason: 'revoked' })
    expect(feed.states.find(isUnreachable)).toMatchObject({ detail: { key: 'relay.stopping' } })
    // A new connection greets first, without the session of the one before.
    expect(relay.requests.map(({ session }) => session)).toEqual([undefined, 's1', undefined, 's1'])
  })

  it.each([
    ['another program', 404, 'refused'],
    ['a proxy that asks for a sign-in', 401, 'unreachable'],
  ])('recognizes %s by its %i', async (_what, status, kind) => {
    const relay = await scriptedRelay(() => ({ status }))
    await readFeed(relay, createReader(), { random: () => 1 }).state((state) => state.kind === kind)
  })

  it('leaves a relay that stopped answering in the middle of a page', async () => {
    const clock = createFakeClock()
    const relay = await scriptedRelay(({ session }) => (session ? null : page(0, 0)))
    const feed = readFeed(relay, createReader(), { clock })
    await expect.poll(() => relay.open.length).toBe(2)
    await clock.advance(feedWaitMs)
    // Some of it comes, and counts as a sign of life.
    relay.open[1]!.write('{"relayId":')
    await clock.advance(9_000)
    expect(feed.states.some(isUnreachable)).toBe(false)
    await clock.advance(feedWaitMs + 10_000)
    expect(await feed.state(isUnreachable)).toMatchObject({ detail: { key: 'relay.noAnswer' } })
  })

  it('waits longer after each failure, at most 30 seconds', async () => {
    const clock = createFakeClock()
    const delays: number[] = []
    // Nothing listens there.
    readFeed({ url: 'http://127.0.0.1:1', token: 't' }, createReader(), {
      onState(state) {
        if (state.kind === 'unreachable') delays.push(state.retryAtMs - clock.now())
      },
      clock,
      random: () => 1,
    })
    for (let at = 0; at < 8; at++) {
      await expect.poll(() => delays.length).toBe(at + 1)
      await clock.advance(delays[at]!)
    }
    expect(delays.slice(0, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  })

  it('waits longer each time when a relay only greets it', async () => {
    const clock = createFakeClock()
    const relay = await scriptedRelay(({ session }) =>
      session ? { status: 503, reason: 'storage' } : page(0, 0),
    )
    const feed = readFeed(relay, createReader(), { clock, random: () => 1 })
    const waits = () =>
      feed.states.flatMap((state) => (state.kind === 'unreachable' ? [state.retryAtMs] : []))
    let delayMs = 0
    for (let at = 1; at <= 4; at++) {
      await expect.poll(() => waits().length).toBe(at)
      const longerMs = waits().at(-1)! - clock.now()
      expect(longerMs).toBeGreaterThan(delayMs)
      delayMs = longerMs
      await clock.advance(delayMs)
    }
  })

  it('never sends its token unencrypted to another computer', async () => {
    const feed = readFeed({ url: 'http://relay.example', token: 't' }, createReader())
    expect(await feed.state(({ kind }) => kind === 'refused')).toMatchObject({
      kind: 'refused',
      reason: 'insecure-url',
    })
  })
})

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { FeedSink, FeedState } from '#electron/listener/feed-client.ts'
import {
  encodeBatch,
  feedClose,
  type FeedDelivery,
  readFeedRequest,
} from '#electron/listener/feed-protocol.ts'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { createReader, readFeed } from '../../helpers/relay.ts'

type Request = ReturnType<typeof readFeedRequest>

const delivery = (seq: number): FeedDelivery => ({
  seq,
  receivedMs: seq,
  isSigned: true,
  headers: [],
  body: Buffer.from(JSON.stringify({ message_id: `m${seq}` })),
})
const batch = (...seqs: number[]) => encodeBatch({ lastSeq: 99, deliveries: seqs.map(delivery) })
const welcome = (after = 0, relayId = 'r1') =>
  JSON.stringify({ type: 'welcome', relayId, inbox: 'main', after, lastSeq: 99, nowMs: 1 })

/** A relay that does as the test says: `answer` is called with each request of a console. */
async function scriptedRelay(answer: (request: Request, socket: WebSocket, connection: number) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  const requests: Request[] = []
  let connections = 0
  server.on('connection', (socket) => {
    const connection = ++connections
    socket.on('message', (data: Buffer) => {
      const request = readFeedRequest(data.toString())
      requests.push(request)
      answer(request, socket, connection)
    })
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, token: 't', requests }
}

/** A relay that answers each wish to read with these frames. */
const relayOf = (...frames: (string | Buffer)[]) =>
  scriptedRelay((request, socket) => {
    if (request.type === 'read') for (const frame of frames) socket.send(frame)
  })

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

const gapOf = (fromSeq: number, toSeq: number) =>
  JSON.stringify({ type: 'gap', fromSeq, toSeq, count: 1, fromMs: null, toMs: null })

const reads = (requests: readonly Request[]) => requests.filter(({ type }) => type === 'read')
const isUnreachable = ({ kind }: FeedState) => kind === 'unreachable'

describe('the feed client', () => {
  it('acknowledges only what is durable', async () => {
    let socketOf: WebSocket | undefined
    const relay = await scriptedRelay((request, socket) => {
      if (request.type !== 'read') return
      socketOf = socket
      socket.send(welcome())
      socket.send(batch(1, 2))
    })
    const reader = createReader()
    const durable = Promise.withResolvers<null>()
    const begun = Promise.withResolvers<null>()
    const sink = after(reader, () => {
      begun.resolve(null)
      return durable.promise
    })
    const feed = readFeed(relay, reader, { sink })
    await begun.promise
    // An acknowledgement would have come before the answer to this.
    socketOf!.ping()
    await once(socketOf!, 'pong')
    expect(relay.requests.map(({ type }) => type)).toEqual(['read'])
    durable.resolve(null)
    await feed.state((state) => state.kind === 'connected' && state.behind === 97)
    await expect.poll(() => relay.requests.at(-1)).toEqual({ type: 'ack', seq: 2 })
  })

  it('passes a repeated delivery on once', async () => {
    const relay = await relayOf(welcome(), batch(1, 2), batch(2, 3))
    const reader = createReader()
    await readFeed(relay, reader).state((state) => state.kind === 'connected' && state.behind === 96)
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  it('asks again from its own position when storing fails', async () => {
    const relay = await scriptedRelay((request, socket, connection) => {
      if (request.type === 'read') {
        socket.send(welcome(request.after))
        socket.send(connection === 1 ? batch(1) : batch(2, 3))
      } else if (connection === 1) socket.send(batch(2))
    })
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
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(reads(relay.requests)).toMatchObject([
      { relayId: null, after: 0 },
      { relayId: 'r1', after: 1 },
    ])
  })

  it.each([
    ['skips deliveries without telling a gap', [welcome(), batch(2)]],
    ['sends deliveries before the welcome', [batch(1)]],
    ['goes on after another number', [welcome(5)]],
    ['has a gap after a gap in its numbers', [welcome(), gapOf(5, 9)]],
    ['has a gap that ends before it begins', [welcome(), gapOf(1, 0)]],
    ['sends what is no message', [welcome(), '{"type":"other"}']],
    ['sends more than its window', [welcome(), ...Array.from({ length: 60 }, (_one, at) => batch(at + 1))]],
  ])('leaves a relay that %s', async (_what, frames) => {
    const relay = await relayOf(...frames)
    const reader = createReader()
    await reader.sink.gap('r1', { fromSeq: 0, toSeq: 0, count: 0, fromMs: null, toMs: null })
    const sink = after(reader, () => new Promise((resolve) => setImmediate(resolve)))
    const feed = readFeed(relay, reader, { sink })
    expect(await feed.state(isUnreachable)).toMatchObject({ detail: { key: 'relay.protocol' } })
    expect(reader.deliveries.map(({ seq }) => seq)).toEqual(reader.deliveries.map((_one, at) => at + 1))
    expect(reader.gaps).toHaveLength(1)
  })

  it('starts over at a relay with another numbering', async () => {
    const relay = await relayOf(welcome(0, 'r2'), batch(1))
    const reader = createReader()
    await reader.sink.gap('r1', { fromSeq: 1, toSeq: 40, count: 40, fromMs: null, toMs: null })
    const feed = readFeed(relay, reader)
    await feed.state((state) => state.kind === 'connected' && state.behind === 98)
    expect(reader.position()).toEqual({ relayId: 'r2', seq: 1 })
  })

  it('returns when a relay restarts, and waits for a person when it was refused', async () => {
    const relay = await scriptedRelay((request, socket, connection) => {
      if (request.type !== 'read') return
      socket.send(welcome())
      if (connection === 1) socket.close(feedClose.stopping)
      else if (connection === 2) socket.close(feedClose.revoked)
    })
    const feed = readFeed(relay, createReader())
    expect(await feed.state(({ kind }) => kind === 'refused')).toMatchObject({
      kind: 'refused',
      reason: 'revoked',
    })
    expect(feed.states.find(isUnreachable)).toMatchObject({ detail: { key: 'relay.stopping' } })
    expect(reads(relay.requests)).toHaveLength(2)
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

  it('waits longer each time when a relay only welcomes it', async () => {
    const clock = createFakeClock()
    const relay = await scriptedRelay((request, socket) => {
      if (request.type !== 'read') return
      socket.send(welcome())
      socket.close(feedClose.storage)
    })
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

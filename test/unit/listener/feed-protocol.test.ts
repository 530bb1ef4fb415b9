import { describe, expect, it } from 'vitest'
import {
  decodeBatch,
  encodeBatch,
  type FeedBatch,
  FeedProtocolError,
  readFeedMessage,
  readFeedRequest,
} from '#electron/listener/feed-protocol.ts'

const delivery = (seq: number, body: Uint8Array) => ({
  seq,
  receivedMs: 1_000 + seq,
  isSigned: seq % 2 === 0,
  headers: [['x-webhook-signature', 'ab']] as [string, string][],
  body,
})

const batch: FeedBatch = {
  lastSeq: 9,
  deliveries: [
    delivery(3, Buffer.from([0, 255, 10, 13])),
    delivery(4, Buffer.alloc(0)),
    delivery(7, Buffer.from('{"é":"\u0000"}')),
  ],
}

describe('the feed protocol', () => {
  it('carries bodies byte for byte', () => {
    const read = decodeBatch(encodeBatch(batch))
    expect(read.lastSeq).toBe(9)
    expect(read.deliveries.map(({ body }) => Buffer.from(body).toString('hex'))).toEqual(
      batch.deliveries.map(({ body }) => Buffer.from(body).toString('hex')),
    )
    expect(read.deliveries.map(({ body: _body, ...one }) => one)).toEqual(
      batch.deliveries.map(({ body: _body, ...one }) => one),
    )
  })

  it('refuses every batch that is cut short or too long', () => {
    const frame = encodeBatch(batch)
    for (let length = 0; length < frame.length; length++)
      expect(() => decodeBatch(frame.subarray(0, length)), `${length} bytes`).toThrow(FeedProtocolError)
    expect(() => decodeBatch(Buffer.concat([frame, Buffer.from([0])]))).toThrow(FeedProtocolError)
  })

  it('refuses sequences that do not rise', () => {
    const [first, second] = batch.deliveries
    expect(() => decodeBatch(encodeBatch({ lastSeq: 9, deliveries: [second!, first!] }))).toThrow(/rise/)
  })

  it('reads its own messages and refuses others', () => {
    const read = { type: 'read', inbox: 'main', relayId: null, after: 0 }
    expect(readFeedRequest(JSON.stringify(read))).toEqual(read)
    for (const wrong of ['', '[]', '{"type":"ack"}', '{"type":"ack","seq":-1}', '{"type":"ack","seq":1.5}'])
      expect(() => readFeedRequest(wrong), wrong).toThrow(FeedProtocolError)
    expect(() => readFeedRequest(JSON.stringify({ ...read, token: 'x' }))).toThrow(FeedProtocolError)
    expect(() => readFeedMessage('{"type":"welcome"}')).toThrow(FeedProtocolError)
  })

  it('reads back the longest id that a relay can have', () => {
    const relayId = `switchboard-inbox-${'x'.repeat(63)}@2026-11-23T10:00:00.123456789Z#01234567`
    const welcome = { type: 'welcome', relayId, inbox: 'main', after: 0, lastSeq: 0, nowMs: 0 }
    expect(readFeedMessage(JSON.stringify(welcome))).toEqual(welcome)
    const read = { type: 'read', inbox: 'x'.repeat(63), relayId, after: 7 }
    expect(readFeedRequest(JSON.stringify(read))).toEqual(read)
  })

  it('refuses times that no date can hold, other hosts and endless lists', () => {
    const gap = { type: 'gap', fromSeq: 1, toSeq: 2, count: 2, fromMs: null, toMs: null }
    const welcome = { type: 'welcome', relayId: 'r', inbox: 'main', after: 0, lastSeq: 0, nowMs: 0 }
    const ended = { aliveMs: 0, endedMs: null, endReason: null, firstDeliveryMs: null }
    const period = { id: 1, startedMs: 0, ...ended }
    const listening = (periods: unknown[]) => ({ type: 'listening', periods })
    for (const wrong of [
      { ...gap, fromMs: 1e300 },
      { ...gap, toMs: -1 },
      { ...gap, toMs: 1.5 },
      { ...welcome, path: '@elsewhere.example/' },
      { ...welcome, path: 'webhooks' },
      { ...welcome, relayId: 'x'.repeat(257) },
      listening([{ ...period, aliveMs: 1e300 }]),
      listening(Array.from({ length: 1_001 }, (_one, id) => ({ ...period, id }))),
    ])
      expect(() => readFeedMessage(JSON.stringify(wrong)), JSON.stringify(wrong)).toThrow(FeedProtocolError)
    expect(readFeedMessage(JSON.stringify(listening([period])))).toEqual(listening([period]))
    const at = (receivedMs: number) =>
      encodeBatch({ lastSeq: 1, deliveries: [{ ...delivery(1, Buffer.alloc(0)), receivedMs }] })
    for (const receivedMs of [1e300, -1, 0.5])
      expect(() => decodeBatch(at(receivedMs)), String(receivedMs)).toThrow(FeedProtocolError)
  })

  it('ignores settings that a newer relay adds to a message', () => {
    const gap = { type: 'gap', fromSeq: 1, toSeq: 2, count: 2, fromMs: null, toMs: null }
    expect(readFeedMessage(JSON.stringify({ ...gap, later: true }))).toEqual(gap)
  })
})

import * as z from 'zod'
import type { Span } from './journal.ts'

/**
 * The feed between a relay and a console: one WebSocket per console and inbox. Both sides import this file. See
 * `electron/relay/README.md` for the order of messages.
 */

/** WebSocket subprotocol. The number rises with every change that an older side can't ignore. */
export const feedProtocol = 'switchboard-feed.v1'
export const feedPath = '/feed'

/** A relay reads no further while this many batches and gaps are unacknowledged. */
export const feedWindow = 8
/** Of one batch; a single delivery may be larger. */
export const feedBatch = { items: 128, bytes: 256 * 1024 }
/** Longest frame a console accepts. */
export const feedFrameBytes = 8 * 1024 * 1024
/** Most listening periods in one message. */
export const feedPeriods = 1_000
/** The path of an inbox. A console appends it to the relay's address, so it must not change the host. */
export const inboxPath = /^\/[\w./~-]{1,200}$/
/** The relay pings this often, and ends feeds that did not answer the previous ping. */
export const feedPingMs = 15_000

/** Close codes of the relay. After 4401, 4403, 4409 and 4410 a console waits for a person. */
export const feedClose = {
  stopping: 1001,
  badMessage: 4400,
  revoked: 4401,
  otherInbox: 4403,
  ahead: 4409,
  replaced: 4410,
  storage: 4503,
} as const

const seq = z.number().int().nonnegative()
/** A time that `Date` and the journal can hold. */
const ms = z.number().int().min(0).max(8.64e15)
/** JetStream stores name the stream and its creation: about 120 characters with the longest inbox. */
const relayId = z.string().min(1).max(256)

/** From the console. `after` is the last sequence it has durably; ignored unless `relayId` is the relay's. */
const read = z.strictObject({
  type: z.literal('read'),
  inbox: z.string().max(64),
  relayId: relayId.nullable(),
  after: seq,
  /** Listening periods that ended before are not sent. */
  listeningSinceMs: ms.optional(),
})
/** From the console: everything up to `seq` is durable. */
const ack = z.strictObject({ type: z.literal('ack'), seq })
const fromConsole = z.discriminatedUnion('type', [read, ack])
export type FeedRead = z.infer<typeof read>
export type FeedRequest = z.infer<typeof fromConsole>

/** First answer to `read`. Deliveries follow from `after` + 1. */
const welcome = z.object({
  type: z.literal('welcome'),
  /** Names the numbering. With another id, sequences start over. */
  relayId,
  inbox: z.string(),
  /** Where the service delivers to this inbox. */
  path: z.string().regex(inboxPath).optional(),
  after: seq,
  lastSeq: seq,
  nowMs: ms,
})
const period = z.object({
  id: z.number().int(),
  startedMs: ms,
  aliveMs: ms,
  endedMs: ms.nullable(),
  endReason: z.string().max(64).nullable(),
  firstDeliveryMs: ms.nullable(),
})
/** When the relay could receive. Sent after `welcome` and with each ping; a period may be sent again, longer. */
const listening = z.object({ type: z.literal('listening'), periods: z.array(period).max(feedPeriods) })
/** Deliveries the relay no longer has. Times are of the first and last, null when unknown. */
const gap = z.object({
  type: z.literal('gap'),
  fromSeq: seq,
  toSeq: seq,
  count: seq,
  fromMs: ms.nullable(),
  toMs: ms.nullable(),
})
const fromRelay = z.discriminatedUnion('type', [welcome, listening, gap])
export type FeedGap = z.infer<typeof gap>
export type ListeningPeriod = Omit<Span, 'port' | 'endReason'> & { endReason: string | null }
export type FeedMessage = z.infer<typeof fromRelay>

const delivery = z.object({
  seq,
  receivedMs: ms,
  /** Whether the relay checked its signature. A console with the secret checks again. */
  isSigned: z.boolean(),
  /** As kept by the listener, and the signature header. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  sizeBytes: z.number().int().nonnegative(),
})
const batchHead = z.object({ lastSeq: seq, deliveries: z.array(delivery) })

export interface FeedDelivery extends Omit<z.infer<typeof delivery>, 'sizeBytes'> {
  /** Raw bytes as they arrived. */
  body: Uint8Array
}

export interface FeedBatch {
  /** Newest sequence at the relay, to show how far the console is behind. */
  lastSeq: number
  deliveries: FeedDelivery[]
}

/** A malformed message. The connection closes. */
export class FeedProtocolError extends Error {
  override readonly name = 'FeedProtocolError'
}

function parse<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new FeedProtocolError('Not a message of this protocol', { cause })
  }
}

export const readFeedRequest = (text: string): FeedRequest => parse(fromConsole, text)
export const readFeedMessage = (text: string): FeedMessage => parse(fromRelay, text)

/** A binary frame: length of the JSON (4 bytes, big endian), the JSON, the bodies one after another. */
export function encodeBatch({ lastSeq, deliveries }: FeedBatch): Buffer {
  const head = Buffer.from(
    JSON.stringify({
      lastSeq,
      deliveries: deliveries.map(({ body, ...one }) => ({ ...one, sizeBytes: body.length })),
    }),
  )
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, ...deliveries.map(({ body }) => body)])
}

/** Reads `encodeBatch`. Bodies share the frame's memory. Sequences rise. */
export function decodeBatch(frame: Buffer): FeedBatch {
  const headEnd = frame.length < 4 ? Infinity : 4 + frame.readUInt32BE(0)
  if (headEnd > frame.length) throw new FeedProtocolError('A batch is cut short')
  const { lastSeq, deliveries } = parse(batchHead, frame.toString('utf8', 4, headEnd))
  let at = headEnd
  let before = 0
  const read = deliveries.map(({ sizeBytes, ...one }): FeedDelivery => {
    if (one.seq <= before) throw new FeedProtocolError('The sequences of a batch do not rise')
    before = one.seq
    return { ...one, body: frame.subarray(at, (at += sizeBytes)) }
  })
  if (at !== frame.length) throw new FeedProtocolError('A batch has another length than it says')
  return { lastSeq, deliveries: read }
}

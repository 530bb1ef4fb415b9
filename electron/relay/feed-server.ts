import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import {
  encodeBatch,
  feedBatch,
  feedClose,
  type FeedDelivery,
  feedPath,
  feedPeriods,
  feedPingMs,
  feedProtocol,
  FeedProtocolError,
  type FeedRead,
  feedWindow,
  readFeedRequest,
} from '../listener/feed-protocol.ts'
import type { Documents } from './documents.ts'
import type { InboxRecord } from './inbox-record.ts'
import type { RelayStore, StoredDelivery } from './store.ts'
import type { RelayTokens, TokenRecord } from './tokens.ts'

/** Longest message of a console. */
const requestBytes = 4 * 1024
/** A console that says nothing after connecting is disconnected. */
const helloMs = 10_000
/** Time for closing handshakes at a stop. */
const closeTimeoutMs = 500
/** Refusals logged between two pings; anyone can cause more. */
const mostRefusalLogs = 5
/** A feed ends this soon after its token connected to another relay. */
const claimEveryMs = 1_000

export interface FeedInbox {
  name: string
  path: string
  store: RelayStore
  record: InboxRecord
}

interface Feed {
  token: TokenRecord
  /** Last sequence of each unacknowledged batch or gap. */
  unacknowledged: number[]
  remote: string
  /** Written for the other relays; the newest claim of a token owns its feed. */
  claim: string
  isClaimed: boolean
}

const deliveryOf = ({ seq, receivedMs, verdict, headersJson, body }: StoredDelivery): FeedDelivery => ({
  seq,
  receivedMs,
  isSigned: verdict === 'signed',
  headers: JSON.parse(headersJson) as [string, string][],
  body,
})

/** The end of the first run of consecutive sequences. */
function runLength(items: readonly StoredDelivery[]): number {
  const end = items.findIndex(({ seq }, at) => at > 0 && seq !== items[at - 1]!.seq + 1)
  return end === -1 ? items.length : end
}

export type FeedServer = ReturnType<typeof createFeedServer>

/** Sends deliveries to consoles. A feed holds at most `feedWindow` batches, and reads the next one when one is acknowledged. */
export function createFeedServer({
  inboxes,
  tokens,
  claims,
  maxFeeds,
  clock,
  log,
}: {
  inboxes: ReadonlyMap<string, FeedInbox>
  tokens: RelayTokens
  /** Shared with other relays; null when there are none. */
  claims: Documents | null
  maxFeeds: number
  clock: Clock
  log: Log
}) {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: requestBytes,
    perMessageDeflate: false,
    handleProtocols: () => feedProtocol,
  })
  const feeds = new Map<WebSocket, Feed>()
  const silent = new WeakSet<WebSocket>()
  let refused = 0
  let refusedSincePing = 0

  /** A new feed of the same token replaces the old one: its console reconnected before the relay noticed. */
  function replaceOlder(token: TokenRecord): void {
    for (const [socket, feed] of feeds)
      if (feed.token.hash === token.hash) close(socket, feedClose.replaced, 'The token connected again')
  }

  /** Tells other relays that this feed owns its token now. Only a feed whose claim is written can lose it. */
  function claim(feed: Feed): void {
    claims
      ?.update(`feeds/${feed.token.name}`, () => feed.claim)
      .then(
        () => (feed.isClaimed = true),
        (error: unknown) =>
          log.warn('Other relays may serve this token too', { name: feed.token.name, error }),
      )
  }

  const cancelClaims = clock.every(claimEveryMs, () => {
    for (const [socket, { token, claim, isClaimed }] of feeds)
      if (isClaimed && claims?.read(`feeds/${token.name}`) !== claim)
        close(socket, feedClose.replaced, 'The token connected to another relay')
  })

  function close(socket: WebSocket, code: number, reason: string): void {
    feeds.delete(socket)
    socket.close(code, reason)
    // A console that doesn't answer the close frame is cut off.
    const cancel = clock.after(closeTimeoutMs, () => socket.terminate())
    socket.once('close', cancel)
  }

  function open(socket: WebSocket, token: TokenRecord, remote: string): void {
    replaceOlder(token)
    const feed: Feed = { token, unacknowledged: [], remote, claim: randomUUID(), isClaimed: false }
    feeds.set(socket, feed)
    claim(feed)
    const cancelHello = clock.after(helloMs, () => close(socket, feedClose.badMessage, 'No request came'))
    let onAck: ((seq: number) => void) | undefined
    let stop = () => {}
    socket.on('message', (data: Buffer, isBinary) => {
      if (!feeds.has(socket)) return
      try {
        const request = isBinary ? null : readFeedRequest(data.toString())
        if (request?.type === 'ack' && onAck) return onAck(request.seq)
        if (request?.type !== 'read' || onAck) throw new FeedProtocolError('Unexpected message')
        cancelHello()
        const sender = send(socket, feed, request)
        if (sender) {
          onAck = sender.onAck
          stop = sender.stop
        }
      } catch (error) {
        if (error instanceof FeedProtocolError) return close(socket, feedClose.badMessage, error.message)
        log.error('A feed failed', { name: token.name, error })
        close(socket, feedClose.storage, 'The relay failed')
      }
    })
    socket.on('pong', () => silent.delete(socket))
    socket.on('error', (error) => log.warn('A feed failed', { name: token.name, reason: error.message }))
    socket.on('close', (code) => {
      cancelHello()
      stop()
      feeds.delete(socket)
      log.info('A feed ended', { name: token.name, code })
    })
    log.info('A feed began', { name: token.name, inbox: token.inbox, remote })
  }

  /** Starts sending from the console's position. */
  function send(socket: WebSocket, feed: Feed, request: FeedRead) {
    const { token, unacknowledged } = feed
    const inbox = request.inbox === token.inbox ? inboxes.get(request.inbox) : undefined
    if (!inbox) {
      close(socket, feedClose.otherInbox, 'This token is for another inbox')
      return undefined
    }
    const { store, record } = inbox
    const relayId = store.id
    let sentSeq = 0
    let hasBegun = false
    let isPumping = false
    let isAgain = false

    async function pump(): Promise<void> {
      // Deliveries that come before the welcome are sent after it.
      if (!hasBegun) return
      if (isPumping) {
        isAgain = true
        return
      }
      isPumping = true
      try {
        do {
          isAgain = false
          while (feeds.has(socket) && unacknowledged.length < feedWindow && (await sendNext()));
        } while (isAgain)
      } catch (error) {
        log.error('A feed could not read its inbox', { inbox: request.inbox, error })
        close(socket, feedClose.storage, 'The relay could not read its store')
      } finally {
        isPumping = false
      }
    }

    /** False when nothing is left to send. */
    async function sendNext(): Promise<boolean> {
      const items = await store.readAfter(sentSeq, feedBatch)
      const first = items[0]
      if (!first || !feeds.has(socket)) return false
      if (store.id !== relayId) throw new Error('The numbering changed')
      if (first.seq > sentSeq + 1) {
        socket.send(JSON.stringify(record.gap(sentSeq + 1, first.seq - 1)))
        sentSeq = first.seq - 1
      } else {
        const run = items.slice(0, runLength(items))
        sentSeq = run.at(-1)!.seq
        const lastSeq = Math.max(store.lastSeq(), sentSeq)
        socket.send(encodeBatch({ lastSeq, deliveries: run.map(deliveryOf) }))
      }
      unacknowledged.push(sentSeq)
      return true
    }

    let listeningSinceMs = request.listeningSinceMs ?? 0
    async function sendListening(): Promise<void> {
      const periods = (await store.listening(listeningSinceMs)).slice(-feedPeriods)
      if (!feeds.has(socket) || periods.length === 0) return
      listeningSinceMs = Math.max(listeningSinceMs, periods.at(-1)!.startedMs)
      socket.send(
        JSON.stringify({ type: 'listening', periods: periods.map(({ port: _port, ...period }) => period) }),
      )
    }

    async function begin(): Promise<void> {
      const isSameNumbering = request.relayId === relayId
      const { firstSeq, lastSeq } = await store.extent(isSameNumbering ? request.after : 0)
      const after = isSameNumbering ? request.after : (record.reader(token.name)?.base ?? firstSeq - 1)
      if (after > lastSeq) {
        close(socket, feedClose.ahead, `The relay has ${lastSeq} deliveries, this console ${after}`)
        return
      }
      record.startReading(token.name, after)
      sentSeq = after
      socket.send(
        JSON.stringify({
          type: 'welcome',
          relayId,
          inbox: request.inbox,
          path: inbox!.path,
          after,
          lastSeq,
          nowMs: clock.now(),
        }),
      )
      await sendListening()
      hasBegun = true
      await pump()
    }

    const failed = (error: unknown) => {
      log.error('A feed could not start', { inbox: request.inbox, error })
      close(socket, feedClose.storage, 'The relay could not read its store')
    }
    begin().catch(failed)
    const cancelGrew = store.onGrew(() => void pump())
    const cancelListening = clock.every(feedPingMs, () => void sendListening().catch(failed))
    return {
      onAck(seq: number): void {
        if (seq > sentSeq) throw new FeedProtocolError('Acknowledged more than was sent')
        while (unacknowledged[0] !== undefined && unacknowledged[0] <= seq) unacknowledged.shift()
        record.acknowledge(token.name, seq)
        void pump()
      },
      stop(): void {
        cancelGrew()
        cancelListening()
      },
    }
  }

  function refuse(req: IncomingMessage, raw: Duplex, status: number, error: string): void {
    refused++
    if (++refusedSincePing <= mostRefusalLogs)
      log.warn('A feed was refused', { status, reason: error, remote: req.socket.remoteAddress })
    const body = JSON.stringify({ error })
    raw.end(
      `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
        `Connection: close\r\n\r\n${body}`,
      () => raw.destroy(),
    )
  }

  const cancelPings = clock.every(feedPingMs, () => {
    const unlogged = refusedSincePing - mostRefusalLogs
    if (unlogged > 0) log.warn('More feeds were refused', { count: unlogged })
    refusedSincePing = 0
    for (const socket of feeds.keys()) {
      if (silent.has(socket)) socket.terminate()
      else {
        silent.add(socket)
        socket.ping()
      }
    }
  })

  return {
    /** Takes an upgrade request on any path. */
    async upgrade(req: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> {
      raw.on('error', () => raw.destroy())
      if (req.url !== feedPath) return refuse(req, raw, 404, `Feeds are at ${feedPath}.`)
      if (req.headers.origin !== undefined) return refuse(req, raw, 403, 'Web pages are refused.')
      const versions = (req.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
      if (!versions.includes(feedProtocol))
        return refuse(req, raw, 426, `This relay speaks ${feedProtocol}. Update the older side.`)
      const token = await tokens
        .find(/^Bearer (\S+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '')
        .catch(() => null)
      // A 401 would make the console give up.
      if (token === null) return refuse(req, raw, 503, 'The tokens can’t be read now.')
      if (!token || token.inbox === null) return refuse(req, raw, 401, 'The token is unknown.')
      if (!tokens.isValid(token)) return refuse(req, raw, 401, 'The token was revoked.')
      const others = [...feeds.values()].filter((feed) => feed.token.hash !== token.hash)
      if (others.length >= maxFeeds) return refuse(req, raw, 503, 'Too many feeds are open.')
      sockets.handleUpgrade(req, raw, head, (socket) => open(socket, token, req.socket.remoteAddress ?? ''))
    },
    /** Closes the feeds of tokens that were revoked. */
    closeRevoked(): void {
      for (const [socket, { token }] of feeds)
        if (!tokens.isValid(token)) close(socket, feedClose.revoked, 'The token was revoked')
    },
    feeds: () =>
      [...feeds].map(([socket, { token, unacknowledged }]) => ({
        token: token.name,
        inbox: token.inbox!,
        unacknowledgedBatches: unacknowledged.length,
        bufferedBytes: socket.bufferedAmount,
      })),
    refused: () => refused,
    async stop(): Promise<void> {
      cancelPings()
      cancelClaims()
      const closed = [...sockets.clients].map(
        (socket) => new Promise((resolve) => socket.once('close', resolve)),
      )
      for (const socket of feeds.keys()) close(socket, feedClose.stopping, 'The relay stops')
      await Promise.race([Promise.all(closed), clock.sleep(2 * closeTimeoutMs)])
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import type { Clock } from '../../../lib/clock.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import type { Random } from '../../../lib/random.ts'
import {
  decodeBatch,
  feedClose,
  type FeedDelivery,
  feedFrameBytes,
  type FeedGap,
  feedPath,
  feedPingMs,
  feedProtocol,
  FeedProtocolError,
  feedWindow,
  type FeedMessage,
  type ListeningPeriod,
  readFeedMessage,
} from '../../../listener/feed-protocol.ts'

/** What the feed fills. Errors end the connection; it is tried again later. */
export interface FeedSink {
  /** Where to go on: the last position that is durable, null before the first. */
  position(): { relayId: string; seq: number } | null
  /** Resolves when all are durable, together with the position of the last. */
  store(relayId: string, deliveries: readonly FeedDelivery[]): void | Promise<void>
  /** Deliveries that the relay no longer has. Resolves when `toSeq` is durable as the position. */
  gap(relayId: string, gap: Omit<FeedGap, 'type'>): void | Promise<void>
  /** When the relay could receive. A period may come again, longer. */
  listening(relayId: string, periods: readonly ListeningPeriod[]): void | Promise<void>
}

export type FeedRefusal =
  'insecure-url' | 'token' | 'revoked' | 'other-inbox' | 'ahead' | 'replaced' | 'version' | 'not-a-relay'

export type FeedState =
  | { kind: 'connecting' }
  | { kind: 'connected'; behind: number }
  /** Not tried again until `retry`. */
  | { kind: 'refused'; reason: FeedRefusal }
  | { kind: 'unreachable'; detail: string; retryAtMs: number }
  | { kind: 'stopped' }

export interface FeedClientOptions {
  /** Of the relay, `https:`, or `http:` on this computer; without the feed's path. */
  url: string
  inbox: string
  token(): string | Promise<string>
  sink: FeedSink
  onState(state: FeedState): void
  clock: Clock
  random: Random
  /** Also trusted, PEM: for a relay with its own certificate authority. */
  ca?: string
}

const firstRetryMs = 500
const mostRetryMs = 30_000
const handshakeMs = 10_000
/** Three missed pings: the relay or the network is gone. */
const silentMs = 3 * feedPingMs
/** Frames that may wait for the sink: what the relay may send, and a few messages. */
const mostWaiting = 2 * feedWindow + 8
/** Longest answer of a refused connection that is read. */
const answerBytes = 1_024

/** Of our own close: the sink failed, or the relay broke the protocol. */
const closeHere = 1000

const refusalOf: Partial<Record<number, FeedRefusal>> = {
  [feedClose.revoked]: 'revoked',
  [feedClose.otherInbox]: 'other-inbox',
  [feedClose.ahead]: 'ahead',
  [feedClose.replaced]: 'replaced',
}

/** The address of the feed, or null when the token would be sent in the open. */
function feedUrl(base: string): string | null {
  const url = new URL(base)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) return null
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = url.pathname.replace(/\/$/, '') + feedPath
  return url.href
}

/**
 * Reads one inbox of a relay into `sink`, from its position on, and acknowledges what is durable. Reconnects with
 * growing pauses. A delivery the sink has already is not passed on again.
 */
export function createFeedClient(options: FeedClientOptions) {
  const { sink, clock } = options
  let socket: WebSocket | undefined
  let attempts = 0
  let isStopped = true
  let cancelRetry = () => {}

  function setState(state: FeedState): void {
    if (!isStopped || state.kind === 'stopped') options.onState(state)
  }

  function retryLater(detail: string): void {
    if (isStopped) return
    // Full jitter: consoles of a restarted relay don't return at the same moment.
    const delayMs = options.random() * Math.min(mostRetryMs, firstRetryMs * 2 ** attempts++)
    setState({ kind: 'unreachable', detail, retryAtMs: clock.now() + delayMs })
    cancelRetry()
    cancelRetry = clock.after(delayMs, () => void connect())
  }

  async function connect(): Promise<void> {
    cancelRetry()
    const url = feedUrl(options.url)
    if (url === null) return setState({ kind: 'refused', reason: 'insecure-url' })
    setState({ kind: 'connecting' })
    let token: string
    try {
      token = await options.token()
    } catch (error) {
      return retryLater((error as Error).message)
    }
    if (isStopped || socket) return
    open(
      new WebSocket(url, feedProtocol, {
        headers: { Authorization: `Bearer ${token}` },
        maxPayload: feedFrameBytes,
        perMessageDeflate: false,
        handshakeTimeout: handshakeMs,
        ...(options.ca === undefined ? {} : { ca: options.ca }),
      }),
    )
  }

  function open(opened: WebSocket): void {
    socket = opened
    let relayId: string | null = null
    let seq = 0
    let lastSeq = 0
    let waiting = 0
    let work: Promise<void> = Promise.resolve()
    let failure: string | undefined
    let refusal: FeedRefusal | undefined

    let cancelSilence = () => {}
    const alive = () => {
      cancelSilence()
      cancelSilence = clock.after(silentMs, () => {
        failure = 'The relay stopped answering'
        opened.terminate()
      })
    }
    const fail = (error: unknown) => {
      failure ??= (error as Error).message
      opened.close(closeHere)
    }

    opened.on('open', () => {
      alive()
      const at = sink.position()
      opened.send(
        JSON.stringify({
          type: 'read',
          inbox: options.inbox,
          relayId: at?.relayId ?? null,
          after: at?.seq ?? 0,
        }),
      )
    })
    opened.on('ping', alive)
    opened.on('message', (data: Buffer, isBinary) => {
      alive()
      if (++waiting > mostWaiting) return fail(new FeedProtocolError('The relay sends more than it may'))
      // One after another: a message counts only when the one before is durable.
      work = work
        .then(() => (failure === undefined && socket === opened ? take(data, isBinary) : undefined))
        .catch(fail)
        .finally(() => waiting--)
    })

    async function take(data: Buffer, isBinary: boolean): Promise<void> {
      if (isBinary) {
        const batch = decodeBatch(data)
        const first = batch.deliveries[0]
        if (relayId === null || !first) throw new FeedProtocolError('Unexpected batch')
        if (first.seq > seq + 1) throw new FeedProtocolError('The relay skipped deliveries')
        const fresh = batch.deliveries.filter((one) => one.seq > seq)
        if (fresh.length > 0) await sink.store(relayId, fresh)
        lastSeq = batch.lastSeq
        return acknowledge(batch.deliveries.at(-1)!.seq)
      }
      const message = readFeedMessage(data.toString())
      if (message.type === 'welcome') return begin(message)
      if (relayId === null) throw new FeedProtocolError('Unexpected message')
      if (message.type === 'listening') return sink.listening(relayId, message.periods)
      const { type: _type, ...gap } = message
      await sink.gap(relayId, gap)
      acknowledge(gap.toSeq)
    }

    function begin(message: Extract<FeedMessage, { type: 'welcome' }>): void {
      if (relayId !== null || message.inbox !== options.inbox)
        throw new FeedProtocolError('Unexpected welcome')
      const at = sink.position()
      if (at?.relayId === message.relayId && message.after !== at.seq)
        throw new FeedProtocolError('The relay goes on at another place')
      attempts = 0
      relayId = message.relayId
      seq = message.after
      lastSeq = message.lastSeq
      setState({ kind: 'connected', behind: Math.max(0, lastSeq - seq) })
    }

    function acknowledge(toSeq: number): void {
      seq = Math.max(seq, toSeq)
      if (opened.readyState === opened.OPEN) opened.send(JSON.stringify({ type: 'ack', seq: toSeq }))
      setState({ kind: 'connected', behind: Math.max(0, lastSeq - seq) })
    }

    opened.on('unexpected-response', (_request, response: IncomingMessage) => {
      let answer = ''
      const end = () => {
        const status = response.statusCode ?? 0
        failure = `HTTP ${status}`
        if (status === 401) refusal = answer.includes('revoked') ? 'revoked' : 'token'
        else if (status === 426) refusal = 'version'
        else if (status === 404) refusal = 'not-a-relay'
        opened.terminate()
      }
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        answer += text
        if (answer.length > answerBytes) response.destroy()
      })
      response.once('close', end)
    })
    opened.on('error', (error) => (failure ??= error.message))
    opened.on('close', (code, reason) => {
      cancelSilence()
      void work.then(() => {
        if (socket !== opened) return
        socket = undefined
        const refused = refusal ?? (failure === undefined ? refusalOf[code] : undefined)
        if (refused) return setState({ kind: 'refused', reason: refused })
        retryLater(failure ?? (reason.toString() || `The connection closed (${code})`))
      })
    })
  }

  return {
    start(): void {
      if (!isStopped) return
      isStopped = false
      attempts = 0
      void connect()
    },
    /** Connects now: after a refusal was fixed, or the computer woke up. */
    retry(): void {
      attempts = 0
      if (!isStopped && !socket) void connect()
    },
    /** What is being stored may still finish. */
    stop(): void {
      if (isStopped) return
      setState({ kind: 'stopped' })
      isStopped = true
      cancelRetry()
      socket?.close(closeHere)
      const closing = socket
      socket = undefined
      clock.after(1_000, () => closing?.terminate())
    },
  }
}

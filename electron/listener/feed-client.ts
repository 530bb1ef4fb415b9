import type { WebSocket } from 'ws'
import { errorPhrase, isAppError } from '../contract/errors.ts'
import type { Said } from '../contract/phrases.ts'
import type { Clock } from '../lib/clock.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import type { Random } from '../lib/random.ts'
import {
  decodeBatch,
  feedClose,
  type FeedDelivery,
  type FeedGap,
  type FeedMessage,
  feedPath,
  feedPingMs,
  FeedProtocolError,
  feedWindow,
  type ListeningPeriod,
  readFeedMessage,
} from './feed-protocol.ts'
import type { openFeedSocket } from './feed-socket.ts'
import type { FeedRefusal } from './protocol.ts'

/** The address of the feed, or null when the token would be sent in the open. */
function feedUrl(base: string): string | null {
  const url = new URL(base)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) return null
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = url.pathname.replace(/\/$/, '') + feedPath
  return url.href
}

/** What the feed fills. Errors end the connection; it is tried again later. */
export interface FeedSink {
  /**
   * Where to continue: the last position that is durable, null before the first. Listening periods that ended before
   * `listeningSinceMs` are known.
   */
  position(): { relayId: string; seq: number; listeningSinceMs?: number } | null
  /** The relay of the following calls. A new one continues after `after`. */
  begin?(relayId: string, after: number): void
  /** Resolves when all are durable, together with the position of the last. */
  store(relayId: string, deliveries: readonly FeedDelivery[]): void | Promise<void>
  /** Deliveries that the relay no longer has. Resolves when `toSeq` is durable as the position. */
  gap(relayId: string, gap: Omit<FeedGap, 'type'>): void | Promise<void>
  /** When the relay could receive. A period may come again, longer. */
  listening(relayId: string, periods: readonly ListeningPeriod[]): void
}

export type FeedState =
  | { kind: 'connecting' }
  /** `path`: where the service delivers to the inbox. */
  | { kind: 'connected'; behind: number; path: string | null }
  /** Not tried again until `retry`. */
  | { kind: 'refused'; reason: FeedRefusal }
  | { kind: 'unreachable'; detail: Said; retryAtMs: number }
  | { kind: 'stopped' }

export interface FeedClientOptions {
  /** Of the relay, `https:`, or `http:` on this computer; without the feed's path. */
  url: string
  inbox: string
  token: string
  /** Proxies for an origin, asked before each connect and tried in turn; null connects directly. */
  proxies?(origin: string): Promise<readonly (string | null)[]>
  sink: FeedSink
  onState(state: FeedState): void
  clock: Clock
  random: Random
  /** Also trusted, PEM: for a relay with its own certificate authority. */
  ca?: string
}

const firstRetryMs = 500
const mostRetryMs = 30_000
/** Three missed pings: the relay or the network is gone. */
const silentMs = 3 * feedPingMs
/** Time for the relay to answer our close. */
const closeTimeoutMs = 1_000
/** Close code of this side: the sink failed, the relay broke the protocol, or the feed stops. */
const closeHere = 1000

const refusalOf: Partial<Record<number, FeedRefusal>> = {
  [feedClose.revoked]: 'revoked',
  [feedClose.otherInbox]: 'other-inbox',
  [feedClose.ahead]: 'ahead',
  [feedClose.replaced]: 'replaced',
}

/** Why a connection failed, for a person. */
function failureOf(error: unknown): Said {
  if (error instanceof FeedProtocolError) return { key: 'relay.protocol', reason: error.message }
  if (isAppError(error)) return errorPhrase(error)
  // An error about several addresses has no message.
  const { message, code } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return { key: 'relay.nothingThere' }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { key: 'relay.unknownHost' }
  if (code === 'EPROTO' && /wrong.version.number/i.test(message)) return { key: 'relay.noHttps' }
  return message || (code ?? 'unknown error')
}

/** Why the relay closed the connection. */
function closedBecause(code: number): Said {
  if (code === feedClose.stopping) return { key: 'relay.stopping' }
  return code === feedClose.storage ? { key: 'relay.storage' } : { key: 'relay.closed', code: String(code) }
}

/**
 * Reads one inbox of a relay into `sink`, from its position on, and acknowledges what is durable. Reconnects with
 * growing pauses. A delivery the sink has already is not passed on again.
 */
export function createFeedClient(options: FeedClientOptions) {
  const { sink, clock } = options
  let socket: WebSocket | undefined
  let attempts = 0
  let connects = 0
  let isStopped = true
  let cancelRetry = () => {}

  function setState(state: FeedState): void {
    if (!isStopped || state.kind === 'stopped') options.onState(state)
  }

  function retryLater(detail: Said): void {
    if (isStopped) return
    // Full jitter: consoles of a restarted relay don't return at the same moment.
    const delayMs = options.random() * Math.min(mostRetryMs, firstRetryMs * 2 ** attempts++)
    setState({ kind: 'unreachable', detail, retryAtMs: clock.now() + delayMs })
    cancelRetry()
    cancelRetry = clock.after(delayMs, () => void connect())
  }

  async function nextProxy(): Promise<string | null> {
    const { hostname, origin } = new URL(options.url)
    if (!options.proxies || isLoopbackHost(hostname)) return null
    const proxies = await options.proxies(origin)
    return proxies[attempts % Math.max(1, proxies.length)] ?? null
  }

  async function connect(): Promise<void> {
    cancelRetry()
    const connecting = ++connects
    const url = feedUrl(options.url)
    if (url === null) return setState({ kind: 'refused', reason: 'insecure-url' })
    setState({ kind: 'connecting' })
    try {
      // Most listeners have no relay, so its libraries load when needed.
      const [proxy, { openFeedSocket }] = await Promise.all([nextProxy(), import('./feed-socket.ts')])
      if (isStopped || socket || connecting !== connects) return
      if (proxy === null || URL.canParse(proxy)) open(openFeedSocket, url, proxy)
      else retryLater({ key: 'relay.badProxy' })
    } catch (error) {
      retryLater(failureOf(error))
    }
  }

  function open(openSocket: typeof openFeedSocket, url: string, proxy: string | null): void {
    let relayId: string | null = null
    let path: string | null = null
    let seq = 0
    let lastSeq = 0
    /** Batches and gaps in order. */
    let waiting: (Buffer | FeedGap)[] = []
    let working: Promise<void> | null = null
    let failure: Said | undefined
    let refusal: FeedRefusal | undefined

    const { token, ca } = options
    const opened = openSocket({ url, token, proxy, ca }, (reason, refused) => {
      failure = reason
      refusal = refused ?? undefined
    })
    socket = opened

    let cancelSilence = () => {}
    const alive = () => {
      cancelSilence()
      cancelSilence = clock.after(silentMs, () => {
        failure = { key: 'relay.noAnswer' }
        opened.terminate()
      })
    }
    const isCurrent = () => failure === undefined && socket === opened
    const fail = (error: unknown) => {
      failure ??= failureOf(error)
      opened.close(closeHere)
    }
    const showConnected = () => {
      if (socket === opened) setState({ kind: 'connected', behind: Math.max(0, lastSeq - seq), path })
    }

    opened.on('open', () => {
      alive()
      try {
        const at = sink.position()
        opened.send(
          JSON.stringify({
            type: 'read',
            inbox: options.inbox,
            relayId: at?.relayId ?? null,
            after: at?.seq ?? 0,
            listeningSinceMs: at?.listeningSinceMs ?? 0,
          }),
        )
      } catch (error) {
        fail(error)
      }
    })
    opened.on('ping', () => {
      // Not at `welcome`: a relay whose deliveries can't be stored would be called without pause.
      attempts = 0
      alive()
    })
    opened.on('message', (data: Buffer, isBinary) => {
      if (!isCurrent()) return
      alive()
      try {
        if (isBinary) enqueue(data)
        else takeMessage(readFeedMessage(data.toString()))
      } catch (error) {
        fail(error)
      }
    })

    function takeMessage(message: FeedMessage): void {
      if (message.type === 'welcome') return begin(message)
      if (relayId === null) throw new FeedProtocolError('Unexpected message')
      if (message.type === 'gap') enqueue(message)
      // Not queued: batches wait while secrets can't be read.
      else sink.listening(relayId, message.periods)
    }

    function begin(message: Extract<FeedMessage, { type: 'welcome' }>): void {
      if (relayId !== null || message.inbox !== options.inbox)
        throw new FeedProtocolError('Unexpected welcome')
      const at = sink.position()
      if (at?.relayId === message.relayId && message.after !== at.seq)
        throw new FeedProtocolError('The relay continues at another place')
      sink.begin?.(message.relayId, message.after)
      relayId = message.relayId
      path = message.path ?? null
      seq = message.after
      lastSeq = message.lastSeq
      showConnected()
    }

    function enqueue(item: Buffer | FeedGap): void {
      waiting.push(item)
      if (waiting.length > feedWindow) throw new FeedProtocolError('The relay sends more than it may')
      // Everything that arrives in this turn of the event loop shares a commit.
      working ??= new Promise<void>((resolve) => setImmediate(resolve))
        .then(work)
        .catch(fail)
        .finally(() => (working = null))
    }

    async function work(): Promise<void> {
      while (waiting.length > 0 && isCurrent()) {
        const end = waiting.findIndex((item) => !Buffer.isBuffer(item))
        if (end === 0) await takeGap(waiting.shift() as FeedGap)
        else await takeBatches(waiting.splice(0, end === -1 ? waiting.length : end) as Buffer[])
      }
    }

    async function takeGap({ type: _, ...gap }: FeedGap): Promise<void> {
      if (gap.fromSeq > seq + 1 || gap.toSeq < gap.fromSeq)
        throw new FeedProtocolError('A gap does not follow the last delivery')
      await sink.gap(relayId!, gap)
      acknowledge(gap.toSeq)
    }

    async function takeBatches(frames: readonly Buffer[]): Promise<void> {
      if (relayId === null) throw new FeedProtocolError('Unexpected batch')
      const deliveries: FeedDelivery[] = []
      let at = seq
      for (const frame of frames) {
        const batch = decodeBatch(frame)
        const [first] = batch.deliveries
        if (!first || first.seq > at + 1) throw new FeedProtocolError('The relay skipped deliveries')
        for (const delivery of batch.deliveries) if (delivery.seq > at) deliveries.push(delivery)
        at = Math.max(at, batch.deliveries.at(-1)!.seq)
        lastSeq = batch.lastSeq
      }
      if (deliveries.length > 0) await sink.store(relayId, deliveries)
      acknowledge(at)
    }

    function acknowledge(toSeq: number): void {
      attempts = 0
      seq = Math.max(seq, toSeq)
      if (opened.readyState === opened.OPEN) opened.send(JSON.stringify({ type: 'ack', seq: toSeq }))
      showConnected()
    }

    opened.on('error', (error) => (failure ??= failureOf(error)))
    opened.on('close', (code) => {
      cancelSilence()
      waiting = []
      void Promise.resolve(working).then(() => {
        if (socket !== opened) return
        socket = undefined
        const refused = refusal ?? (failure === undefined ? refusalOf[code] : undefined)
        if (refused) return setState({ kind: 'refused', reason: refused })
        retryLater(failure ?? closedBecause(code))
      })
    })
  }

  function drop(): void {
    const dropped = socket
    if (!dropped) return
    socket = undefined
    dropped.close(closeHere)
    const cancel = clock.after(closeTimeoutMs, () => dropped.terminate())
    dropped.once('close', cancel)
  }

  return {
    start(): void {
      if (!isStopped) return
      isStopped = false
      attempts = 0
      void connect()
    },
    /** Connects now, after a refusal was fixed. */
    retry(): void {
      attempts = 0
      if (!isStopped && !socket) void connect()
    },
    /** After a sleep: an open connection may be dead without knowing it. */
    wake(): void {
      if (isStopped) return
      attempts = 0
      drop()
      void connect()
    },
    /** What is being stored may still finish. */
    stop(): void {
      if (isStopped) return
      setState({ kind: 'stopped' })
      isStopped = true
      cancelRetry()
      drop()
    },
  }
}

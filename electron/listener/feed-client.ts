import { errorPhrase, isAppError } from '../contract/errors.ts'
import type { Said } from '../contract/phrases.ts'
import type { Clock } from '../lib/clock.ts'
import { isLoopbackHost } from '../lib/loopback.ts'
import type { Random } from '../lib/random.ts'
import {
  type FeedDelivery,
  type FeedGap,
  type FeedPage,
  feedPath,
  feedQuery,
  feedWaitMs,
  type ListeningPeriod,
  readFeedPage,
} from './feed-protocol.ts'
import type { FeedAnswer } from './feed-requests.ts'
import type { FeedRefusal } from './protocol.ts'

/** What the feed fills. Errors end the connection; it is tried again later. */
export interface FeedSink {
  /**
   * Where to continue: the last position that is durable, null before the first. Listening periods that ended before
   * `listeningSinceMs` are known.
   */
  position(): { relayId: string; seq: number; listeningSinceMs?: number } | null
  /** The relay of the following calls, when it is another one. A new one continues after `after`. */
  begin?(relayId: string, after: number): void
  /** Resolves when all are durable, together with the position of the last. */
  store(relayId: string, deliveries: readonly FeedDelivery[]): void | Promise<void>
  /** Deliveries that the relay no longer has. `toSeq` is durable as the position when it returns. */
  gap(relayId: string, gap: FeedGap): void
  /** When the relay could receive. A period may come again, longer. */
  listening(relayId: string, periods: readonly ListeningPeriod[]): void
}

export type FeedState =
  | { kind: 'connecting' }
  /** `path`: where the service delivers to the inbox. */
  | { kind: 'connected'; behind: number; path: string }
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

/** Why a connection ended. */
type End = Exclude<FeedAnswer, { kind: 'page' }>

const firstRetryMs = 500
const mostRetryMs = 30_000
/** For an answer that doesn't wait for deliveries. */
const answerMs = 10_000

const unreadable = (reason: string): End => ({ kind: 'failed', detail: { key: 'relay.protocol', reason } })

/** Why a connection failed, for a person. */
export function failureOf(error: unknown): Said {
  if (isAppError(error)) return errorPhrase(error)
  // An error about several addresses has no message.
  const { message, code } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return { key: 'relay.nothingThere' }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { key: 'relay.unknownHost' }
  if (code === 'EPROTO' && /wrong.version.number/i.test(message)) return { key: 'relay.noHttps' }
  return message || (code ?? 'unknown error')
}

/**
 * Reads one inbox of a relay into `sink`, from its position on. Each request tells the relay what is durable here. After
 * a failure it tries again, with growing pauses.
 */
export function createFeedClient(options: FeedClientOptions) {
  const { sink, clock } = options
  const url = new URL(options.url)
  const isLocal = isLoopbackHost(url.hostname)
  url.pathname = url.pathname.replace(/\/$/, '') + feedPath
  let state: FeedState = { kind: 'stopped' }
  /** Aborted while nothing is read. */
  let reading = new AbortController()

  function show(next: FeedState): void {
    state = next
    options.onState(next)
  }

  async function proxyFor(attempt: number): Promise<string | null> {
    if (!options.proxies || isLocal) return null
    const proxies = await options.proxies(url.origin)
    return proxies[attempt % Math.max(1, proxies.length)] ?? null
  }

  /** Reads until something fails. Calls `onProgress` when the relay did more than greet. */
  async function readOn(attempt: number, onProgress: () => void, stopped: AbortSignal): Promise<End> {
    const proxy = await proxyFor(attempt)
    if (proxy !== null && !URL.canParse(proxy)) return { kind: 'failed', detail: { key: 'relay.badProxy' } }
    // Most listeners have no relay, so its libraries load when needed.
    const { openFeedRequests } = await import('./feed-requests.ts')
    const { token, ca, inbox } = options
    const requests = openFeedRequests({ url, token, proxy, ca, clock })
    try {
      for (let session: string | undefined; ;) {
        const at = sink.position()
        const asked = { relayId: at?.relayId, after: at?.seq ?? 0, sinceMs: at?.listeningSinceMs ?? 0 }
        const silentMs = answerMs + (session === undefined ? 0 : feedWaitMs)
        const answer = await requests.ask(feedQuery({ inbox, ...asked, session }), silentMs, stopped)
        stopped.throwIfAborted()
        if (answer.kind !== 'page') return answer
        const page = readFeedPage(answer.text)
        if (!page) return unreadable('Not a page of this protocol')
        if (page.relayId === at?.relayId && page.after !== at.seq)
          return unreadable('The relay continues at another place')
        if (page.gap && page.gap.toSeq <= page.after) return unreadable('A gap ends before it begins')
        if (page.relayId !== at?.relayId) sink.begin?.(page.relayId, page.after)
        if (session === undefined) showConnected(page, page.after)
        const upTo = await take(page)
        stopped.throwIfAborted()
        showConnected(page, upTo)
        // Not after a greeting: a relay whose deliveries can't be stored would be called without pause.
        if (session !== undefined || upTo > page.after) onProgress()
        session = page.session
      }
    } finally {
      requests.close()
    }
  }

  /** Returns the last sequence, now durable. */
  async function take({ relayId, after, periods, gap, deliveries }: FeedPage): Promise<number> {
    if (periods.length > 0) sink.listening(relayId, periods)
    if (gap) sink.gap(relayId, { fromSeq: after + 1, ...gap })
    const from = gap?.toSeq ?? after
    if (deliveries.length > 0)
      await sink.store(
        relayId,
        deliveries.map((one, at) => ({ ...one, seq: from + 1 + at, body: Buffer.from(one.body, 'base64') })),
      )
    return from + deliveries.length
  }

  const showConnected = ({ lastSeq, path }: FeedPage, upTo: number) =>
    show({ kind: 'connected', behind: Math.max(0, lastSeq - upTo), path })

  async function read(stopped: AbortSignal): Promise<void> {
    // The token would be sent in the open.
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
      return show({ kind: 'refused', reason: 'insecure-url' })
    for (let attempts = 0; ;) {
      show({ kind: 'connecting' })
      const end = await readOn(attempts, () => (attempts = 0), stopped).catch((error: unknown): End => ({
        kind: 'failed',
        detail: failureOf(error),
      }))
      if (stopped.aborted) return
      if (end.kind === 'refused') return show(end)
      // Full jitter: consoles of a restarted relay don't return at the same moment.
      const delayMs = options.random() * Math.min(mostRetryMs, firstRetryMs * 2 ** attempts++)
      show({ kind: 'unreachable', detail: end.detail, retryAtMs: clock.now() + delayMs })
      await clock.sleep(delayMs, stopped).catch(() => {})
      if (stopped.aborted) return
    }
  }

  function readAgain(): void {
    reading.abort()
    reading = new AbortController()
    void read(reading.signal)
  }

  return {
    start(): void {
      if (state.kind === 'stopped') readAgain()
    },
    /** Connects now, after a refusal was fixed. */
    retry(): void {
      if (state.kind === 'refused' || state.kind === 'unreachable') readAgain()
    },
    /** After a sleep: an open connection may be dead without knowing it. */
    wake(): void {
      if (state.kind !== 'stopped') readAgain()
    },
    /** What is being stored may still finish. */
    stop(): void {
      if (state.kind === 'stopped') return
      reading.abort()
      show({ kind: 'stopped' })
    },
  }
}

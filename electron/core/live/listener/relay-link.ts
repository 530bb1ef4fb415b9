import { AppError } from '../../../contract/errors.ts'
import type { PhraseKey } from '../../../contract/phrases.ts'
import type { RelayOrder, RelaySettings, RelayStatus } from '../../../contract/live/listener.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { knownForMs } from '../../../listener/feed-protocol.ts'
import type { RelayFeedConfig, RelayFeedStatus } from '../../../listener/protocol.ts'
import type { SecretStore } from '../../ports.ts'
import { type ListenerSettings, relayTokenAccount } from './listener-settings.ts'
import { readSecret } from './signing-secrets.ts'

/** A relay that restarts is back within this time; until then the listener is not reported as down. */
const restartsWithinMs = 60_000

const invalid = (key: PhraseKey) => new AppError('INVALID_INPUT', { detail: { key } })

/** The relay that a connection reads: its settings, its token and its state. */
export function createRelayLink(parts: {
  connectionId: string
  settings: Pick<ListenerSettings, 'relay' | 'writeRelay'>
  secrets: SecretStore
  keepSecret: (account: string, value: string) => Promise<unknown>
  forgetSecret: (account: string) => Promise<unknown>
  clock: Clock
}) {
  const { settings, secrets, clock } = parts
  const account = relayTokenAccount(parts.connectionId)
  let token: string | null = null
  let isUnread = false
  let feed: RelayFeedStatus | null = null
  /** Since when the relay has not been connected. */
  let downSinceMs: number | null = null
  /** When everything at the relay was last read, on the monotonic clock. */
  let readMs = -Infinity

  const isUsed = () => settings.relay().mode !== 'local'

  /** Throws INVALID_INPUT. */
  function check({ mode, url, inbox, token: given }: RelayOrder): void {
    const before = settings.relay()
    if (url !== null) {
      const { protocol, hostname, origin, username, password } = new URL(url)
      if (protocol === 'http:' && !isLoopbackHost(hostname)) throw invalid('input.relayHttps')
      if (username !== '' || password !== '') throw invalid('input.relayUrl')
      // Another server must not get this one's token.
      if (given === undefined && before.url !== null && new URL(before.url).origin !== origin)
        throw invalid('input.relayOtherToken')
    }
    if (mode === 'local') return
    if (url === null) throw invalid('input.relayNoUrl')
    if (inbox === null) throw invalid('input.relayNoInbox')
    if (given === undefined && token === null && !isUnread) throw invalid('input.relayNoToken')
  }

  /** Whether deliveries arrive through the relay. */
  function listening(): 'listening' | 'starting' | 'failed' {
    if (token === null && !isUnread) return 'failed'
    if (feed?.state === 'connected') return 'listening'
    const isDown =
      feed?.state === 'refused' || (downSinceMs !== null && clock.now() - downSinceMs > restartsWithinMs)
    return isDown ? 'failed' : 'starting'
  }

  return {
    isUsed,
    /** Whether deliveries come from the relay only, not from a port. */
    isOnlySource: () => settings.relay().mode === 'relay',
    /** Reads the token if it is not loaded. Returns whether a later try may find it. */
    async load(): Promise<boolean> {
      isUnread = false
      if (token !== null || settings.relay().url === null) return false
      const read = await readSecret(secrets, account)
      token = read.value
      isUnread = read.problem !== null && !read.isLost
      return isUnread
    },
    /** For the listener; null while no relay can be read. */
    config(): RelayFeedConfig | null {
      const { mode, url, inbox } = settings.relay()
      return mode === 'local' || url === null || inbox === null || token === null
        ? null
        : { url, inbox, token }
    },
    /** Takes the listener's report. */
    report(status: RelayFeedStatus): void {
      if (status.state !== 'connected') readMs = -Infinity
      else if (status.behind === 0) readMs = clock.monotonic()
      feed = status
      if (status.state === 'connected') downSinceMs = null
      else downSinceMs ??= clock.now()
      const known = settings.relay()
      const { webhookUrl } = status
      // A report of the former relay may still be on its way.
      if (webhookUrl === null || known.url === null || !webhookUrl.startsWith(known.url)) return
      if (webhookUrl !== known.webhookUrl) settings.writeRelay({ ...known, webhookUrl })
    },
    /** The thread with the feed ended or was stopped. */
    ended(): void {
      feed = null
      downSinceMs = null
      readMs = -Infinity
    },
    /** The computer sleeps or wakes: what the relay has is unknown. */
    loseTrack: () => void (readMs = -Infinity),
    async set(order: RelayOrder): Promise<void> {
      check(order)
      const { mode, url, inbox } = order
      if (order.token !== undefined) {
        await parts.keepSecret(account, order.token)
        token = order.token
        isUnread = false
      }
      const before = settings.relay()
      const isSame = before.url === url && before.inbox === inbox
      settings.writeRelay({ mode, url, inbox, webhookUrl: isSame ? before.webhookUrl : null })
      // Until the new feed reports.
      if (!isSame || mode === 'local') {
        feed = downSinceMs = null
        readMs = -Infinity
      }
      if (url !== null || before.url === null) return
      token = null
      await parts.forgetSecret(account)
    },
    view(): RelaySettings {
      const { mode, url, inbox } = settings.relay()
      return { mode, url, inbox, hasToken: token !== null || isUnread, tokenUnread: isUnread }
    },
    webhookUrl: () => (isUsed() ? settings.relay().webhookUrl : null),
    status(): RelayStatus | null {
      const { mode, webhookUrl } = settings.relay()
      if (mode === 'local') return null
      const isMissing = token === null && !isUnread
      return {
        state: isMissing ? 'refused' : (feed?.state ?? 'connecting'),
        refusal: isMissing ? 'missing' : (feed?.refusal ?? null),
        detail: feed?.detail ?? null,
        retryAt: isoTime(feed?.retryAtMs ?? null),
        behind: feed?.behind ?? 0,
        received: feed?.received ?? 0,
        refusedSignatures: feed?.refusedSignatures ?? 0,
        lastDeliveryAt: isoTime(feed?.lastDeliveryMs ?? null),
        webhookUrl,
      }
    },
    listening,
    /** Whether all at the relay was read just now. */
    reading(): 'none' | 'read' | 'behind' | 'failed' | 'no-token' {
      if (!isUsed()) return 'none'
      if (token === null && !isUnread) return 'no-token'
      if (isUnread || feed?.state === 'refused' || feed?.state === 'unreachable') return 'failed'
      return clock.monotonic() - readMs <= knownForMs ? 'read' : 'behind'
    },
  }
}

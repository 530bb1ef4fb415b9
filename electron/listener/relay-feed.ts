import { trustSystemAuthorities } from '../lib/authorities.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createFeedClient, type FeedSink, type FeedState } from './feed-client.ts'
import type { FeedDelivery } from './feed-protocol.ts'
import { keptHeaders, signatureHeader } from './headers.ts'
import type { Delivery, Journal } from './journal.ts'
import type { RelayFeedConfig, RelayFeedStatus } from './protocol.ts'
import type { KeptRefusal } from './refusals.ts'
import type { SignatureChecker } from './signature.ts'

/** How long a relay may keep a delivery to itself, for example while its store fails. */
const lateMs = 86_400_000
/** How long a delivery may have waited for this computer: as long as relays usually keep it. A relay may claim more. */
const longestWaitMs = 90 * 86_400_000

interface FeedRules {
  checker: SignatureChecker
  secretsUnread: boolean
  allowUnsigned: boolean
}

type Checked = { stored: (Delivery & { relaySeq: number })[]; refused: KeptRefusal[] }

/** Reads a relay into the journal: checks each signature again and stores deliveries with the position. */
export function createRelayFeed(parts: {
  config: RelayFeedConfig
  journal: Journal
  rules: () => FeedRules
  proxies: (origin: string) => Promise<(string | null)[]>
  clock: Clock
  log: Log
  /** `isLive`: all that arrived earlier was read. */
  onStored: (deliveries: readonly Delivery[], isLive: boolean) => void
  onRefused: (refusal: KeptRefusal) => void
  onStatus: (status: RelayFeedStatus) => void
}) {
  const { config, journal, clock, log } = parts
  const { hostname } = new URL(config.url)
  let state: FeedState = { kind: 'connecting' }
  let received = 0
  let refusedSignatures = 0
  let lastDeliveryMs: number | null = null
  /** When everything at the relay was read, by this computer's clock. Later deliveries arrived later. */
  let caughtUpMs = journal.relayCaughtUpMs()
  let isStopped = false
  let recheck = () => {}

  /** Null while secrets that may match are missing. */
  function check(deliveries: readonly FeedDelivery[]): Checked | null {
    const { checker, secretsUnread, allowUnsigned } = parts.rules()
    const stored: Checked['stored'] = []
    const refused: KeptRefusal[] = []
    for (const { seq, receivedMs, headers, body } of deliveries) {
      const signature = headers.find(([name]) => name === signatureHeader)?.[1]
      // A relay's clock may be wrong, and a relay may lie so that a retired secret counts.
      const nowMs = clock.now()
      const arrivedMs = Math.min(nowMs, Math.max(receivedMs, caughtUpMs - lateMs, nowMs - longestWaitMs))
      const verdict = checker.check(body, signature, arrivedMs)
      const isUnsigned = checker.keys.length === 0 && allowUnsigned && !secretsUnread
      if (!verdict.ok && !isUnsigned) {
        const mayBeValid = verdict.reason === 'signature-mismatch' || verdict.reason === 'no-secret'
        if (checker.keys.length === 0 || (secretsUnread && mayBeValid)) return null
        refused.push({
          sample: {
            atMs: receivedMs,
            status: 200,
            reason: verdict.reason,
            remote: hostname,
            method: 'POST',
            path: pathOf(state) ?? '',
            sizeBytes: body.length,
          },
          headers: keptHeaders(headers.flat()),
          body: Buffer.from(body),
          receivedSignature: signature?.slice(0, 256) ?? null,
        })
        continue
      }
      stored.push({
        relaySeq: seq,
        receivedMs,
        verdict: verdict.ok ? 'signed' : 'unsigned',
        secretId: verdict.ok ? verdict.secretId : null,
        remote: hostname,
        // Without the signature, which could be replayed.
        headersJson: JSON.stringify(keptHeaders(headers.flat())),
        body,
      })
    }
    return { stored, refused }
  }

  /** Waits for secrets; meanwhile nothing is acknowledged, so the relay keeps it. */
  async function checked(deliveries: readonly FeedDelivery[]): Promise<Checked> {
    for (;;) {
      const found = check(deliveries)
      if (found) return found
      await new Promise<void>((resolve) => (recheck = resolve))
      if (isStopped) throw new Error('The feed was stopped')
    }
  }

  const sink: FeedSink = {
    position: journal.relayPosition,
    begin: (relayId, after) => journal.useRelay(relayId, after, clock.now()),
    async store(relayId, deliveries) {
      const isLive = state.kind === 'connected' && state.behind === 0
      if (isLive) caughtUpMs = clock.now()
      const { stored, refused } = await checked(deliveries)
      const fresh = journal.appendFromRelay({ relayId, seq: deliveries.at(-1)!.seq, caughtUpMs }, stored)
      received += fresh.length
      lastDeliveryMs = fresh.at(-1)?.receivedMs ?? lastDeliveryMs
      refusedSignatures += refused.length
      for (const refusal of refused) parts.onRefused(refusal)
      if (fresh.length > 0) parts.onStored(fresh, isLive)
    },
    gap(relayId, { fromSeq, toSeq, fromMs, toMs }) {
      log.warn('The relay dropped deliveries before they were read', { count: toSeq - fromSeq + 1 })
      journal.loseAtRelay({ relayId, seq: toSeq }, { fromMs, toMs })
    },
    listening: journal.recordRelayPeriods,
  }

  const client = createFeedClient({
    ...config,
    proxies: parts.proxies,
    sink,
    onState(next) {
      // A further try is not news.
      if (next.kind === 'connecting' && state.kind === 'unreachable') return
      if (next.kind !== state.kind && next.kind !== 'connecting')
        log.info('The relay feed changed', { ...next })
      state = next
      parts.onStatus(status())
    },
    clock,
    random: Math.random,
  })

  function status(): RelayFeedStatus {
    const path = pathOf(state)
    return {
      state: state.kind === 'stopped' ? 'connecting' : state.kind,
      refusal: state.kind === 'refused' ? state.reason : null,
      detail: state.kind === 'unreachable' ? state.detail : null,
      retryAtMs: state.kind === 'unreachable' ? state.retryAtMs : null,
      behind: state.kind === 'connected' ? state.behind : 0,
      received,
      refusedSignatures,
      lastDeliveryMs,
      webhookUrl: path === null ? null : config.url.replace(/\/+$/, '') + path,
    }
  }

  if (config.url.startsWith('https:')) trustSystemAuthorities(log)
  client.start()
  return {
    /** Looks at waiting deliveries again, after the rules changed. */
    recheck: () => recheck(),
    retry: client.retry,
    wake: client.wake,
    stop(): void {
      isStopped = true
      client.stop()
      recheck()
    },
  }
}

const pathOf = (state: FeedState) => (state.kind === 'connected' ? state.path : null)

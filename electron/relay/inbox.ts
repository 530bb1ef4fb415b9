import { createHistogram } from 'node:perf_hooks'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { signatureHeader } from '../listener/headers.ts'
import type { Receiver } from '../listener/http-server.ts'
import type { RefusalReason } from '../listener/protocol.ts'
import { createSignatureChecker } from '../listener/signature.ts'
import type { InboxConfig } from './config.ts'
import { openInboxRecord } from './inbox-record.ts'
import { dropOld } from './retention.ts'
import type { Storage } from './store.ts'

export type Inbox = Awaited<ReturnType<typeof openInbox>>

/** At most `perSecond` on average; bursts of one second. */
function createRate(perSecond: number, clock: Clock): () => boolean {
  let left = perSecond
  let lastMs = clock.monotonic()
  return () => {
    const nowMs = clock.monotonic()
    left = Math.min(perSecond, left + ((nowMs - lastMs) * perSecond) / 1_000)
    lastMs = nowMs
    if (left < 1) return false
    left--
    return true
  }
}

/** Consoles check the signature again, so it is kept with the headers. Added as text: parsing would cost more. */
function withSignature(headersJson: string, signature: string | undefined): string {
  if (signature === undefined) return headersJson
  const added = JSON.stringify([signatureHeader, signature])
  return headersJson === '[]' ? `[${added}]` : `${headersJson.slice(0, -1)},${added}]`
}

/** One inbox: its path and secrets, its store, and what its readers have read. Throws `STORAGE_*` errors. */
export async function openInbox(config: InboxConfig, storage: Storage, clock: Clock, log: Log) {
  const store = await storage.openStore(config.name)
  // No inbox has such a name.
  const team = await storage.openStore(`${config.name}_team`).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  const { documents } = storage
  const record = openInboxRecord({ documents, inbox: config.name, relayId: () => store.id, clock, log })
  const mayStore = createRate(config.perSecond, clock)
  const rules = {
    path: config.path,
    allowUnsigned: config.secrets.length === 0,
    checker: createSignatureChecker(config.secrets),
    secretsUnread: false,
  }
  const latency = createHistogram()
  const counts = { signed: 0, unsigned: 0, notStored: 0, tooFast: 0, dropped: 0, droppedUnread: 0 }
  const refused: Partial<Record<RefusalReason, number>> = {}
  let readers: readonly string[] = []
  let retaining: Promise<void> = Promise.resolve()

  async function registerReaders(): Promise<void> {
    const { firstSeq } = await store.extent()
    for (const token of readers) record.register(token, firstSeq - 1)
    await record.keepOnly(readers)
  }

  const receiver: Receiver = {
    rules: () => rules,
    store({ receivedMs, verdict, secretId, remote, headersJson, body, signature, settle }) {
      if (!mayStore()) {
        counts.tooFast++
        return settle(false)
      }
      const delivery = {
        receivedMs,
        verdict,
        secretId,
        remote,
        headersJson: withSignature(headersJson, signature),
        body,
      }
      store.append([delivery]).then(
        () => settle(true),
        () => settle(false),
      )
    },
    onAccepted({ verdict }, tookMs) {
      counts[verdict]++
      latency.record(Math.max(1, Math.round(tookMs * 1_000)))
    },
    onNotStored() {
      counts.notStored++
    },
    onRefused({ sample }) {
      refused[sample.reason] = (refused[sample.reason] ?? 0) + 1
    },
  }

  return {
    name: config.name,
    path: config.path,
    isSigned: config.secrets.length > 0,
    store,
    /** The log of its consoles. Only erased entries leave it. */
    team,
    record,
    receiver,
    counts,
    refused,
    latency,
    /** Call when the valid tokens change. A new one reads what is stored now and later. */
    setReaders(tokens: readonly string[]): Promise<void> {
      readers = tokens
      return registerReaders()
    },
    /** Deliveries that each token has not acknowledged. */
    unread: () => record.unread(store.lastSeq()),
    /** Deletes what is beyond the limits. One run at a time. */
    dropOld(): Promise<void> {
      retaining = retaining.then(async () => {
        try {
          // Another relay may have accepted a token, or the store was away when one was added.
          await documents.refresh()
          await registerReaders()
          const { dropped, unread } = await dropOld(store, record, config.keep, clock.now())
          counts.dropped += dropped
          counts.droppedUnread += unread
          if (unread > 0)
            log.warn('Deliveries were dropped before every console had read them', {
              inbox: config.name,
              unread,
            })
        } catch (error) {
          log.error('Could not drop old deliveries', { inbox: config.name, error })
        }
      })
      return retaining
    },
    async close(): Promise<void> {
      await retaining
      await record.close()
      await team.close()
      await store.close()
    },
  }
}

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { signatureHeader } from '../listener/headers.ts'
import type { Receiver } from '../listener/http-server.ts'
import { createLatencyHistogram } from '../listener/latency.ts'
import type { RefusalReason } from '../listener/protocol.ts'
import { createSignatureChecker } from '../listener/signature.ts'
import type { InboxConfig } from './config.ts'
import { highestRead, openInboxRecord } from './inbox-record.ts'
import { openJournalStore } from './journal-store.ts'
import { dropOld } from './retention.ts'

export type Inbox = ReturnType<typeof openInbox>

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

/** Consoles check the signature again, so it is kept with the headers. */
const withSignature = (headersJson: string, signature: string | undefined): string =>
  signature === undefined
    ? headersJson
    : JSON.stringify([...(JSON.parse(headersJson) as [string, string][]), [signatureHeader, signature]])

/** One inbox: its path and secrets, its store, and what its readers have read. Throws `STORAGE_*` errors. */
export function openInbox(config: InboxConfig, dataDir: string, clock: Clock, log: Log) {
  const folder = join(dataDir, 'inboxes', config.name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const recordFile = join(folder, 'readers.json')
  const store = openJournalStore({
    folder,
    continueAfterSeq: (id) => highestRead(recordFile, id, log),
    clock,
    log,
  })
  const record = openInboxRecord(recordFile, store.id, clock, log)
  const mayStore = createRate(config.perSecond, clock)
  const rules = {
    path: config.path,
    allowUnsigned: config.secrets.length === 0,
    checker: createSignatureChecker(config.secrets),
    secretsUnread: false,
  }
  const latency = createLatencyHistogram()
  const counts = { signed: 0, unsigned: 0, notStored: 0, tooFast: 0, dropped: 0, droppedUnread: 0 }
  const refused: Partial<Record<RefusalReason, number>> = {}
  let lastSeq = 0
  let retaining: Promise<void> = Promise.resolve()

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
        ([seq]) => {
          lastSeq = Math.max(lastSeq, seq!)
          settle(true)
        },
        () => settle(false),
      )
    },
    onAccepted({ verdict }, tookMs) {
      counts[verdict]++
      latency.record(tookMs)
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
    record,
    receiver,
    counts,
    refused,
    latency,
    /** Follows the valid tokens: a new one reads what is stored now and later. */
    async setReaders(tokens: readonly string[]): Promise<void> {
      const extent = await store.extent()
      lastSeq = Math.max(lastSeq, extent.lastSeq)
      record.keepOnly(tokens)
      for (const token of tokens) record.register(token, extent.firstSeq - 1)
    },
    /** Deliveries that each token has not acknowledged. */
    unread: () => record.unread(lastSeq),
    /** Deletes what is beyond the limits. One run at a time. */
    dropOld(): Promise<void> {
      retaining = retaining.then(async () => {
        try {
          const { dropped, unread } = await dropOld(store, record, config.keep, clock.now())
          counts.dropped += dropped
          counts.droppedUnread += unread
          if (unread > 0)
            log.warn('Deliveries were dropped before every console had read them', {
              inbox: config.name,
              unread,
            })
        } catch (error) {
          log.error('Old deliveries could not be dropped', { inbox: config.name, error })
        }
      })
      return retaining
    },
    async close(): Promise<void> {
      await retaining
      record.close()
      await store.close()
    },
  }
}

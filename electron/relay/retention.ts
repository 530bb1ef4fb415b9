import type { InboxRecord } from './inbox-record.ts'
import type { RelayStore } from './store.ts'

export interface KeepRules {
  /** For deliveries that every registered token has read. */
  ageMs: number
  bytes: number
  /** For all deliveries, read or not. */
  unreadAgeMs: number
  unreadBytes: number
}

/** A step reads and deletes this much, so that acknowledgements wait a moment at most. */
const step = { items: 128, bytes: 1024 * 1024 }

/**
 * Deletes the oldest deliveries beyond the rules. Unread ones are recorded first, for the gap in the feed. Returns how
 * many were deleted, and how many of them were unread.
 */
export async function dropOld(
  store: RelayStore,
  record: InboxRecord,
  rules: KeepRules,
  nowMs: number,
): Promise<{ dropped: number; unread: number }> {
  const total = { dropped: 0, unread: 0 }
  for (;;) {
    const { bytes, lastSeq } = await store.extent()
    const oldest = (await store.readAfter(0, step)).filter(({ seq }) => seq < lastSeq)
    const readByAll = record.readByAll()
    let freed = 0
    const staying = oldest.findIndex(({ seq, receivedMs, body }) => {
      const isRead = seq <= readByAll
      const isTooOld = receivedMs < nowMs - (isRead ? rules.ageMs : rules.unreadAgeMs)
      const isTooMuch = bytes - freed > (isRead ? rules.bytes : rules.unreadBytes)
      freed += body.length
      return !isTooOld && !isTooMuch
    })
    const dropping = staying === -1 ? oldest : oldest.slice(0, staying)
    const last = dropping.at(-1)
    if (!last) return total
    const unread = dropping.filter(({ seq }) => seq > readByAll)
    if (unread[0])
      await record.recordDrop({
        fromSeq: unread[0].seq,
        toSeq: last.seq,
        count: unread.length,
        fromMs: unread[0].receivedMs,
        toMs: last.receivedMs,
      })
    total.dropped += await store.dropUpTo(last.seq)
    total.unread += unread.length
    if (staying !== -1) return total
  }
}

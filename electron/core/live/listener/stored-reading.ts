import type { Clock } from '../../../lib/clock.ts'

/** Stored deliveries become events within a second. After this time, something is wrong. */
const unreadMs = 10_000

/**
 * Whether stored deliveries became events, and so opt-outs holds: at once those that were stored when Switchboard started or the relay
 * was read, later ones within seconds. `stored`: the newest delivery, and the newest that is an event.
 */
export function createStoredReading(
  stored: () => { lastSeq: number; readSeq: number },
  clock: Pick<Clock, 'monotonic'>,
  onUnknown: (error: unknown) => void,
) {
  /** Must become events before messages leave. Null: not asked yet. */
  let readUpTo: number | null = null
  let unread: { seq: number; sinceMs: number } | null = null
  return {
    /** Nothing counts as read until `readStored`: more is being stored. */
    expectMore: () => void (readUpTo = Infinity),
    /** What is stored at the next look must become events. */
    readStored: () => void (readUpTo = null),
    isRead(): boolean {
      try {
        const { lastSeq, readSeq } = stored()
        readUpTo ??= lastSeq
        if (readSeq >= readUpTo) readUpTo = 0
        if (readSeq >= lastSeq) unread = null
        else if (!unread || readSeq >= unread.seq) unread = { seq: lastSeq, sinceMs: clock.monotonic() }
      } catch (error) {
        onUnknown(error)
      }
      return readUpTo === 0 && (unread === null || clock.monotonic() - unread.sinceMs < unreadMs)
    },
  }
}

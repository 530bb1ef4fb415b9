import type { ListenerStatus } from '../../../contract/live/listener.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { ListenerStats } from '../../../listener/protocol.ts'

const minuteMs = 60_000

/** The listener's counts since its thread started, as it reports them. They survive a move. */
export function createListenerCounts(clock: Clock) {
  let stats: ListenerStats | null = null
  let sinceMs: number | null = null
  let verifiedMs = -Infinity
  /** When the total of rejected deliveries rose within the last minute, on the monotonic clock. */
  let rises: { atMs: number; count: number }[] = []

  return {
    begin(): void {
      stats = null
      sinceMs = clock.now()
    },
    report(newest: ListenerStats): void {
      const count = newest.refusedTotal - (stats?.refusedTotal ?? 0)
      if (count > 0) rises.push({ atMs: clock.monotonic(), count })
      if (newest.verified > (stats?.verified ?? 0)) verifiedMs = clock.monotonic()
      stats = newest
    },
    /** The thread ended. */
    ended(): void {
      stats = null
      sinceMs = null
    },
    view() {
      rises = rises.filter(({ atMs }) => clock.monotonic() - atMs < minuteMs)
      return {
        acknowledged: stats?.accepted ?? 0,
        unsigned: stats?.unsigned ?? 0,
        refused: stats?.refusedTotal ?? 0,
        refusedLastMinute: rises.reduce((sum, { count }) => sum + count, 0),
        lastRefusalReason: stats?.lastRefusalReason ?? null,
        notStored: stats?.notStored ?? 0,
        lastDeliveryAt: isoTime(stats?.lastDeliveryMs ?? null),
      } satisfies Partial<ListenerStatus>
    },
    unproven: () => stats?.unproven ?? 0,
    /** When a delivery last arrived with a valid signature, on the monotonic clock. What waited at a relay doesn't count. */
    lastVerifiedMs: () => verifiedMs,
    /** Deliveries signed with one of these secrets since `sinceMs`. */
    signedWith(secretIds: readonly string[]): {
      count: number
      lastMs: number | null
      sinceMs: number | null
    } {
      const found = secretIds.flatMap((id) => stats?.bySecret[id] ?? [])
      return {
        count: found.reduce((sum, { count }) => sum + count, 0),
        lastMs: found.length === 0 ? null : Math.max(...found.map(({ lastMs }) => lastMs)),
        sinceMs,
      }
    },
  }
}

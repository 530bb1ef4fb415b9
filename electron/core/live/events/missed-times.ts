import type { MissedReason } from '../../../contract/live/events.ts'
import type { Database } from '../../../database/open.ts'

/** A time in which events were missed although the listener could receive. */
export interface MissedTime {
  fromMs: number
  untilMs: number
  reason: MissedReason
  /** It is still so. */
  lasts: boolean
}

export type MissedTimes = ReturnType<typeof createMissedTimes>

/** The times that the alarms found (`connection/alarms/missed.ts`). After a crash, one ends when it was last noted. */
export function createMissedTimes(db: Database) {
  const put = db.prepare<[number, number, MissedReason]>(
    `INSERT INTO missed_times (from_ms, until_ms, reason) VALUES (?, ?, ?)
     ON CONFLICT (from_ms) DO UPDATE SET until_ms = excluded.until_ms, reason = excluded.reason`,
  )
  const find = db.prepare<[number], Omit<MissedTime, 'lasts'>>(
    'SELECT from_ms AS fromMs, until_ms AS untilMs, reason FROM missed_times WHERE until_ms >= ? ORDER BY from_ms',
  )
  let lastingFromMs: number | null = null
  return {
    note({ fromMs, untilMs, reason, lasts }: MissedTime): void {
      put.run(fromMs, untilMs, reason)
      lastingFromMs = lasts ? fromMs : null
    },
    /** Those that last until `sinceMs` or later, oldest first. */
    since: (sinceMs: number): MissedTime[] =>
      find.all(sinceMs).map((one) => ({ ...one, lasts: one.fromMs === lastingFromMs })),
  }
}

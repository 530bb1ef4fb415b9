import type { Clock } from '../lib/clock.ts'
import type { Database } from './open.ts'

/** Deleted data leaves the log this long after its write; a blocked attempt is retried. */
const truncateAfterMs = 2_000
const truncateAgainMs = 500

/**
 * Checkpoints and empties the log, which otherwise still contains deleted data. Never waits; false while a
 * reader or an open transaction blocks it.
 */
export function truncateLog(db: Database): boolean {
  if (db.inTransaction) return false
  const timeoutMs = db.pragma('busy_timeout', { simple: true }) as number
  db.pragma('busy_timeout = 0')
  try {
    return (db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[])[0]?.busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeoutMs}`)
  }
}

/** Empties a log soon after each write. `attempt` returns whether it is empty. */
export function createLogTruncation(clock: Pick<Clock, 'after'>, attempt: () => boolean) {
  let cancel: (() => void) | null = null
  function inMs(delayMs: number): void {
    cancel ??= clock.after(delayMs, () => {
      cancel = null
      if (!attempt()) inMs(truncateAgainMs)
    })
  }
  return {
    soon: () => inMs(truncateAfterMs),
    stop(): void {
      cancel?.()
      cancel = null
    },
  }
}

import type { Clock } from '../lib/clock.ts'
import type { Database } from './open.ts'

/** Deleted data leaves the log this long after its write, milliseconds; where somebody uses the log, it is tried again. */
const truncateAfterMs = 2_000
const truncateAgainMs = 500

/**
 * Moves the whole log into the file and empties it: until then the log still holds what was deleted. False while a reader or an open
 * transaction needs it; never waits.
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

/** Empties a log soon after each write. `attempt` answers whether it is empty. */
export interface LogTruncation {
  soon(): void
  stop(): void
}

export function createLogTruncation(clock: Pick<Clock, 'after'>, attempt: () => boolean): LogTruncation {
  let cancel: (() => void) | null = null
  function inMs(delayMs: number): void {
    cancel ??= clock.after(delayMs, () => {
      cancel = null
      if (!attempt()) inMs(truncateAgainMs)
    })
  }
  return {
    soon: () => inMs(truncateAfterMs),
    stop() {
      cancel?.()
      cancel = null
    },
  }
}

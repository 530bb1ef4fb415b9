import type { Acted } from '../../../contract/errors.ts'
import type { Random } from '../../../lib/random.ts'
import type { Failure } from './http-errors.ts'

/**
 * Whether a call may be repeated. `safe`: GET. `idempotent`: DELETE. `repeatable`: login and refresh only issue
 * another token, and the refresh token stays valid (spec, Authentication, rule 2). `once`: other POSTs, because
 * without idempotency keys a repeat could create a duplicate.
 */
export type RetryPolicy = 'safe' | 'idempotent' | 'repeatable' | 'once'

/** First delay, before jitter. */
const baseDelayMs = 500
/** Longest delay, before jitter. */
const maxDelayMs = 30_000
/** Tries in total. */
export const maxTries = 5
/** Latest start of another try after the first. Waits for the rate limit don't count. */
const maxTotalMs = 60_000

/** What follows a failed try. `done`: an earlier try had worked. */
export type Verdict =
  | { kind: 'again'; delayMs: number }
  | { kind: 'done' }
  | { kind: 'unknown' }
  | { kind: 'fail' }

export interface Progress {
  retryPolicy: RetryPolicy
  /** With the failed one. */
  tries: number
  maxTries: number
  /** Since the first try, without waits for the rate limit. */
  elapsedMs: number
  /** Whether the service acted on earlier tries. */
  acted: Acted
}

/** Full jitter: 0 up to a limit that doubles with each try. */
function backoffMs(tries: number, random: Random): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1))
}

/** The retry rules, except 401 (credentials) and 429 (rate limit). */
export function judge(failure: Failure, progress: Progress, random: Random): Verdict {
  const { retryPolicy } = progress
  const isGone = failure.error.code === 'SERVICE_NOT_FOUND' && !failure.isPage
  if (retryPolicy === 'idempotent' && isGone && progress.acted === 'maybe') return { kind: 'done' }
  if (retryPolicy === 'once' && failure.error.acted === 'maybe') return { kind: 'unknown' }
  if (!failure.isTransient || progress.tries >= progress.maxTries) return { kind: 'fail' }
  const delayMs = Math.max(backoffMs(progress.tries, random), Math.min(failure.retryAfterMs ?? 0, maxDelayMs))
  return progress.elapsedMs + delayMs > maxTotalMs ? { kind: 'fail' } : { kind: 'again', delayMs }
}

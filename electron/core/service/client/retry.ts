import type { Random } from '../../../lib/random.ts'
import type { Failure } from './http-errors.ts'

/**
 * Whether a call may be sent again without asking.
 * `safe`: GET, changes nothing. `idempotent`: DELETE, twice is as once. `repeatable`: the POSTs of signing in; a second login
 * or refresh only issues another token, and the refresh token stays usable (spec, Authentication, rule 2).
 * `once`: every other POST: the service has no idempotency key, so a repeat could be a second contact or message.
 */
export type RepeatLaw = 'safe' | 'idempotent' | 'repeatable' | 'once'

/** First backoff before jitter. */
export const baseDelayMs = 500
/** Longest backoff before jitter. */
export const maxDelayMs = 30_000
/** Tries in all, the first included. */
export const maxTries = 5
/** A call gives up when its next try would begin later than this after its first. Waits for the rate budget do not count. */
export const maxTotalMs = 60_000

/** What to do after a failed try. `done`: the failure means that an earlier try had worked. */
export type Verdict =
  { kind: 'again'; delayMs: number } | { kind: 'done' } | { kind: 'unknown' } | { kind: 'fail' }

/** Where a call stands. */
export interface Progress {
  law: RepeatLaw
  /** Tries made, the failed one included. */
  tries: number
  /** Most tries for this call. */
  maxTries: number
  /** Spent since the first try, without waits for the rate budget, milliseconds. */
  elapsedMs: number
  /** True when an earlier try may have reached the service. */
  maybeReached: boolean
}

/** Full jitter: anything from 0 to the doubled-each-time ceiling. */
export function backoffMs(tries: number, random: Random): number {
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (tries - 1))
}

/** True when the failure leaves open whether the service acted. */
function mayHaveActed({ kind, status }: Failure): boolean {
  if (kind === 'interrupted' || kind === 'badAnswer') return true
  // 303 tells to look for the result of a POST elsewhere; 408 and 5xx say nothing about how far it came.
  return (
    kind === 'status' &&
    status !== null &&
    (status === 303 || status === 408 || status >= 500 || status < 200)
  )
}

/** True when another try may succeed. A bad certificate, a 4xx, a proxy's refusal or an unreadable answer will not change. */
function isTransient({ kind, status, error }: Failure): boolean {
  if (error.code === 'SERVICE_TLS' || error.code === 'PROXY_SIGN_IN') return false
  if (error.code === 'PROXY_REFUSED') return Number(error.data['status']) >= 500
  if (kind === 'notSent' || kind === 'interrupted') return true
  return (
    kind === 'status' &&
    status !== null &&
    (status === 408 || (status >= 500 && status < 600 && status !== 501))
  )
}

/**
 * The retry law, for every failure but 401 and 429: those belong to the credentials
 * and to the rate budget.
 */
export function judge(failure: Failure, progress: Progress, random: Random): Verdict {
  const { law } = progress
  const isGone = failure.kind === 'status' && failure.status === 404 && !failure.isPage
  if (law === 'idempotent' && isGone && progress.maybeReached) return { kind: 'done' }
  if (law === 'once' && mayHaveActed(failure)) return { kind: 'unknown' }
  if (!isTransient(failure) || progress.tries >= progress.maxTries) return { kind: 'fail' }
  const delayMs = Math.max(backoffMs(progress.tries, random), Math.min(failure.retryAfterMs ?? 0, maxDelayMs))
  return progress.elapsedMs + delayMs > maxTotalMs ? { kind: 'fail' } : { kind: 'again', delayMs }
}

import type { ErrorView } from '../../../contract/define.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

export type NetworkWatch = ReturnType<typeof createNetworkWatch>

/** One endpoint may fail for a while; every request failing for this long is an outage. */
const onlyErrorsMs = 20_000

/** Whether the service is reachable, judged by normal requests. */
export function createNetworkWatch(clock: Clock, onChange: () => void) {
  let reachable: boolean | null = null
  let lastAnswerAtMs: number | null = null
  let problem: ErrorView | null = null
  let failures: { firstMs: number; lastMs: number } | null = null
  /** Since when it answers with 5xx only, and its newest such answer. Monotonic. */
  let onlyErrors: { sinceMs: number; lastMs: number } | null = null
  const reachedCallbacks = new Set<() => void>()
  return {
    state: () => ({
      reachable,
      lastAnswerAt: isoTime(lastAnswerAtMs),
      problem,
    }),
    /** When the service last answered without 5xx, milliseconds since 1970; null if it didn't. */
    answeredMs: () => lastAnswerAtMs,
    /** Monotonic times of the first and newest failure since an answer. */
    failures: () => failures,
    onReached(callback: () => void): () => void {
      reachedCallbacks.add(callback)
      return () => void reachedCallbacks.delete(callback)
    },
    answered(): void {
      const isBack = reachable === false
      lastAnswerAtMs = clock.now()
      reachable = true
      problem = null
      failures = null
      onlyErrors = null
      onChange()
      if (isBack) for (const callback of reachedCallbacks) callback()
    },
    serverFailed(error: AppError): void {
      const lastMs = clock.monotonic()
      // Two failures far apart say nothing about the time between them.
      const isInRow = onlyErrors !== null && lastMs - onlyErrors.lastMs <= onlyErrorsMs
      const sinceMs = isInRow ? onlyErrors!.sinceMs : lastMs
      onlyErrors = { sinceMs, lastMs }
      if (lastMs - sinceMs < onlyErrorsMs) return
      reachable = false
      problem = viewOf(error)
      failures = { firstMs: failures?.firstMs ?? sinceMs, lastMs }
      onChange()
    },
    failed(error: AppError): void {
      // One failure after an answer may be a single broken connection.
      if (!reachable || failures) {
        reachable = false
        problem = viewOf(error)
      }
      const lastMs = clock.monotonic()
      failures = { firstMs: failures?.firstMs ?? lastMs, lastMs }
      onChange()
    },
  }
}

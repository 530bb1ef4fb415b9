import type { ErrorView } from '../../../contract/define.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

export type NetworkWatch = ReturnType<typeof createNetworkWatch>

/** Whether the service is reachable, judged by normal requests. */
export function createNetworkWatch(clock: Clock, onChange: () => void) {
  let reachable: boolean | null = null
  let lastAnswerAtMs: number | null = null
  let problem: ErrorView | null = null
  let failures: { firstMs: number; lastMs: number } | null = null
  return {
    state: () => ({
      reachable,
      lastAnswerAt: isoTime(lastAnswerAtMs),
      problem,
    }),
    /** When the service last answered, milliseconds since 1970; null if it didn't. */
    answeredMs: () => lastAnswerAtMs,
    /** Monotonic times of the first and newest failure since an answer. */
    failures: () => failures,
    answered(): void {
      lastAnswerAtMs = clock.now()
      reachable = true
      problem = null
      failures = null
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

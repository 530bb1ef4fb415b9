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
  return {
    state: () => ({
      reachable,
      lastAnswerAt: isoTime(lastAnswerAtMs),
      problem,
    }),
    answered(): void {
      lastAnswerAtMs = clock.now()
      reachable = true
      problem = null
      onChange()
    },
    failed(error: AppError): void {
      reachable = false
      problem = viewOf(error)
      onChange()
    },
  }
}

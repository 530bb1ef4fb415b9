import type { ErrorView } from '../../../contract/define.ts'
import type { AppError } from '../../../contract/errors.ts'
import type { Clock } from '../../../lib/clock.ts'
import { viewOf } from '../../platform/rpc/errors.ts'

/** Whether the service is reachable, judged by normal requests. */
export interface NetworkWatch {
  state(): { reachable: boolean | null; lastAnswerAt: string | null; problem: ErrorView | null }
  answered(): void
  failed(error: AppError): void
}

export function createNetworkWatch(clock: Clock, onChange: () => void): NetworkWatch {
  let reachable: boolean | null = null
  let lastAnswerAtMs: number | null = null
  let problem: ErrorView | null = null
  return {
    state: () => ({
      reachable,
      lastAnswerAt: lastAnswerAtMs === null ? null : new Date(lastAnswerAtMs).toISOString(),
      problem,
    }),
    answered() {
      lastAnswerAtMs = clock.now()
      reachable = true
      problem = null
      onChange()
    },
    failed(error) {
      reachable = false
      problem = viewOf(error)
      onChange()
    },
  }
}

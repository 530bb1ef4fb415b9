import { shallowRef } from 'vue'
import type { ErrorView } from '#contract/define.ts'
import { type Attempt, attempt } from './error-view.ts'

/** The calls of one form or dialog: whether one runs, and why the last one failed. */
export function useAttempt() {
  const busy = shallowRef(false)
  const error = shallowRef<ErrorView | null>(null)

  async function run<T>(call: Promise<T>): Promise<Attempt<T>> {
    busy.value = true
    const answer = await attempt(call)
    busy.value = false
    error.value = answer.ok ? null : answer.error
    return answer
  }

  return { busy, error, run }
}

import { shallowRef } from 'vue'
import type { ErrorView } from '#contract/define.ts'
import { type Attempt, attempt } from './error-view.ts'

/** The calls of one form or dialog: whether the newest one runs, and why the newest that ended failed. */
export function useAttempt() {
  const busy = shallowRef(false)
  const error = shallowRef<ErrorView | null>(null)
  let newest = 0

  async function run<T>(call: Promise<T>): Promise<Attempt<T>> {
    const mine = ++newest
    busy.value = true
    const answer = await attempt(call)
    if (mine !== newest) return answer
    busy.value = false
    error.value = answer.ok ? null : answer.error
    return answer
  }

  return { busy, error, run }
}

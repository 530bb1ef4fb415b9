import type { ErrorView } from '#contract/define.ts'
import { tryOnScopeDispose } from '@vueuse/core'
import { reactive, shallowRef } from 'vue'
import type { Attempt } from '../../rpc/error-view.ts'
import { useAttempt } from '../../rpc/use-attempt.ts'

/** What a dialog shows of its question: whether the action runs, why it failed, and how to close it. */
export interface OpenQuestion {
  busy?: boolean
  error?: ErrorView | null
  close: () => void
}

/** A question and what it is about. */
export interface Question<T> extends Required<OpenQuestion> {
  /** Null while nothing is asked. */
  about: T | null
  ask: (about: T) => void
  /** Waits for the confirmed action. The question closes if it worked. */
  act: <V>(call: Promise<V>) => Promise<Attempt<V>>
}

/** The one that is asked, on any page. */
let open: unknown = null

/** One question at a time, for a `ConfirmDialog` that is shown while it is `about` something. */
export function useQuestion<T = true>(): Question<T> {
  const { busy, error, run } = useAttempt()
  const question = reactive({
    about: shallowRef<T | null>(null),
    busy,
    error,
    ask,
    close,
    act,
  }) as Question<T>

  /** Asks nothing while another question is open: its answer may have taken long. */
  function ask(about: T): void {
    if (open !== null && open !== question) return
    open = question
    question.error = null
    question.about = about
  }
  function close(): void {
    if (open === question) open = null
    question.about = null
  }
  tryOnScopeDispose(close)
  async function act<V>(call: Promise<V>): Promise<Attempt<V>> {
    const answer = await run(call)
    if (answer.ok) close()
    return answer
  }

  return question
}

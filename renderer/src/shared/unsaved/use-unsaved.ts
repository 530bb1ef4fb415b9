import { createSharedComposable } from '@vueuse/core'
import { onScopeDispose, shallowRef } from 'vue'

/** Unsaved text that would be lost. */
export interface UnsavedWork {
  /** Its name in the question: `What you typed for this contact`. */
  words: string
  isDirty: () => boolean
  /** Keys of the address’s query: a change of one also discards it. */
  byQuery?: readonly string[]
}

/** One per window: pages register unsaved text, the shell asks. */
export const useUnsaved = createSharedComposable(() => {
  const works = new Set<UnsavedWork>()
  const asking = shallowRef<string | null>(null)
  let settle: (leave: boolean) => void = () => {}

  function answer(leave: boolean): void {
    asking.value = null
    settle(leave)
    settle = () => {}
  }

  return {
    asking,
    answer,
    /** True while closing the window would lose unsaved text. */
    isDirty: () => [...works].some((work) => work.isDirty()),
    /** Tracks `work` while the calling component lives. */
    guard(work: UnsavedWork): void {
      works.add(work)
      onScopeDispose(() => works.delete(work))
    },
    /** True when leaving loses nothing, or the operator agrees. On the same page only these keys of the query change. */
    mayLeave(changedQuery?: readonly string[]): Promise<boolean> {
      const lost = [...works].find(
        (work) =>
          (!changedQuery || work.byQuery?.some((key) => changedQuery.includes(key))) && work.isDirty(),
      )
      // An open question is answered with no: the new one is about the same text.
      answer(false)
      if (!lost) return Promise.resolve(true)
      asking.value = lost.words
      return new Promise((resolve) => (settle = resolve))
    },
  }
})

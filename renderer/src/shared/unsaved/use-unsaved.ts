import { createSharedComposable } from '@vueuse/core'
import { type ShallowRef, onScopeDispose, shallowRef } from 'vue'

/** Something that is typed and would be lost. */
export interface UnsavedWork {
  /** What it is, as the question names it: `What you typed for this contact`. */
  words: string
  isDirty: () => boolean
  /** True where another query of the same page takes it away too. */
  byQuery?: boolean
}

/** What of this window is typed and not saved, and the question before it is lost. */
export interface Unsaved {
  /** Watches over `work` while the calling component lives. */
  guard(work: UnsavedWork): void
  /** True when nothing would be lost by leaving, or the operator says that it may be. */
  mayLeave(place?: { samePage: boolean }): Promise<boolean>
  /** True while closing the window would lose unsaved text. */
  isDirty(): boolean
  /** What is asked about; null while nothing is. */
  asking: Readonly<ShallowRef<string | null>>
  answer(leave: boolean): void
}

/** One for the whole window: pages say what is unsaved, the shell asks. */
export const useUnsaved = createSharedComposable((): Unsaved => {
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
    isDirty: () => [...works].some((work) => work.isDirty()),
    guard(work) {
      works.add(work)
      onScopeDispose(() => works.delete(work))
    },
    mayLeave({ samePage } = { samePage: false }) {
      const lost = [...works].find((work) => (!samePage || work.byQuery) && work.isDirty())
      // A question that is open already is answered with no: it is about the same thing, asked for another way to leave.
      answer(false)
      if (!lost) return Promise.resolve(true)
      asking.value = lost.words
      return new Promise((resolve) => (settle = resolve))
    },
  }
})

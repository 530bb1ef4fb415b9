import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'

/** One page of an answer that goes on at a cursor. */
export interface AnsweredPage {
  items: readonly unknown[]
  nextCursor: string | number | null
}

type RowOf<A extends AnsweredPage> = A['items'][number]
type CursorOf<A extends AnsweredPage> = NonNullable<A['nextCursor']>

/** Where a list that is read page by page stands. `more` says what lies behind its last row. */
export interface PagedState<A extends AnsweredPage> {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  rows: readonly RowOf<A>[]
  /** The last answer, for its totals and ages. */
  answer: A | null
  more: 'none' | 'there' | 'loading' | 'failed'
  error: ErrorView | null
}

/** A list that is read page by page as it is scrolled, and anew from its start when asked. */
export interface PagedList<A extends AnsweredPage> {
  state: Readonly<ShallowRef<PagedState<A>>>
  /** Reads another list from its start: the rows of the one before stay until the answer is here, and go when there is none. */
  ask(): Promise<void>
  /** Reads the same list anew from its start; the rows stay, also when that fails. Only the reading begun last counts. */
  restart(): Promise<void>
  /** Reads the next page, unless one is being read or there is none. */
  loadMore(): Promise<void>
}

/** Makes the list over `read`, which gives the page at a cursor, or the first. */
export function createPagedList<A extends AnsweredPage>(
  read: (cursor: CursorOf<A> | undefined, signal: AbortSignal) => Promise<A>,
): PagedList<A> {
  const empty: PagedState<A> = { phase: 'idle', rows: [], answer: null, more: 'none', error: null }
  const state: ShallowRef<PagedState<A>> = shallowRef(empty)
  let asked = new AbortController()
  let nextCursor: CursorOf<A> | null = null
  /** The rows shown are those of a list that was left. */
  let isFormer = false

  const change = (part: Partial<PagedState<A>>) => (state.value = { ...state.value, ...part })
  const behind = () => (nextCursor === null ? 'none' : 'there')

  async function restart(): Promise<void> {
    asked.abort()
    const mine = new AbortController()
    asked = mine
    change({ phase: 'loading' })
    try {
      const answer = await read(undefined, mine.signal)
      if (mine.signal.aborted) return
      nextCursor = answer.nextCursor as CursorOf<A> | null
      isFormer = false
      state.value = { phase: 'ready', rows: answer.items, answer, more: behind(), error: null }
    } catch (cause) {
      if (mine.signal.aborted) return
      const kept = isFormer ? empty : state.value
      state.value = { ...kept, phase: 'failed', error: toErrorView(cause) }
    }
  }

  function ask(): Promise<void> {
    isFormer = true
    return restart()
  }

  async function loadMore(): Promise<void> {
    const { phase, more } = state.value
    if (phase !== 'ready' || nextCursor === null || more === 'loading') return
    const { signal } = asked
    change({ more: 'loading' })
    try {
      const answer = await read(nextCursor, signal)
      if (signal.aborted) return
      nextCursor = answer.nextCursor as CursorOf<A> | null
      change({ rows: [...state.value.rows, ...answer.items], answer, more: behind(), error: null })
    } catch (cause) {
      if (!signal.aborted) change({ more: 'failed', error: toErrorView(cause) })
    }
  }

  return { state, ask, restart, loadMore }
}

import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'

/** One page of an answer that goes on at a cursor. */
export interface AnsweredPage<T, C> {
  items: readonly T[]
  nextCursor: C | null
}

/** Where a list that is read page by page stands. `more` says what lies behind its last row. */
export interface PagedState<T, A> {
  phase: 'idle' | 'loading' | 'ready' | 'failed'
  rows: readonly T[]
  /** The last answer, for its totals and ages. */
  answer: A | null
  more: 'none' | 'there' | 'loading' | 'failed'
  error: ErrorView | null
}

/** A list that is read page by page as it is scrolled, and anew from its start when asked. */
export interface PagedList<T, A> {
  state: Readonly<ShallowRef<PagedState<T, A>>>
  /** Reads from the start; rows stay until the answer is here. Only the reading begun last counts. */
  restart(): Promise<void>
  /** Reads the next page, unless one is being read or there is none. */
  loadMore(): Promise<void>
  /** Changes rows in place, as after an action on one of them. */
  patch(change: (row: T) => T): void
}

/** Makes the list over `read`, which gives the page at a cursor, or the first. */
export function createPagedList<T, C, A extends AnsweredPage<T, C>>(
  read: (cursor: C | undefined, signal: AbortSignal) => Promise<A>,
): PagedList<T, A> {
  const empty: PagedState<T, A> = { phase: 'idle', rows: [], answer: null, more: 'none', error: null }
  const state: ShallowRef<PagedState<T, A>> = shallowRef(empty)
  let asked = new AbortController()
  let nextCursor: C | null = null

  const change = (part: Partial<PagedState<T, A>>) => (state.value = { ...state.value, ...part })
  const behind = () => (nextCursor === null ? 'none' : 'there')

  async function restart(): Promise<void> {
    asked.abort()
    const mine = new AbortController()
    asked = mine
    change({ phase: 'loading' })
    try {
      const answer = await read(undefined, mine.signal)
      if (mine.signal.aborted) return
      nextCursor = answer.nextCursor
      state.value = { phase: 'ready', rows: answer.items, answer, more: behind(), error: null }
    } catch (cause) {
      if (!mine.signal.aborted) change({ phase: 'failed', error: toErrorView(cause) })
    }
  }

  async function loadMore(): Promise<void> {
    const { phase, more } = state.value
    if (phase !== 'ready' || nextCursor === null || more === 'loading') return
    const { signal } = asked
    change({ more: 'loading' })
    try {
      const answer = await read(nextCursor, signal)
      if (signal.aborted) return
      nextCursor = answer.nextCursor
      change({ rows: [...state.value.rows, ...answer.items], answer, more: behind(), error: null })
    } catch (cause) {
      if (!signal.aborted) change({ more: 'failed', error: toErrorView(cause) })
    }
  }

  return { state, restart, loadMore, patch: (alter) => void change({ rows: state.value.rows.map(alter) }) }
}

import type { ErrorView } from '#contract/define.ts'
import { type ShallowRef, shallowRef } from 'vue'
import { attempt } from '../../rpc/error-view.ts'

/** Something read from the core. Once ready it stays ready: `error` then says why a later reading failed. */
export type Loadable<T> =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'ready'; value: T; error: ErrorView | null }
  | { kind: 'failed'; error: ErrorView }

/** One thing that is read from the core, again and again. */
export interface LoadableSource<T> {
  state: ShallowRef<Loadable<T>>
  /** Reads it. Of several readings only the one started last counts. Never rejects. */
  refresh(): Promise<void>
  /** Puts a value there that came another way, such as the answer of a change. */
  set(value: T): void
  /** Forgets everything; an answer on its way no longer counts. */
  reset(): void
}

/** Makes a source of `read`. Nothing is read until `refresh`. */
export function createLoadable<T>(read: () => Promise<T>): LoadableSource<T> {
  const state: ShallowRef<Loadable<T>> = shallowRef({ kind: 'idle' })
  let latest = 0

  return {
    state,
    async refresh() {
      const mine = ++latest
      if (state.value.kind !== 'ready') state.value = { kind: 'loading' }
      const answer = await attempt(read())
      if (mine !== latest) return
      if (answer.ok) state.value = { kind: 'ready', value: answer.value, error: null }
      else if (state.value.kind === 'ready') state.value = { ...state.value, error: answer.error }
      else state.value = { kind: 'failed', error: answer.error }
    },
    set(value) {
      latest++
      state.value = { kind: 'ready', value, error: null }
    },
    reset() {
      latest++
      state.value = { kind: 'idle' }
    },
  }
}

import type { DncCache } from '#contract/people/dnc.ts'
import type { ErrorView } from '#contract/define.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'

/** `lost` keeps the last state, which may be old, with the reason. */
type CacheState =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'ready'; cache: DncCache }
  | { kind: 'lost'; cache: DncCache | null; error: ErrorView }

export const useDncCacheStore = defineStore('dnc.cache', () => {
  const rpc = useRpc()
  const state = shallowRef<CacheState>({ kind: 'idle' })
  const cache = computed(() => ('cache' in state.value ? state.value.cache : null))
  /** When the last state arrived, for its age while disconnected. */
  const lastAnswerAt = shallowRef<string | null>(null)

  function take(next: DncCache): void {
    state.value = { kind: 'ready', cache: next }
    lastAnswerAt.value = new Date().toISOString()
  }

  function start(): () => void {
    state.value = { kind: 'loading' }
    const stop = rpc.subscribe((client, signal) => client.dnc.watch(undefined, { signal }), {
      onItem: take,
      onLost: (error) => (state.value = { kind: 'lost', cache: cache.value, error }),
    })
    return () => {
      stop()
      state.value = { kind: 'idle' }
    }
  }

  return {
    state,
    cache,
    lastAnswerAt,
    start,
    /** Shows the state after an action. */
    take,
  }
})

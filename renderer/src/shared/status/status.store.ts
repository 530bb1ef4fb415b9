import type { ErrorView } from '#contract/define.ts'
import type { Status } from '#contract/connection/status.ts'
import { replaceEqualDeep } from '@tanstack/vue-query'
import { defineStore } from 'pinia'
import { type Ref, computed, shallowRef, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { signInError } from './sign-in-error.ts'

/** `ready` while the core's status arrives; `lost` keeps the last one, which may be old, with the reason. */
type StatusState =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | { kind: 'ready'; status: Status }
  | { kind: 'lost'; status: Status | null; error: ErrorView }

/** The core's status stream: connection, session, listener, rate limit, notices. The shell starts it once. */
export const useStatusStore = defineStore('status', () => {
  const rpc = useRpc()
  const state = shallowRef<StatusState>({ kind: 'idle' })
  const status = computed(() => ('status' in state.value ? state.value.status : null))
  const alive = computed(() => rpc.state.value === 'open' && state.value.kind === 'ready')

  /** Reads the status of a connection, or of the one in front, until the returned stop is called. */
  function start(connectionId: Readonly<Ref<string | null>>): () => void {
    state.value = { kind: 'loading' }
    const unwatch = watch(
      connectionId,
      (id, _before, onCleanup) =>
        onCleanup(
          rpc.subscribe(
            (client, signal) =>
              client.status.watch(id === null ? undefined : { connectionId: id }, { signal }),
            {
              // Unchanged parts stay the same objects, so what shows them is not drawn again.
              onItem: (next) =>
                (state.value = { kind: 'ready', status: replaceEqualDeep(status.value, next) }),
              onLost: (error) => (state.value = { kind: 'lost', status: status.value, error }),
            },
          ),
        ),
      { immediate: true, flush: 'sync' },
    )
    return () => {
      unwatch()
      state.value = { kind: 'idle' }
    }
  }

  /** Newer counts than the last status has, so that the page and what is around it agree. */
  function note(counts: Partial<Pick<Status, 'storedEvents' | 'unreadConversations'>>): void {
    const { value } = state
    if (value.kind === 'ready') state.value = { ...value, status: { ...value.status, ...counts } }
  }

  return {
    state,
    status,
    /** True while the status arrives. Without it, the current state is unknown. */
    alive,
    connection: computed(() => status.value?.connection ?? null),
    /** Why its connection must sign in again; null if it needn’t. */
    signInError: computed(() => (status.value?.connection ? signInError(status.value.session) : null)),
    listener: computed(() => status.value?.listener ?? null),
    /** The name to type before a destructive action: a production connection’s, else null. */
    typeName: computed(() => (status.value?.connection?.production ? status.value.connection.name : null)),
    start,
    note,
  }
})

import type { Connection, RestoredConnection, SecretsView } from '#contract/connection/connections.ts'
import type { ErrorView } from '#contract/define.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { type Attempt, attempt } from '../../rpc/error-view.ts'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { drafts } from '../unsaved/drafts.ts'
import { useOpening } from './use-opening.ts'

export type ConnectionsState =
  | { kind: 'idle' }
  | { kind: 'loading' }
  | {
      kind: 'ready'
      connections: readonly Connection[]
      secrets: SecretsView
      restored: readonly RestoredConnection[]
      failed: readonly { id: string; problem: ErrorView }[]
    }
  | { kind: 'failed'; error: ErrorView }

type Opened = Awaited<ReturnType<Client['connections']['open']>>

/** By name, so that a connection keeps its place and its shortcut when another one is used. */
export const byName = (one: Connection, other: Connection): number =>
  one.name.localeCompare(other.name) || one.id.localeCompare(other.id)

/** The keys that open the connection at `index` of the connections by name; the first nine have some. */
export const switchKeys = (index: number): { keys: string } | undefined =>
  index >= 0 && index < 9 ? { keys: `mod+${index + 1}` } : undefined

/** The saved connections and their actions. Every action reads the list again. */
export const useConnectionsStore = defineStore('connections', () => {
  const { client } = useRpc()
  const { during } = useOpening()
  const state = shallowRef<ConnectionsState>({ kind: 'idle' })
  let latest: Promise<void> | undefined

  /** Reads the list. Of concurrent reads only the last one counts, and the others wait for it. */
  function refresh(): Promise<void> {
    if (state.value.kind !== 'ready') state.value = { kind: 'loading' }
    const mine: Promise<void> = attempt(client.connections.list()).then((answer) => {
      if (mine !== latest) return latest
      state.value = answer.ok ? { kind: 'ready', ...answer.value } : { kind: 'failed', error: answer.error }
    })
    return (latest = mine)
  }

  async function thenRefresh<T>(call: Promise<T>): Promise<T> {
    try {
      return await call
    } finally {
      await refresh()
    }
  }

  return {
    state,
    /** By name. */
    connections: computed(() =>
      state.value.kind === 'ready' ? state.value.connections.toSorted(byName) : [],
    ),
    /** From backups, before their first sign-in. */
    restored: computed(() => (state.value.kind === 'ready' ? state.value.restored : [])),
    secrets: computed(() => (state.value.kind === 'ready' ? state.value.secrets : null)),
    refresh,
    open: (id: string): Promise<Attempt<Opened>> =>
      attempt(thenRefresh(during(client.connections.open({ id })))),
    update: (input: Pick<Connection, 'id' | 'name' | 'colour' | 'production' | 'dashboardUrl'>) =>
      thenRefresh(client.connections.update(input)),
    signOut: (id: string) => thenRefresh(client.connections.signOut({ id })),
    async remove(id: string, confirmName: string | undefined) {
      const answer = await thenRefresh(client.connections.remove({ id, confirmName }))
      drafts.forget(id)
      return answer
    },
    retryKeychain: () => thenRefresh(client.connections.retryKeychain()),
  }
})

import type { Connection } from '#contract/connection/connections.ts'
import { useQueryClient } from '@tanstack/vue-query'
import { watch } from 'vue'
import { useStatusStore } from '../status/status.store.ts'

/** What an answer belongs to: a connection as it is signed in now. */
const ownerOf = (connection: Connection | null): readonly unknown[] =>
  connection === null
    ? ['none']
    : [connection.id, connection.baseUrl, connection.credentialKind, connection.username]

/** Makes keys of queries. They begin with the connection, so no answer of one is shown for another. */
export function useQueryKey(): (...parts: unknown[]) => readonly unknown[] {
  const status = useStatusStore()
  return (...parts) => [...ownerOf(status.connection), ...parts]
}

/** Forgets the answers of a connection when another one opens. For the shell. */
export function useForgottenAnswers(): void {
  const status = useStatusStore()
  const client = useQueryClient()
  watch(
    () => status.connection?.id,
    (_id, before) => client.removeQueries({ queryKey: [before] }),
  )
}

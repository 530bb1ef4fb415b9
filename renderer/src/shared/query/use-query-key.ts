import type { Connection } from '#contract/connection/connections.ts'
import { useQueryClient } from '@tanstack/vue-query'
import { watch } from 'vue'
import { useStatusStore } from '../status/status.store.ts'

/** The owner of an answer: a connection and its sign-in. */
const ownerOf = (connection: Connection | null): readonly unknown[] =>
  connection === null
    ? ['none']
    : [connection.id, connection.baseUrl, connection.credentialKind, connection.username]

/** Makes query keys. They begin with the connection, so that answers of different connections don’t mix. */
export function useQueryKey(): (...parts: unknown[]) => readonly unknown[] {
  const status = useStatusStore()
  return (...parts) => [...ownerOf(status.connection), ...parts]
}

/** Removes a connection’s answers when another one opens. For the shell. */
export function useForgottenAnswers(): void {
  const status = useStatusStore()
  const client = useQueryClient()
  watch(
    () => status.connection?.id,
    (_id, before) => client.removeQueries({ queryKey: [before] }),
  )
}

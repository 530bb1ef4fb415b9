import { useQuery } from '@tanstack/vue-query'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from './use-query-key.ts'

/** The field names of the connection, one answer for all who use them. */
export function useFieldNamesQuery() {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  return useQuery(() => ({ queryKey: keyOf('field-names'), queryFn: () => client.settings.getDialect() }))
}

/** What is known of them. */
export const useFieldNames = () => useFieldNamesQuery().data

import { useQuery } from '@tanstack/vue-query'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from './use-query-key.ts'

/** The connection’s field names, one query for all users. */
export function useFieldNamesQuery() {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  return useQuery(() => ({ queryKey: keyOf('field-names'), queryFn: () => client.settings.getFieldNames() }))
}

export const useFieldNames = () => useFieldNamesQuery().data

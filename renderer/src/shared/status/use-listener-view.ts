import { useQuery } from '@tanstack/vue-query'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../query/use-query-key.ts'

/** The listener's address, public address, relay and secrets. Settings and Webhooks share the answer. */
export function useListenerView() {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const viewKey = () => keyOf('listener', 'view')
  const view = useQuery(() => ({
    queryKey: viewKey(),
    queryFn: ({ signal }: { signal: AbortSignal }) => client.listener.get(undefined, { signal }),
  }))
  return { viewKey, view }
}

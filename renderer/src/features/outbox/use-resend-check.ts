import { useQuery } from '@tanstack/vue-query'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { checkResend, type ItemSelection } from './item-actions.ts'

/** What speaks against resending unconfirmed requests: reports they may have, and numbers that mustn’t be contacted. Null asks nothing. */
export function useResendCheck(selection: () => ItemSelection | null) {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  return useQuery(() => ({
    queryKey: keyOf('outbox', 'resend-check', selection()),
    queryFn: ({ signal }: { signal: AbortSignal }) => checkResend(client, selection()!, signal),
    enabled: selection() !== null,
    gcTime: 0,
  }))
}

import { type keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from './use-query-key.ts'

/** As in TanStack Query, but an interval is of the answer. */
interface AnswerOptions<T> {
  enabled?: boolean
  refetchInterval?: number | ((answer: T | undefined, error: unknown) => number | false)
  refetchOnWindowFocus?: true
  placeholderData?: typeof keepPreviousData
  staleTime?: number
  gcTime?: number
}

/**
 * What the core answers to `read`, kept under `key` of the open connection; read again when the key changes. `problem` says why the last
 * reading failed.
 */
export function useAnswer<T>(
  key: () => readonly unknown[],
  read: (client: Client, signal: AbortSignal) => Promise<T>,
  options: () => AnswerOptions<T> = () => ({}),
) {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const query = useQuery<T>(() => {
    const { refetchInterval = 0, ...others } = options()
    return {
      queryKey: keyOf(...key()),
      queryFn: ({ signal }) => read(client, signal),
      refetchInterval: ({ state }) =>
        typeof refetchInterval === 'number' ? refetchInterval : refetchInterval(state.data, state.error),
      ...others,
    }
  })
  return { ...query, problem: computed(() => query.error.value && toErrorView(query.error.value)) }
}

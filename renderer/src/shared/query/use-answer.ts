import { type keepPreviousData, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from './use-query-key.ts'

/** As in TanStack Query, but times are of the answer. */
interface AnswerOptions<T> {
  enabled?: boolean
  refetchInterval?: number | ((answer: T | undefined, error: unknown) => number | false)
  refetchOnWindowFocus?: boolean
  placeholderData?: typeof keepPreviousData
  staleTime?: number | ((answer: T | undefined) => number)
  gcTime?: number
}

/**
 * What the core answers to `read`, kept under `key` of the open connection; read again when the key changes. `problem` says why the last
 * reading failed; `set` takes a newer answer, such as one to a change, and gives it back.
 */
export function useAnswer<T>(
  key: () => readonly unknown[],
  read: (client: Client, signal: AbortSignal) => Promise<T>,
  options: () => AnswerOptions<T> = () => ({}),
) {
  const { client } = useRpc()
  const cache = useQueryClient()
  const keyOf = useQueryKey()
  const query = useQuery<T>(() => {
    const { refetchInterval = 0, staleTime = 0, ...others } = options()
    return {
      queryKey: keyOf(...key()),
      queryFn: ({ signal }) => read(client, signal),
      refetchInterval: ({ state }) =>
        typeof refetchInterval === 'number' ? refetchInterval : refetchInterval(state.data, state.error),
      staleTime: ({ state }) => (typeof staleTime === 'number' ? staleTime : staleTime(state.data)),
      ...others,
    }
  })
  return {
    ...query,
    problem: computed(() => query.error.value && toErrorView(query.error.value)),
    async set(answer: T | Promise<T>): Promise<T> {
      // Another connection may open before it comes.
      const queryKey = keyOf(...key())
      const newer = await answer
      // An older one may still be on its way.
      await cache.cancelQueries({ queryKey, exact: true })
      cache.setQueryData(queryKey, newer)
      return newer
    },
  }
}

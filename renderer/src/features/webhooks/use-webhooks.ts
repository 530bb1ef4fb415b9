import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { type Ref, computed, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'

const perPage = 100

/** How often the list is refreshed, milliseconds: at most one of the tenant's 200 requests a minute. */
export const refreshPeriodMs = (count: number) => 60_000 * Math.max(1, Math.ceil(count / perPage))

/** The subscriptions at the service, refreshed while the page is visible and the service is reachable. */
export function useWebhooks(isReachable: Readonly<Ref<boolean>>) {
  const { client } = useRpc()
  const cache = useQueryClient()
  const keyOf = useQueryKey()
  /** Requested by the operator: it doesn’t wait for others. */
  let isAsked = false

  const queryKey = keyOf('webhooks')
  const query = useQuery(() => {
    const can = isReachable.value
    return {
      queryKey,
      queryFn: ({ signal }) => {
        const background = !isAsked && cache.getQueryData(queryKey) !== undefined
        isAsked = false
        return client.webhooks.list(background ? { background } : undefined, { signal })
      },
      staleTime: ({ state }) => refreshPeriodMs(state.data?.subscriptions.length ?? 0),
      refetchInterval: ({ state }) => can && refreshPeriodMs(state.data?.subscriptions.length ?? 0),
      refetchOnWindowFocus: can,
    }
  })
  watch(isReachable, (can) => can && query.isStale.value && void query.refetch())
  const list = computed(() => query.data.value?.subscriptions ?? null)
  return {
    query,
    list,
    periodMs: computed(() => refreshPeriodMs(list.value?.length ?? 0)),
    refresh(): void {
      isAsked = true
      void query.refetch()
    },
  }
}

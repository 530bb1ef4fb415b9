import { useQueryClient } from '@tanstack/vue-query'
import { useThrottleFn } from '@vueuse/core'
import { type Ref, computed, watch } from 'vue'
import { attempt } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'

const perPage = 100

/** How often the list is refreshed, milliseconds: at most one of the tenant's 200 requests a minute. */
export const refreshPeriodMs = (count: number) => 60_000 * Math.max(1, Math.ceil(count / perPage))

/** How often arrivals are counted again, milliseconds. */
const arrivalsEveryMs = 1_000

/**
 * The subscriptions at the service, refreshed while the page is visible and the service is reachable. What arrived is counted again whenever
 * the listener has `accepted` more.
 */
export function useWebhooks(isReachable: Readonly<Ref<boolean>>, accepted: Readonly<Ref<number>>) {
  const { client } = useRpc()
  const cache = useQueryClient()
  const keyOf = useQueryKey()
  /** Requested by the operator: it doesn’t wait for others. */
  let isAsked = false

  type List = Awaited<ReturnType<typeof client.webhooks.list>>
  const queryKey = keyOf('webhooks')
  const periodOf = (answer: List | undefined) => refreshPeriodMs(answer?.subscriptions.length ?? 0)
  const query = useAnswer<List>(
    () => ['webhooks'],
    (to, signal) => {
      const background = !isAsked && cache.getQueryData(queryKey) !== undefined
      isAsked = false
      return to.webhooks.list(background ? { background } : undefined, { signal })
    },
    () => ({
      staleTime: periodOf,
      refetchInterval: (answer) => isReachable.value && periodOf(answer),
      refetchOnWindowFocus: isReachable.value,
    }),
  )
  watch(isReachable, (can) => can && query.isStale.value && void query.refetch())
  const countArrivals = useThrottleFn(
    async () => {
      const answer = await attempt(client.webhooks.arrivals())
      if (!answer.ok) return
      const counted = new Map(answer.value.subscriptions.map((one) => [one.id, one.arrived]))
      cache.setQueryData<List>(
        queryKey,
        (known) =>
          known && {
            ...known,
            subscriptions: known.subscriptions.map((one) => ({
              ...one,
              arrived: counted.get(one.id) ?? one.arrived,
            })),
          },
        // The list itself is as old as before.
        { updatedAt: cache.getQueryState(queryKey)?.dataUpdatedAt ?? 0 },
      )
    },
    arrivalsEveryMs,
    true,
  )
  watch(accepted, () => void countArrivals())
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

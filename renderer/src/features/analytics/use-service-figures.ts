import type { ErrorView, Freshness } from '#contract/define.ts'
import { useQuery } from '@tanstack/vue-query'
import { type Ref, computed } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { type DayRange, rangeBefore } from './spans.ts'

/** How often to look for a slow service’s answer, milliseconds. */
const againMs = 1_500
/** A cached answer younger than this is the expected one, milliseconds. */
const youngMs = 60_000

/**
 * For `refetchInterval`. The core returns its cached answer while it still asks a slow service: this polls until the new one or an error
 * arrives. The core shares the running request, so polling costs no requests.
 */
export function pollUntilFresh({
  state: { data, error },
}: {
  state: { data: { freshness: Freshness } | undefined; error: unknown }
}): number | false {
  if (!data || error) return false
  const { source, error: failure, asOf } = data.freshness
  return source === 'cache' && !failure && Date.now() - Date.parse(asOf) > youngMs && againMs
}

/** Why an answer is missing or old, or null. */
export const problemOf = ({
  error,
  data,
}: {
  error: Readonly<Ref<unknown>>
  data: Readonly<Ref<{ freshness: Freshness } | undefined>>
}): ErrorView | null => (error.value ? toErrorView(error.value) : (data.value?.freshness.error ?? null))

/** Whether two calls failed alike. Their texts may name the call. */
export const isSameProblem = (one: ErrorView, other: ErrorView): boolean => reasonOf(one) === reasonOf(other)
const reasonOf = ({ code, data }: ErrorView) =>
  JSON.stringify([code, data['status'], data['serviceText'], data['detail']])

/** The service’s figures of a period and the previous one, each its own request. */
export function useServiceFigures(range: Readonly<Ref<DayRange>>) {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const before = computed(() => rangeBefore(range.value))
  const overviewOf = ({ value: days }: Readonly<Ref<DayRange>>) => ({
    queryKey: keyOf('analytics', 'overview', days),
    queryFn: ({ signal }: { signal: AbortSignal }) => client.analytics.overview(days, { signal }),
    refetchInterval: pollUntilFresh,
  })
  const billingOf = ({ value: days }: Readonly<Ref<DayRange>>) => ({
    queryKey: keyOf('analytics', 'billing', days),
    queryFn: ({ signal }: { signal: AbortSignal }) => client.analytics.billing(days, { signal }),
    refetchInterval: pollUntilFresh,
  })
  const figures = {
    overview: useQuery(() => overviewOf(range)),
    overviewBefore: useQuery(() => overviewOf(before)),
    billing: useQuery(() => billingOf(range)),
    billingBefore: useQuery(() => billingOf(before)),
  }
  return {
    ...figures,
    refresh: () => Object.values(figures).forEach((query) => void query.refetch()),
  }
}

import { useQuery } from '@tanstack/vue-query'
import { type Ref, computed } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { type BucketMs, type DayRange, rangeBefore, timesOf } from './spans.ts'

/** Milliseconds. Reads only from this computer. */
const refreshMs = 10_000

/** A period and the previous one, from the stored events. */
export function useLocalAnalytics(range: Readonly<Ref<DayRange>>, bucketMs: Readonly<Ref<BucketMs>>) {
  const { client } = useRpc()
  const keyOf = useQueryKey()
  const query = useQuery(() => {
    const [days, width] = [range.value, bucketMs.value]
    return {
      queryKey: keyOf('analytics', 'local', days, width),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const read = (of: DayRange) => client.analytics.local({ ...timesOf(of), bucketMs: width }, { signal })
        const [now, before, failures] = await Promise.all([
          read(days),
          read(rangeBefore(days)),
          client.analytics.failures(timesOf(days), { signal }),
        ])
        return { now, before, failures }
      },
      refetchInterval: refreshMs,
      refetchOnWindowFocus: true,
    }
  })
  return {
    data: query.data,
    error: computed(() => query.error.value && toErrorView(query.error.value)),
    refresh: () => void query.refetch(),
  }
}

import { useDocumentVisibility } from '@vueuse/core'
import { type Ref, computed, onScopeDispose, watch } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { startPolling } from '../../shared/time/polling.ts'
import { type BucketMs, type DayRange, rangeBefore, startOf } from './spans.ts'

const dayMs = 86_400_000
/** It asks only this computer, which answers from sums. Milliseconds. */
const refreshMs = 10_000

/** What the stored events say of a range and of the one before, read again while someone looks. */
export function useLocalAnalytics(range: Readonly<Ref<DayRange>>, bucketMs: Readonly<Ref<BucketMs>>) {
  const { client } = useRpc()
  const visibility = useDocumentVisibility()

  const spanOf = ({ startDate, endDate }: DayRange) => ({
    from: new Date(startOf(startDate)).toISOString(),
    to: new Date(startOf(endDate) + dayMs).toISOString(),
  })
  const read = (days: DayRange) => client.analytics.local({ ...spanOf(days), bucketMs: bucketMs.value })
  const both = createLoadable(async () => {
    const [now, before, failures] = await Promise.all([
      read(range.value),
      read(rangeBefore(range.value)),
      client.analytics.failures(spanOf(range.value)),
    ])
    return { now, before, failures }
  })

  watch(
    () => `${range.value.startDate} ${range.value.endDate} ${bucketMs.value}`,
    () => {
      both.reset()
      void both.refresh()
    },
  )
  onScopeDispose(
    startPolling(both.refresh, () => refreshMs, { visible: computed(() => visibility.value === 'visible') }),
  )
  return { state: both.state, refresh: both.refresh }
}

import { type Ref, onScopeDispose, watch } from 'vue'
import type { ErrorView, Freshness } from '#contract/define.ts'
import { useRpc } from '../../rpc/rpc.ts'
import { createAskedAgain } from '../../shared/state/asked-again.ts'
import { type Loadable, createLoadable } from '../../shared/state/loadable.ts'
import { type DayRange, rangeBefore } from './spans.ts'

/** Why an answer is missing or old, or null. */
export function problemOf(state: Loadable<{ freshness: Freshness }>): ErrorView | null {
  if (state.kind === 'failed') return state.error
  return state.kind === 'ready' ? (state.error ?? state.value.freshness.error) : null
}

/** What is ready of a reading, or null. */
export const readyOf = <T>(state: Loadable<T>): T | null => (state.kind === 'ready' ? state.value : null)

/** The service's figures of a range and of the one before, each its own request, read when the range changes, and again while the service is slow. */
export function useServiceFigures(range: Readonly<Ref<DayRange>>) {
  const { client } = useRpc()
  const overview = createLoadable(() => client.analytics.overview(range.value))
  const overviewBefore = createLoadable(() => client.analytics.overview(rangeBefore(range.value)))
  const billing = createLoadable(() => client.analytics.billing(range.value))
  const billingBefore = createLoadable(() => client.analytics.billing(rangeBefore(range.value)))
  const all = [overview, overviewBefore, billing, billingBefore]
  const asking = all.map((one) => createAskedAgain(one))

  const refresh = () => void Promise.all(asking.map((one) => one.refresh()))
  onScopeDispose(() => asking.forEach((one) => one.stop()))
  watch(
    () => `${range.value.startDate} ${range.value.endDate}`,
    () => {
      // Figures of another range must not stand under this one's name while they are read.
      for (const one of all) one.reset()
      refresh()
    },
    { immediate: true },
  )

  return {
    overview: overview.state,
    overviewBefore: overviewBefore.state,
    billing: billing.state,
    billingBefore: billingBefore.state,
    refresh,
  }
}

import type { ErrorView, Freshness } from '#contract/define.ts'
import { type Ref, computed } from 'vue'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { type DayRange, rangeBefore } from './spans.ts'

/** How often to look for a slow service’s answer, milliseconds. */
const againMs = 1_500
/** A cached answer younger than this is the expected one, milliseconds. */
const youngMs = 60_000

/**
 * For `refetchInterval`. The core returns its cached answer while it still asks a slow service: this polls until the new one or an error
 * arrives. The core shares the running request, so polling costs no requests.
 */
export function pollUntilFresh(answer: { freshness: Freshness } | undefined, error: unknown): number | false {
  if (!answer || error) return false
  const { source, error: failure, asOf } = answer.freshness
  return source === 'cache' && !failure && Date.now() - Date.parse(asOf) > youngMs && againMs
}

/** Why an answer is missing or old, or null. */
export const problemOf = ({
  problem,
  data,
}: {
  problem: Readonly<Ref<ErrorView | null>>
  data: Readonly<Ref<{ freshness: Freshness } | undefined>>
}): ErrorView | null => problem.value ?? data.value?.freshness.error ?? null

/** Whether two calls failed alike. Their texts may name the call. */
export const isSameProblem = (one: ErrorView, other: ErrorView): boolean => reasonOf(one) === reasonOf(other)
const reasonOf = ({ code, data }: ErrorView) =>
  JSON.stringify([code, data['status'], data['serviceText'], data['detail']])

/** The service’s figures of a period and the previous one, each its own request. */
export function useServiceFigures(range: Readonly<Ref<DayRange>>) {
  const before = computed(() => rangeBefore(range.value))
  const overviewOf = (days: Readonly<Ref<DayRange>>) =>
    useAnswer(
      () => ['analytics', 'overview', days.value],
      (client, signal) => client.analytics.overview(days.value, { signal }),
      () => ({ refetchInterval: pollUntilFresh }),
    )
  const billingOf = (days: Readonly<Ref<DayRange>>) =>
    useAnswer(
      () => ['analytics', 'billing', days.value],
      (client, signal) => client.analytics.billing(days.value, { signal }),
      () => ({ refetchInterval: pollUntilFresh }),
    )
  const figures = {
    overview: overviewOf(range),
    overviewBefore: overviewOf(before),
    billing: billingOf(range),
    billingBefore: billingOf(before),
  }
  return {
    ...figures,
    refresh: () => Object.values(figures).forEach((query) => void query.refetch()),
  }
}

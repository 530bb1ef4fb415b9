import type { EventSeries } from '#contract/live/events.ts'
import { keepPreviousData, useQueryClient } from '@tanstack/vue-query'
import { computed, shallowRef, watch } from 'vue'
import { type Client, useRpc } from '../../rpc/rpc.ts'
import { useAlertRules } from '../../shared/campaigns/use-alert-rules.ts'
import { useFieldNames } from '../../shared/query/use-field-names.ts'
import { useAnswer } from '../../shared/query/use-answer.ts'
import { useQueryKey } from '../../shared/query/use-query-key.ts'
import { useStatusStore } from '../../shared/status/status.store.ts'
import { nowMs } from '../../shared/time/clock.ts'

/** Length and bucket of the chart, milliseconds: 30 minutes in 120 bars, finer while most of them would be before the first event. */
export const chartSpanMs = 30 * 60_000
export const chartBucketMs = 15_000
const fineBucketMs = 5_000
const fineSpanMs = 10 * 60_000
export const gapDays = 7

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Refresh intervals, milliseconds. The dashboard costs one of the tenant’s requests; what isn’t local else is read once a day. */
const dashboardPeriodMs = 30_000
const chartPeriodMs = 2_000
const slowPeriodMs = 30_000
const gapPeriodMs = 2_000

const rangeBefore = (endMs: number, spanMs: number) => ({
  from: new Date(endMs - spanMs).toISOString(),
  to: new Date(endMs).toISOString(),
})
type DayTotals = Awaited<ReturnType<Client['analytics']['overview']>>

const isEmpty = ({ lines }: EventSeries) => lines.every(({ counts }) => counts.every((count) => count === 0))

/** What the Overview shows. Each part is read at its own pace while the page is visible. */
export function useOverview() {
  const rpc = useRpc()
  const { client } = rpc
  const keyOf = useQueryKey()
  const queries = useQueryClient()
  const status = useStatusStore()

  const part = <T>(
    name: string,
    read: (signal: AbortSignal) => Promise<T>,
    refetchInterval: number | ((known: T | undefined) => number),
  ) =>
    useAnswer(
      () => ['overview', name],
      (_client, signal) => read(signal),
      () => ({ refetchInterval, refetchOnWindowFocus: true }),
    )

  const dashboard = part(
    'dashboard',
    (signal) => client.overview.get(undefined, { signal }),
    dashboardPeriodMs,
  )
  const gaps = part(
    'gaps',
    (signal) => client.events.gaps({ days: gapDays }, { signal }),
    // Soon again while a gap is open: after a sleep or a move it ends without a change of the listener.
    (known) => (known?.recordedSince && known.gaps[0]?.to !== null ? slowPeriodMs : gapPeriodMs),
  )
  const series = part(
    'series',
    (signal) => {
      const since = gaps.data.value?.recordedSince
      const isNew = since && Date.now() - Date.parse(since) < fineSpanMs
      const bucketMs = isNew ? fineBucketMs : chartBucketMs
      // Whole buckets, so that a bar keeps its height while the window moves.
      const to = Math.ceil(Date.now() / bucketMs) * bucketMs
      return client.events.series({ ...rangeBefore(to, chartSpanMs), bucketMs }, { signal })
    },
    chartPeriodMs,
  )
  // Deliveries are counted before they become events. Until then an empty answer proves nothing.
  const chart = computed(() => {
    const known = series.data.value ?? null
    return known && isEmpty(known) && (status.status?.projectionLag ?? 0) > 0 ? null : known
  })
  watch(
    () => status.status?.storedEvents ?? 0,
    (stored, before) => {
      if (stored > before && series.data.value && isEmpty(series.data.value))
        void queries.resetQueries({ queryKey: keyOf('overview', 'series') })
    },
  )
  /** Local events of this hour and the previous one, and of the two before: sums, so the cost doesn’t depend on their number. */
  const recent = part(
    'recent',
    async (signal) => {
      const to = Math.ceil(Date.now() / hourMs) * hourMs
      const read = (endMs: number) =>
        client.analytics.local({ ...rangeBefore(endMs, 2 * hourMs), bucketMs: hourMs }, { signal })
      const [now, before] = await Promise.all([read(to), read(to - 2 * hourMs)])
      return { now, before }
    },
    slowPeriodMs,
  )
  /** The time before the chart. */
  const before = part(
    'series-before',
    (signal) => {
      const to = Math.ceil(Date.now() / chartBucketMs) * chartBucketMs - chartSpanMs
      return client.events.series({ ...rangeBefore(to, chartSpanMs), bucketMs: chartBucketMs }, { signal })
    },
    slowPeriodMs,
  )
  const todayMs = computed(() => Math.floor(nowMs.value / dayMs) * dayMs)
  const fieldNames = useFieldNames()
  /** False for totals read while the day still ran. */
  const isWholeDay = (totals: DayTotals | undefined) =>
    totals !== undefined && Date.parse(totals.freshness.asOf) >= todayMs.value
  const day = computed(() => rangeBefore(todayMs.value, dayMs).from.slice(0, 10))
  const yesterday = useAnswer<DayTotals>(
    () => ['overview', 'yesterday', day.value],
    (to, signal) => to.analytics.overview({ startDate: day.value, endDate: day.value }, { signal }),
    () => ({
      // With other date parameters the service may count all time.
      enabled: fieldNames.value?.analyticsDates.provenance === 'proven',
      staleTime: (totals) => (isWholeDay(totals) ? dayMs : 0),
      gcTime: dayMs,
    }),
  )
  /** Deliveries of the last day that couldn't be read as events. */
  const quarantined = part(
    'quarantined',
    async (signal) => {
      const to = Math.ceil(Date.now() / hourMs) * hourMs
      const { lines } = await client.events.series(
        { ...rangeBefore(to, dayMs), bucketMs: hourMs },
        { signal },
      )
      const counts = lines.find(({ name }) => name === 'quarantined')?.counts ?? []
      return counts.reduce((sum, count) => sum + count, 0)
    },
    slowPeriodMs,
  )
  const recovery = part(
    'recovery',
    (signal) => client.recovery.get({ days: gapDays }, { signal }),
    slowPeriodMs,
  )
  // A gap begins or ends with the listener, or with an alarm.
  watch(
    () => {
      const { state, listeningSince, problem, silence } = status.listener ?? {}
      return [state, listeningSince, problem?.code, silence?.kind, status.status?.network.reachable].join()
    },
    () => {
      void gaps.refetch()
      void recovery.refetch()
    },
  )

  const rules = useAlertRules()
  const holds = part(
    'holds',
    (signal) => client.dnc.holds({ which: 'not-handed-off', limit: 500 }, { signal }),
    slowPeriodMs,
  )
  const watched = <T>(open: Parameters<typeof rpc.subscribe<T>>[0]) => {
    const latest = shallowRef<T | null>(null)
    rpc.subscribe(open, { onItem: (next) => (latest.value = next) })
    return latest
  }
  const outbox = watched((from, signal) => from.outbox.watch(undefined, { signal }))
  const dncList = watched((from, signal) => from.dnc.watch(undefined, { signal }))
  const inbox = watched((from, signal) => from.inbox.watch(undefined, { signal }))
  /** Read again when the counts change, and as the last day moves. */
  const stuckCounts = computed(() => {
    const { unknown = 0, rejected = 0, 'not-sent': listed = 0, held = 0 } = outbox.value?.counts ?? {}
    return [unknown, rejected, listed, held]
  })
  const stuck = useAnswer(
    () => ['overview', 'stuck', ...stuckCounts.value],
    (_client, signal) => client.outbox.stuck(undefined, { signal }),
    () => ({
      enabled: stuckCounts.value.some((count) => count > 0),
      placeholderData: keepPreviousData,
      refetchInterval: slowPeriodMs,
    }),
  )
  const isStuckKnown = computed(
    () => !stuck.isEnabled.value || (stuck.data.value !== undefined && !stuck.isPlaceholderData.value),
  )

  const checks = [gaps, recovery, rules, holds, quarantined]
  return {
    dashboard,
    series,
    /** The series to draw; null while loading. */
    chart,
    before,
    recent,
    /** Messages of yesterday at the service; null if unknown. */
    yesterday: computed(() =>
      yesterday.isEnabled.value && isWholeDay(yesterday.data.value)
        ? (yesterday.data.value?.overview.totalMessages ?? null)
        : null,
    ),
    quarantined,
    gaps,
    recovery,
    rules,
    holds,
    outbox,
    dncList,
    inbox,
    stuck,
    /** True once everything that can need attention was read. */
    isChecked: computed(
      () =>
        outbox.value !== null &&
        dncList.value !== null &&
        inbox.value !== null &&
        isStuckKnown.value &&
        checks.every(({ data }) => data.value !== undefined),
    ),
    /** True if a part could not be read or refreshed. */
    isCheckFailed: computed(() => [...checks, stuck].some(({ error }) => error.value !== null)),
    checkAgain: () => [...checks, stuck].forEach(({ error, refetch }) => error.value && void refetch()),
  }
}
export type Overview = ReturnType<typeof useOverview>

import { defineStore } from 'pinia'
import type { DncCache } from '#contract/dnc.ts'
import type { OutboxDrain } from '#contract/outbox.ts'
import { type Ref, computed, shallowRef } from 'vue'
import { useRpc } from '../../rpc/rpc.ts'
import { createLoadable } from '../../shared/state/loadable.ts'
import { startPolling } from '../../shared/time/polling.ts'

/** Span and grain of the live chart, milliseconds: 30 minutes in 120 bars. */
export const chartSpanMs = 30 * 60_000
export const chartBucketMs = 15_000

/** The dashboard costs a request of the tenant's minute; chart and holes are read from this computer. Milliseconds. */
const dashboardPeriodMs = 30_000
const chartPeriodMs = 2_000
const holesPeriodMs = 30_000
const guardsPeriodMs = 10_000
/** While nothing is recorded yet, the first record is a matter of seconds. */
const firstHolesPeriodMs = 2_000
/** Days of holes shown. */
export const holeDays = 7

/** The overview's own figures: the service's dashboard, arrivals per quarter minute, holes, what they may have cost, and health. */
export const useOverviewStore = defineStore('overview', () => {
  const rpc = useRpc()
  const { client } = rpc
  const dashboard = createLoadable(() => client.overview.get())
  const series = createLoadable(() => {
    // Whole buckets, so that a bar does not change its height while the window slides.
    const to = Math.ceil(Date.now() / chartBucketMs) * chartBucketMs
    return client.events.series({
      from: new Date(to - chartSpanMs).toISOString(),
      to: new Date(to).toISOString(),
      bucketMs: chartBucketMs,
    })
  })
  const holes = createLoadable(() => client.events.holes({ days: holeDays }))
  const recovery = createLoadable(() => client.recovery.get({ days: holeDays }))

  const guards = createLoadable(() => client.campaigns.guards())
  const outbox = shallowRef<OutboxDrain | null>(null)
  const dncList = shallowRef<DncCache | null>(null)

  function isRecorded(): boolean {
    const state = holes.state.value
    return state.kind === 'ready' && state.value.recordedSince !== null
  }

  /** Reads all of it, each at its own pace, while `visible`. Returns the stop. */
  function start(visible: Readonly<Ref<boolean>>): () => void {
    for (const source of [dashboard, series, holes, recovery, guards]) source.reset()
    outbox.value = null
    dncList.value = null
    const stops = [
      startPolling(dashboard.refresh, () => dashboardPeriodMs, { visible }),
      startPolling(series.refresh, () => chartPeriodMs, { visible }),
      startPolling(holes.refresh, () => (isRecorded() ? holesPeriodMs : firstHolesPeriodMs), { visible }),
      startPolling(recovery.refresh, () => holesPeriodMs, { visible }),
      startPolling(guards.refresh, () => guardsPeriodMs, { visible }),
      // What was heard last stays while the way is broken; that it is old is said beside it.
      rpc.subscribe((from, signal) => from.outbox.watch(undefined, { signal }), {
        onItem: (next) => (outbox.value = next),
      }),
      rpc.subscribe((from, signal) => from.dnc.watch(undefined, { signal }), {
        onItem: (next) => (dncList.value = next),
      }),
    ]
    return () => stops.forEach((stop) => stop())
  }

  return {
    dashboard: dashboard.state,
    series: series.state,
    holes: holes.state,
    /** What may be missing because of each hole; empty while it is not known. */
    recovery: computed(() => (recovery.state.value.kind === 'ready' ? recovery.state.value.value.holes : [])),
    /** Why that could not be read, or not again; null while it could. */
    recoveryError: computed(() => ('error' in recovery.state.value ? recovery.state.value.error : null)),
    guards: guards.state,
    outbox,
    dncList,
    freshness: computed(() =>
      dashboard.state.value.kind === 'ready' ? dashboard.state.value.value.freshness : null,
    ),
    start,
    refreshDashboard: dashboard.refresh,
    refreshSeries: series.refresh,
    refreshHoles: holes.refresh,
    refreshRecovery: recovery.refresh,
  }
})

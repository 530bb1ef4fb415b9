import type { LocalAnalytics } from '../../../contract/views/analytics.ts'
import { latencyBinEnd } from '../../live/events/latency-bins.ts'
import type { NamedCount } from './tallies.repository.ts'

type Latency = LocalAnalytics['latency']
type Bin = Latency['bins'][number]

/** The time below which `share` of the latencies lie, interpolated within its bin; null without any. */
export function percentileMs(bins: readonly Bin[], share: number): number | null {
  const total = bins.reduce((sum, { count }) => sum + count, 0)
  const target = total * share
  let before = 0
  for (const { fromMs, toMs, count } of bins) {
    if (before + count >= target) return fromMs + ((toMs - fromMs) * (target - before)) / count
    before += count
  }
  return null
}

/** Latency tallies as a distribution. */
export function latencyOf(counts: readonly NamedCount[]): Latency {
  const bins = counts
    .map(({ name, count }) => ({ fromMs: Number(name), toMs: latencyBinEnd(Number(name)), count }))
    .sort((a, b) => a.fromMs - b.fromMs)
  return {
    measured: bins.reduce((sum, { count }) => sum + count, 0),
    p50Ms: percentileMs(bins, 0.5),
    p90Ms: percentileMs(bins, 0.9),
    p99Ms: percentileMs(bins, 0.99),
    bins,
  }
}

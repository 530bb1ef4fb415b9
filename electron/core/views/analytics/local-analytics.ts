import { type LocalAnalytics, rankingMax } from '../../../contract/views/analytics.ts'
import { AppError } from '../../../contract/errors.ts'
import { regionsOf } from '../../../lib/phone/numbering-plans.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { EventsService } from '../../live/events/events.service.ts'
import { tallyGrainsMs } from '../../live/events/event-tallies.ts'
import { overlaps } from '../../live/events/gaps.ts'
import type { NamedCount, TalliesRepository } from './tallies.repository.ts'
import { latencyBinEnd } from '../../live/events/latency-bins.ts'

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

const gapsMax = 500

type Destination = LocalAnalytics['destinations'][number]

const ranked = <T extends { count: number }>(rows: readonly T[]) => ({
  listed: rows.slice(0, rankingMax),
  others: rows.slice(rankingMax).reduce((sum, { count }) => sum + count, 0),
})

const groups: Record<string, 'delivered' | 'failed' | 'expired'> = {
  delivered: 'delivered',
  failed: 'failed',
  rejected: 'failed',
  expired: 'expired',
}

/** Groups tallies like `44 delivered` by calling code. */
function destinationsOf(counts: readonly NamedCount[]): Destination[] {
  const found = new Map<string, Destination>()
  for (const { name, count } of counts) {
    const space = name.indexOf(' ')
    const code = name.slice(0, space)
    let destination = found.get(code)
    if (!destination) {
      const regions = code === '' ? [] : [...regionsOf(code)]
      destination = {
        callingCode: code === '' ? null : code,
        regions,
        messages: 0,
        delivered: 0,
        failed: 0,
        expired: 0,
      }
      found.set(code, destination)
    }
    destination.messages += count
    const group = groups[name.slice(space + 1).toLowerCase()]
    if (group) destination[group] += count
  }
  return [...found.values()].sort(
    (a, b) => b.messages - a.messages || Number(a.callingCode) - Number(b.callingCode),
  )
}

/** Statistics of local events in a period. Throws `INVALID_INPUT`. */
type ReadLocalAnalytics = (input: { from: string; to: string; bucketMs: number }) => LocalAnalytics

/** Uses only sums and reads no events, so its cost doesn't depend on their number. */
export function createLocalAnalytics(parts: {
  tallies: TalliesRepository
  events: Pick<EventsService, 'series' | 'gaps'>
  clock: Clock
}): ReadLocalAnalytics {
  const { tallies, events, clock } = parts
  return ({ from, to, bucketMs }) => {
    const fromMs = Date.parse(from)
    const toMs = Date.parse(to)
    if (fromMs % tallyGrainsMs.hour !== 0 || toMs % tallyGrainsMs.hour !== 0)
      throw new AppError('INVALID_INPUT', { detail: { key: 'input.periodHours' } })
    const series = events.series({ from, to, bucketMs })
    const outcomes = ranked(tallies.sums('outcome', fromMs, toMs))
    const codes = ranked(tallies.sums('error', fromMs, toMs))
    const destinations = destinationsOf(tallies.sums('destination', fromMs, toMs))
    const days = Math.max(1, Math.ceil((clock.now() - fromMs) / tallyGrainsMs.day))
    const record = events.gaps({ days })
    const gaps = record.gaps.filter((gap) => overlaps(gap, fromMs, toMs))
    return {
      from,
      to,
      series,
      outcomes: outcomes.listed,
      otherOutcomes: outcomes.others,
      latency: latencyOf(tallies.sums('latency', fromMs, toMs)),
      errorCodes: codes.listed.map(({ name, count }) => ({ code: name, count })),
      otherErrorCodes: codes.others,
      destinations: destinations.slice(0, rankingMax),
      otherDestinations: destinations.slice(rankingMax).reduce((sum, { messages }) => sum + messages, 0),
      gaps: gaps.slice(0, gapsMax),
      gapsTotal: gaps.length,
      recordedSince: record.recordedSince,
      asOf: isoTime(clock.now()),
    }
  }
}

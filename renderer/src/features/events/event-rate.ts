import type { ErrorView } from '#contract/define.ts'
import type { EventFilter, EventSeries } from '#contract/live/events.ts'
import { type Ref, type ShallowRef, shallowRef, watch } from 'vue'
import { toErrorView } from '../../rpc/error-view.ts'
import type { Client } from '../../rpc/rpc.ts'
import { bucketTotals } from '../../shared/charts/event-series-option.ts'

/** Periods of the chart: at most 180 buckets each. `refreshMs` is the longest time between reads while no event arrives. */
export const rateSpans = {
  '15 min': { spanMs: 900_000, bucketMs: 5_000, refreshMs: 5_000 },
  '1 h': { spanMs: 3_600_000, bucketMs: 20_000, refreshMs: 5_000 },
  '24 h': { spanMs: 86_400_000, bucketMs: 600_000, refreshMs: 30_000 },
} as const
export type RateSpan = keyof typeof rateSpans

/** `failed` keeps the last series, which `asOf` dates. */
type RateState =
  | { kind: 'loading' }
  | { kind: 'ready'; series: EventSeries }
  | { kind: 'failed'; series: EventSeries | null; error: ErrorView }

/** The bounds of a period that ends with the current bucket. They move by whole buckets, so bars don’t drift. */
export function rateBounds(span: RateSpan, nowMs: number): { from: string; to: string; bucketMs: number } {
  const { spanMs, bucketMs } = rateSpans[span]
  const toMs = (Math.floor(nowMs / bucketMs) + 1) * bucketMs
  return { from: new Date(toMs - spanMs).toISOString(), to: new Date(toMs).toISOString(), bucketMs }
}

/** Time to the next read if no event arrives: when the next bucket begins, so that a finished one counts at once. */
export function nextReadMs(span: RateSpan, nowMs: number): number {
  const { bucketMs, refreshMs } = rateSpans[span]
  return Math.min(refreshMs, bucketMs - (nowMs % bucketMs))
}

/** The lines that a filter lets through. */
export function narrowed(series: EventSeries, { kinds, statuses }: EventFilter): EventSeries {
  const kindOf = (name: string) => (name === 'mo' || name === 'quarantined' ? name : 'dlr')
  return {
    ...series,
    lines: series.lines.filter(
      ({ name }) =>
        (!kinds?.length || kinds.includes(kindOf(name))) && (!statuses?.length || statuses.includes(name)),
    ),
  }
}

/** The parts of a filter for which the core reads events instead of sums. */
export type SearchedFor = Pick<EventFilter, 'number' | 'region' | 'text' | 'errorCodes'>

/** Null when a filter has none of them. */
export const searchedFor = ({ number, region, text, errorCodes }: EventFilter): SearchedFor | null =>
  number?.trim() || text || errorCodes?.length ? { number, region, text, errorCodes } : null

/** Events per second of the last complete bucket, or null without one. */
export function rateNow(series: EventSeries, nowMs: number): number | null {
  const totals = bucketTotals(series)
  const current = Math.floor((nowMs - Date.parse(series.from)) / series.bucketMs)
  const last = totals[Math.min(current, totals.length) - 1]
  return last === undefined ? null : last / (series.bucketMs / 1_000)
}

export function ratePeak(series: EventSeries): number {
  return Math.max(0, ...bucketTotals(series)) / (series.bucketMs / 1_000)
}

/** Reads the arrivals of a filter's events in a period. Poll `refresh`. A series of another filter is never shown. */
export function createEventRate(
  client: { events: Pick<Client['events'], 'series'> },
  span: Ref<RateSpan>,
  filter: Readonly<Ref<SearchedFor | null>>,
  now: () => number = Date.now,
): { state: Readonly<ShallowRef<RateState>>; refresh(signal: AbortSignal): Promise<void> } {
  const state = shallowRef<RateState>({ kind: 'loading' })
  watch(filter, () => (state.value = { kind: 'loading' }), { flush: 'sync' })
  let asking = 0
  let answered = 0

  async function refresh(signal: AbortSignal): Promise<void> {
    const [askedSpan, askedFilter] = [span.value, filter.value]
    const isOutdated = () => signal.aborted || span.value !== askedSpan || filter.value !== askedFilter
    const turn = ++asking
    try {
      const range = rateBounds(askedSpan, now())
      const series = await client.events.series({ ...range, filter: askedFilter ?? {} }, { signal })
      // A later request may have been answered first.
      if (isOutdated() || turn < answered) return
      answered = turn
      state.value = { kind: 'ready', series }
    } catch (cause) {
      if (isOutdated()) return
      const series = 'series' in state.value ? state.value.series : null
      state.value = { kind: 'failed', series, error: toErrorView(cause) }
    }
  }

  return { state, refresh }
}

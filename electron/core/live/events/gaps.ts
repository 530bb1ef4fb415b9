import { type Gap, isOfAlarm } from '../../../contract/live/events.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { type Span, suspendedAfterMs } from '../../../listener/journal.ts'
import type { RelayRecord } from '../../../listener/journal-relays.ts'
import type { MissedTime } from './missed-times.ts'

/** The fields of a listening span used here. */
export type ListeningSpan = Pick<
  Span,
  'startedMs' | 'aliveMs' | 'endedMs' | 'endReason' | 'port' | 'firstDeliveryMs'
>

/**
 * The service tries a delivery at once, 5 s and 25 s after each failure, so for about 30 s (spec, "Delivery and retries"). Deliveries
 * first sent at the start of a longer silence are lost.
 */
const retriesLastMs = 30_000

/** A clock that shows an earlier time was reset, by an empty battery: its periods are unknown, and don't cut those before them. */
const plausibleFromMs = Date.UTC(2020, 0)

/** Whether deliveries can be taken now; `not-stored` when the listener runs but answers 503. */
export type Listening = 'yes' | 'no' | 'not-stored'

/** When a listener first failed to start, and why. */
export interface FirstFailure {
  atMs: number
  reason: string
}

interface Interval {
  fromMs: number
  toMs: number
  /** Why it ended. */
  reason: string
  /** The ports at its start and end; null at a relay. */
  fromPort: number | null
  toPort: number | null
}

/**
 * The spans in which the service could reach the listener, oldest first. After a move, the service keeps
 * delivering to the old address until someone changes it. So a span on another port counts from its first
 * delivery on, or not at all.
 */
function reachable(spans: readonly ListeningSpan[]): (ListeningSpan & { isNewest: boolean })[] {
  let known = spans[0]?.port
  return spans.flatMap((span, index) => {
    const isNewest = index === spans.length - 1
    if (span.port === known) return [{ ...span, isNewest }]
    if (span.firstDeliveryMs === null) return []
    known = span.port
    return [{ ...span, isNewest, startedMs: Math.max(span.startedMs, span.firstDeliveryMs) }]
  })
}

/**
 * Cuts intervals, given in the order in which they happened, where the next begins. Only a clock that was ahead puts a period later
 * than the one after it. None reaches past `nowMs`.
 */
function inSequence(intervals: readonly Interval[], nowMs: number): Interval[] {
  let latestMs = nowMs
  return intervals
    .toReversed()
    .map((interval) => {
      const fromMs = Math.min(interval.fromMs, latestMs)
      const cut = { ...interval, fromMs, toMs: Math.min(interval.toMs, latestMs) }
      latestMs = fromMs
      return cut
    })
    .toReversed()
}

function atPort(spans: readonly ListeningSpan[], listening: Listening, nowMs: number): Interval[] {
  const intervals = reachable(spans).map((span): Interval => {
    const isOpen = span.endedMs === null && span.isNewest
    // Just after a sleep, the listener has sent no heartbeat yet. The time asleep is a gap.
    const asleep = isOpen && listening === 'yes' && nowMs - span.aliveMs > suspendedAfterMs
    const running = isOpen && listening === 'yes' && !asleep
    const endMs = span.endedMs ?? (running ? nowMs : span.aliveMs)
    return {
      fromMs: span.startedMs,
      toMs: Math.max(span.startedMs, endMs),
      fromPort: span.port,
      toPort: span.port,
      reason:
        span.endReason ??
        (asleep
          ? 'suspended'
          : running
            ? 'listening'
            : isOpen && listening === 'not-stored'
              ? 'not-stored'
              : 'crashed'),
    }
  })
  return inSequence(
    intervals.filter(({ fromMs }) => fromMs >= plausibleFromMs),
    nowMs,
  )
}

/**
 * The periods of relays. A relay keeps receiving while Switchboard is closed, so the newest open period runs until
 * the relay reports its end. A relay that is no longer read counts up to its last sign of life.
 */
function atRelay({ periods }: RelayRecord, readsRelay: boolean, nowMs: number): Interval[] {
  const newest = periods.findLast(({ isNewest, endedMs }) => isNewest && endedMs === null)
  return periods.map((period) => {
    const running = readsRelay && period === newest
    const endMs = period.endedMs ?? (running ? nowMs : period.aliveMs)
    // A relay has its own clock.
    const fromMs = Math.min(period.startedMs, nowMs)
    return {
      fromMs,
      toMs: Math.min(Math.max(fromMs, endMs), nowMs),
      fromPort: null,
      toPort: null,
      reason: running ? 'listening' : 'relay-stopped',
    }
  })
}

/** Intervals that neither overlap nor touch, oldest first. */
function merged(unsorted: readonly Interval[]): Interval[] {
  const intervals = unsorted.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
  const result: Interval[] = []
  for (const interval of intervals) {
    const last = result.at(-1)
    if (!last || interval.fromMs > last.toMs) result.push({ ...interval })
    else if (interval.toMs >= last.toMs) {
      last.toMs = interval.toMs
      last.reason = interval.reason
      last.toPort = interval.toPort
    }
  }
  return result
}

/** Whether a gap overlaps [fromMs, toMs). */
export const overlaps = ({ from, to }: Gap, fromMs: number, toMs: number): boolean =>
  Date.parse(from) < toMs && (to === null || Date.parse(to) > fromMs)

/** A gap in milliseconds; `toMs` is null while it lasts. */
interface Found {
  fromMs: number
  toMs: number | null
  reason: string
  isProven: boolean
}

/** The pieces of a missed time between the gaps of the listener, which say more. The last one is open while it lasts. */
function withoutGaps({ fromMs, untilMs, lasts, reason }: MissedTime, gaps: readonly Found[]): Found[] {
  const pieces: Found[] = []
  const endMs = lasts ? Infinity : untilMs
  let nextMs = fromMs
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const toMs = Math.min(gap.fromMs, endMs)
    if (nextMs < toMs) pieces.push({ fromMs: nextMs, toMs, reason, isProven: false })
    nextMs = Math.max(nextMs, gap.toMs ?? Infinity)
  }
  if (nextMs < endMs) pieces.push({ fromMs: nextMs, toMs: lasts ? null : untilMs, reason, isProven: false })
  return pieces
}

/**
 * The times in which neither the listener nor a relay could receive, and those that the alarms found, newest first, without those that
 * ended before `sinceMs`. The time before the first span counts only from `firstFailure` on. A span that never ended (a crash)
 * counts up to its last heartbeat. While nothing receives, the last gap is open. Deliveries that a relay dropped
 * unread are a gap too.
 */
export function findGaps(input: {
  spans: readonly ListeningSpan[]
  listening: Listening
  nowMs: number
  sinceMs: number
  firstFailure?: FirstFailure | null
  relays?: RelayRecord
  /** Whether the relay used last is still read. */
  readsRelay?: boolean
  missed?: readonly MissedTime[]
}): Gap[] {
  const { spans, listening, nowMs, sinceMs, firstFailure = null, readsRelay = false, missed = [] } = input
  const relays = input.relays ?? { periods: [], losses: [] }
  const intervals = merged([...atPort(spans, listening, nowMs), ...atRelay(relays, readsRelay, nowMs)])
  const found: Found[] = []
  const add = (fromMs: number, toMs: number | null, reason: string, isProven = false) =>
    found.push({ fromMs, toMs, reason, isProven })
  const [first] = intervals
  if (firstFailure && (!first || firstFailure.atMs < first.fromMs))
    add(Math.min(firstFailure.atMs, nowMs), first?.fromMs ?? null, firstFailure.reason)
  intervals.forEach((interval, index) => {
    const next = intervals[index + 1]
    if (next) {
      // After a move, retries go to the old address.
      const isMoved = interval.toPort !== null && next.fromPort !== null && next.fromPort !== interval.toPort
      add(interval.toMs, next.fromMs, interval.reason, isMoved)
    } else if (interval.reason !== 'listening') add(interval.toMs, null, interval.reason)
  })
  found.push(...missed.flatMap((one) => withoutGaps(one, found)))
  for (const { fromMs, toMs } of relays.losses)
    add(Math.min(fromMs, nowMs), Math.min(Math.max(fromMs, toMs ?? nowMs), nowMs), 'relay-dropped', true)
  // An open gap first: callers look there.
  return found
    .filter(({ toMs }) => toMs === null || toMs >= sinceMs)
    .map(({ fromMs, toMs, reason, isProven }): Gap => {
      const durationMs = Math.max(0, (toMs ?? nowMs) - fromMs)
      const proven = (durationMs > retriesLastMs && !isOfAlarm(reason)) || isProven
      return { from: isoTime(fromMs), to: isoTime(toMs), durationMs, proven, reason }
    })
    .toSorted(
      (a, b) => Number(b.to === null) - Number(a.to === null) || Date.parse(b.from) - Date.parse(a.from),
    )
}

import type { Campaign } from '../../../contract/domain.ts'
import { tooManyFailed } from '../../../contract/views/campaign-alert-rules.ts'

/** Counts of a campaign that stayed the same at every reading from `atMs` to `untilMs`. */
export interface Snapshot {
  atMs: number
  untilMs: number
  sent: number | null
  failed: number | null
  total: number | null
  status: string | null
}

/** A rate covers the last five minutes, and at least `rateLeastMs` of readings. */
const rateSpanMs = 300_000
const rateLeastMs = 20_000
/** Between readings further apart than this, the count is unknown. */
export const watchGapMs = 180_000
/** A running campaign without progress for this long is stalled. */
export const stalledAfterMs = 240_000
/** Buckets of the sparkline, and milliseconds of each. */
const sparkBuckets = 30
export const sparkBucketMs = 60_000
/** How far back a motion needs snapshots, milliseconds. */
export const motionSpanMs = sparkBuckets * sparkBucketMs + watchGapMs

/** Progress of a campaign over time; null if unknown. */
export interface Motion {
  readAtMs: number | null
  ratePerMinute: number | null
  etaMs: number | null
  stillMs: number | null
  stalled: boolean
  spark: (number | null)[]
  /** Sent and failed in the last `minutes`, by readings without a gap: `tooManyFailed.minutes`, or fewer after a gap. */
  lately: { sent: number; failed: number; minutes: number } | null
}

/** Derives a motion from snapshots, oldest first. `nowMs` is wall-clock time. */
export function motionOf(snapshots: readonly Snapshot[], nowMs: number): Motion {
  const newest = snapshots.at(-1)
  const spark = sparkOf(snapshots, nowMs)
  if (!newest)
    return {
      readAtMs: null,
      ratePerMinute: null,
      etaMs: null,
      stillMs: null,
      stalled: false,
      spark,
      lately: null,
    }
  const runs = newest.status === 'running'
  const ratePerMinute = runs ? rateOf(snapshots) : null
  const left = newest.total === null || newest.sent === null ? null : newest.total - newest.sent
  // One that has sent all is done, even if the service still calls it running.
  const stillMs = runs && left !== 0 ? stalledMs(snapshots) : null
  return {
    readAtMs: newest.untilMs,
    ratePerMinute,
    etaMs:
      ratePerMinute === null || ratePerMinute <= 0 || left === null || left < 0
        ? null
        : (left / ratePerMinute) * 60_000,
    stillMs,
    stalled: stillMs !== null && stillMs >= stalledAfterMs,
    spark,
    lately: runs ? latelyOf(snapshots) : null,
  }
}

/** The last run of snapshots, oldest first: running, without a gap, and without a falling count. */
function lastStretch(snapshots: readonly Snapshot[]): Snapshot[] {
  const stretch: Snapshot[] = []
  for (let at = snapshots.length - 1; at >= 0; at--) {
    const one = snapshots[at]!
    const after = stretch[0]
    if (one.status !== 'running' || one.sent === null) break
    if (after && (after.atMs - one.untilMs > watchGapMs || after.sent! < one.sent)) break
    stretch.unshift(one)
  }
  return stretch
}

function rateOf(snapshots: readonly Snapshot[]): number | null {
  const stretch = lastStretch(snapshots)
  const newest = stretch.at(-1)
  if (!newest) return null
  const fromMs = newest.untilMs - rateSpanMs
  const first = stretch.find(({ untilMs }) => untilMs >= fromMs)!
  const sinceMs = Math.max(first.atMs, fromMs)
  const tookMs = newest.untilMs - sinceMs
  return tookMs < rateLeastMs ? null : ((newest.sent! - first.sent!) / tookMs) * 60_000
}

function latelyOf(snapshots: readonly Snapshot[]): Motion['lately'] {
  const stretch = lastStretch(snapshots)
  const newest = stretch.at(-1)
  if (!newest || newest.failed === null) return null
  const fromMs = newest.untilMs - tooManyFailed.minutes * 60_000
  const first = stretch.find(({ untilMs }) => untilMs >= fromMs)!
  if (first.failed === null) return null
  const tookMs = newest.untilMs - Math.max(first.atMs, fromMs)
  return {
    sent: newest.sent! - first.sent!,
    failed: newest.failed - first.failed,
    minutes: Math.max(1, Math.round(tookMs / 60_000)),
  }
}

/** How long the sent count has not changed, by readings without a gap; null if read only once. */
function stalledMs(snapshots: readonly Snapshot[]): number | null {
  const stretch = lastStretch(snapshots)
  const newest = stretch.at(-1)
  if (!newest) return null
  let sinceMs = newest.atMs
  for (let at = stretch.length - 1; at >= 0 && stretch[at]!.sent === newest.sent; at--)
    sinceMs = stretch[at]!.atMs
  return newest.untilMs > sinceMs ? newest.untilMs - sinceMs : null
}

/** Sent per minute of the last half hour; null without readings. Between readings the count is interpolated. */
function sparkOf(snapshots: readonly Snapshot[], nowMs: number): (number | null)[] {
  const endMs = Math.floor(nowMs / sparkBucketMs) * sparkBucketMs
  const edges = Array.from({ length: sparkBuckets + 1 }, (_item, at) =>
    sentAt(snapshots, endMs - (sparkBuckets - at) * sparkBucketMs),
  )
  return edges.slice(1).map((sent, at) => {
    const before = edges[at]!
    return sent === null || before === null || sent < before ? null : Math.round(sent - before)
  })
}

/** The sent count at a time, interpolated between readings without a gap; else null. */
function sentAt(snapshots: readonly Snapshot[], atMs: number): number | null {
  let before: Snapshot | undefined
  for (const one of snapshots) {
    if (one.atMs <= atMs) before = one
    else {
      if (!before || before.sent === null || one.sent === null) return null
      if (atMs <= before.untilMs) return before.sent
      if (one.atMs - before.untilMs > watchGapMs) return null
      const share = (atMs - before.untilMs) / (one.atMs - before.untilMs)
      return before.sent + (one.sent - before.sent) * share
    }
  }
  return before && atMs <= before.untilMs ? before.sent : null
}

/** A record's counts as a snapshot of one reading. */
export const snapshotOf = (campaign: Campaign, atMs: number): Snapshot => ({
  atMs,
  untilMs: atMs,
  sent: campaign.sentCount,
  failed: campaign.failedCount,
  total: campaign.totalRecipients,
  status: campaign.status,
})

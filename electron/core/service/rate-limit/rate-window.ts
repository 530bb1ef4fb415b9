import type { RateReading } from './rate-headers.ts'

/** Spec, Limits: requests per minute and tenant, until a header says another number. */
export const defaultLimitPerMinute = 200
/** Spec, Limits: "per minute". */
export const windowMs = 60_000

/** Operator clicks, refreshes of what is on screen, bulk work: in this order of right of way. */
export type Lane = 'operator' | 'live' | 'bulk'

/**
 * How the service counts, as far as its answers show. `fixed`: a counter that starts anew at each reset. `sliding`: the last
 * 60 s at any moment (a token bucket looks the same). Until shown, the stricter of both is obeyed.
 */
export type WindowKind = 'unknown' | 'fixed' | 'sliding'

export interface RateWindow {
  /** Books a request that leaves now. Returns its number. */
  sent(lane: Lane, nowMs: number): number
  /** Takes back a booking: the request never left. */
  notSent(seq: number): void
  /** Takes in what the answer to request `seq` said. */
  answered(seq: number, reading: RateReading, nowMs: number): void
  /**
   * Takes in a 429: no requests are left until the reset, unless the answer says that some are. Without a reset to trust, the
   * window starts over.
   */
  limited(seq: number, reading: RateReading, nowMs: number): void
  /** The earliest monotonic time at which `lane` may send, as far as can be told now; at most a second ahead. */
  readyAt(lane: Lane, nowMs: number): number
  /** Requests that may still be sent now, the reserve included. */
  remaining(nowMs: number): number
  limitPerMinute(): number
  kind(): WindowKind
  usage(nowMs: number): { usedByUs: number; usedByOthers: number; resetInMs: number }
  /** Requests per minute that bulk work can count on. */
  bulkPerMinute(nowMs: number): number
}

interface Entry {
  seq: number
  /** When the service counted it: the moment of sending, then halfway to its answer. */
  atMs: number
  /** Own requests that had left the window when this one was sent. */
  freedBefore: number
}

interface Anchor {
  seq: number
  remaining: number
  atMs: number
  resetAtMs: number | null
  freedBefore: number
}

/** Share of the limit that bulk work leaves alone, so that a click finds room: 6 of 200. More would cost use, less would not cover a burst of clicks. */
const reserveShare = 0.03
/** In a fixed window the reserve is given up during this last stretch: what is left at the reset is lost. */
const reserveReleaseMs = 20_000
/** Live refreshes may go out this many at once; then they keep the pace. */
const liveBurst = 10
/** Resets closer together than this are one and the same, read twice from rounded headers. */
const sameResetMs = 2_000
/** How much later than its true end a window may seem to end: Reset in whole seconds, rounded up, and the reader's own second on top. */
const resetGrainMs = 2_000
/** Time over which the spending of others is averaged. */
const othersAverageMs = 15_000
/** Time in which an unforeseen excess of room is used up. */
const catchUpMs = 5_000
/** Longest time before a wait is looked at again: others may have freed room unseen. */
const recheckMs = 1_000

/**
 * Keeps account of the tenant's window from our own requests and the headers of every answer, and paces bulk work so that
 * (a) room comes free all the time instead of once a minute, (b) what would be lost at a reset is used, and (c) the spending
 * of others, seen as a drop of Remaining that we did not cause, is left to them.
 */
export function createRateWindow(): RateWindow {
  let limit = defaultLimitPerMinute
  let log: Entry[] = []
  let nextSeq = 1
  /** Own requests that have left the sliding window so far. */
  let freed = 0
  let anchor: Anchor | null = null
  /** Reset of the window that is being watched, to tell fixed windows from sliding ones. */
  let watchedResetMs: number | null = null
  /** Evidence: below 0 for sliding, above for fixed. */
  let evidence = 0
  let othersPerMs = 0
  let othersAtMs = 0
  let lastBulkMs = -Infinity
  let liveDueMs = -Infinity

  const kindNow = (): WindowKind => (evidence >= 2 ? 'fixed' : evidence < 0 ? 'sliding' : 'unknown')
  const reserveFull = () => (limit < 5 ? 0 : Math.max(1, Math.round(limit * reserveShare)))

  function prune(nowMs: number): void {
    let gone = 0
    while (gone < log.length && log[gone]!.atMs <= nowMs - windowMs) gone++
    if (gone === 0) return
    freed += gone
    log = log.slice(gone)
  }

  /** Index of the first entry for which `is` holds; entries are in order of sending. */
  function firstWhere(is: (entry: Entry) => boolean): number {
    let low = 0
    let high = log.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (is(log[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }
  const sentAfter = (seq: number) => log.length - firstWhere((entry) => entry.seq > seq)
  const sentSince = (atMs: number) => log.length - firstWhere((entry) => entry.atMs >= atMs)

  /** The reset that ends the present window, where the service counts by windows or may do so. */
  function windowEnd(nowMs: number): number | null {
    if (!anchor || anchor.resetAtMs === null || kindNow() === 'sliding') return null
    if (nowMs < anchor.resetAtMs) return anchor.resetAtMs
    // The next window is only foreseen where windows are known to follow each other.
    const passed = Math.floor((nowMs - anchor.resetAtMs) / windowMs) + 1
    return kindNow() === 'fixed' ? anchor.resetAtMs + passed * windowMs : null
  }

  function remaining(nowMs: number): number {
    prune(nowMs)
    const bySelf = limit - log.length
    if (!anchor) return bySelf
    const { resetAtMs } = anchor
    if (kindNow() !== 'sliding' && resetAtMs !== null) {
      const byWindow =
        nowMs < resetAtMs ? anchor.remaining - sentAfter(anchor.seq) : limit - sentSince(resetAtMs)
      return kindNow() === 'fixed' ? byWindow : Math.min(byWindow, bySelf)
    }
    if (nowMs - anchor.atMs >= windowMs) return bySelf
    return Math.min(bySelf, anchor.remaining - sentAfter(anchor.seq) + freed - anchor.freedBefore)
  }

  function reserve(nowMs: number): number {
    const full = reserveFull()
    const end = windowEnd(nowMs)
    if (end === null || full === 0) return full
    return Math.min(full, Math.max(1, Math.ceil((full * (end - nowMs)) / reserveReleaseMs)))
  }

  /** Slots per millisecond at which sending can go on without ever running out before new room comes. */
  function pace(nowMs: number): number {
    const even = limit / windowMs
    const room = remaining(nowMs)
    const end = windowEnd(nowMs)
    const floor = even / 10
    if (end !== null) {
      const leftMs = Math.max(end - nowMs, 50)
      const byWindow = (room - 1 - Math.max(0, othersPerMs) * leftMs) / leftMs
      return Math.max(floor, kindNow() === 'fixed' ? byWindow : Math.min(byWindow, even))
    }
    // Room comes when our own requests leave the window. The slowest stretch until then sets the pace.
    const free = room - reserve(nowMs)
    const isSteady = log[0] !== undefined && log[0].atMs + windowMs - nowMs < recheckMs
    // In steady flow others free as much room as they take; before that they only take.
    const othersNow = isSteady ? 0 : Math.max(0, othersPerMs)
    const step = Math.max(1, Math.ceil(log.length / 64))
    let slowest = (free + log.length) / windowMs - othersNow
    for (let index = 0; index < log.length; index += step) {
      const untilMs = log[index]!.atMs + windowMs - nowMs
      if (untilMs > 0) slowest = Math.min(slowest, (free + index) / untilMs - othersNow)
    }
    // While room comes back steadily, an excess (others used less) is used up within seconds, not spread over the minute.
    const catchUp = isSteady ? Math.max(0, Math.min(free, reserveFull())) / catchUpMs : 0
    return Math.max(floor, slowest + catchUp)
  }

  function learnOthers(next: Anchor, nowMs: number): void {
    if (!anchor || next.seq <= anchor.seq) return
    const ours = next.seq - anchor.seq
    const cameBack = kindNow() === 'sliding' ? next.freedBefore - anchor.freedBefore : 0
    const theirs = anchor.remaining - next.remaining - ours + cameBack
    const ageMs = Math.max(0, nowMs - othersAtMs)
    othersAtMs = nowMs
    othersPerMs *= Math.exp(-ageMs / othersAverageMs)
    // A large rise of Remaining is a new window, not the opposite of spending.
    if (theirs > -reserveFull() || kindNow() === 'sliding')
      othersPerMs = Math.max(0, othersPerMs + theirs / othersAverageMs)
  }

  function learnKind(reading: RateReading, nowMs: number): void {
    const { resetAtMs, remaining: left } = reading
    if (resetAtMs === null) return
    const before = watchedResetMs
    if (before === null) {
      watchedResetMs = resetAtMs
      return
    }
    const movedMs = resetAtMs - before
    if (movedMs <= sameResetMs) return
    watchedResetMs = resetAtMs
    if (nowMs < before - sameResetMs || movedMs < windowMs * 0.8) {
      evidence = Math.max(-3, evidence - 1)
      return
    }
    // The announced reset came. A fixed window is nearly whole again then; a sliding one is as full as before.
    const isWhole = left !== null && limit - left - sentSince(before) < limit / 2
    evidence = isWhole ? Math.min(3, Math.max(0, evidence) + 2) : Math.max(-3, evidence - 2)
  }

  function answered(seq: number, reading: RateReading, nowMs: number): void {
    prune(nowMs)
    if (reading.limitPerMinute !== null) limit = reading.limitPerMinute
    const entry = log[firstWhere((candidate) => candidate.seq >= seq)]
    const freedBefore = entry?.seq === seq ? entry.freedBefore : freed
    if (entry?.seq === seq) entry.atMs = (entry.atMs + nowMs) / 2
    if (anchor && seq < anchor.seq) return
    learnKind(reading, nowMs)
    if (reading.remaining === null) return
    const next: Anchor = {
      seq,
      remaining: Math.min(reading.remaining, limit),
      atMs: nowMs,
      resetAtMs: reading.resetAtMs,
      freedBefore,
    }
    learnOthers(next, nowMs)
    anchor = next
  }

  return {
    sent(lane, nowMs) {
      prune(nowMs)
      if (lane === 'bulk') lastBulkMs = nowMs
      if (lane === 'live') liveDueMs = Math.max(nowMs, liveDueMs) + 1 / pace(nowMs)
      const seq = nextSeq++
      log.push({ seq, atMs: nowMs, freedBefore: freed })
      return seq
    },

    notSent(seq) {
      const index = firstWhere((entry) => entry.seq >= seq)
      if (log[index]?.seq === seq) log.splice(index, 1)
    },

    answered,

    limited(seq, reading, nowMs) {
      // Requests are left in this minute, so another limit refused.
      if ((reading.remaining ?? 0) > 0) return answered(seq, reading, nowMs)
      const isTrusted = reading.resetAtMs !== null && kindNow() !== 'sliding'
      answered(seq, { ...reading, remaining: isTrusted ? 0 : null }, nowMs)
      if (!isTrusted) anchor = null
    },

    readyAt(lane, nowMs) {
      const room = remaining(nowMs)
      const kept = lane === 'operator' ? 0 : lane === 'live' ? Math.floor(reserve(nowMs) / 2) : reserve(nowMs)
      if (room - kept < 1) {
        const end = windowEnd(nowMs) ?? anchor?.resetAtMs ?? Infinity
        const nextFreeMs = kindNow() === 'fixed' ? Infinity : (log[0]?.atMs ?? Infinity) + windowMs
        const next = Math.min(end > nowMs ? end : Infinity, nextFreeMs > nowMs ? nextFreeMs : Infinity)
        return Math.min(next, nowMs + recheckMs)
      }
      if (lane === 'operator') return nowMs
      const gapMs = 1 / pace(nowMs)
      const dueMs = lane === 'bulk' ? lastBulkMs + gapMs : liveDueMs - (liveBurst - 1) * gapMs
      return Math.min(Math.max(nowMs, dueMs), nowMs + recheckMs)
    },

    remaining: (nowMs) => Math.max(0, Math.min(limit, remaining(nowMs))),
    limitPerMinute: () => limit,
    kind: kindNow,

    usage(nowMs) {
      const left = Math.max(0, Math.min(limit, remaining(nowMs)))
      const end = windowEnd(nowMs)
      const used = limit - left
      // The window may have begun that much before it seems to have.
      const usedByUs = end === null ? log.length : Math.min(used, sentSince(end - windowMs - resetGrainMs))
      const nextFreeMs = log[0] ? log[0].atMs + windowMs : nowMs
      const told = anchor?.resetAtMs ?? 0
      return {
        usedByUs,
        usedByOthers: Math.max(0, used - usedByUs),
        // A reset that was told and has passed without freeing what we used is none.
        resetInMs: Math.max(0, (end ?? (told > nowMs ? told : nextFreeMs)) - nowMs),
      }
    },

    bulkPerMinute(nowMs) {
      const others = Math.max(0, othersPerMs) * windowMs
      const standing = windowEnd(nowMs) === null ? Math.max(0, limit - remaining(nowMs) - log.length) : 0
      return Math.max(limit / 10, limit - reserveFull() - Math.max(others, standing))
    },
  }
}

import type { RateReading } from './rate-headers.ts'

/** Spec, Limits: requests per minute and tenant, until a header gives another number. */
const defaultLimitPerMinute = 200
/** Spec, Limits: "per minute". */
export const windowMs = 60_000

/** Clicks, refreshes of visible data, bulk work; in order of priority. */
export type Lane = 'operator' | 'live' | 'bulk'

/**
 * How the service counts, judged by its responses. `fixed`: a counter with resets. `sliding`: the last 60 s (a token
 * bucket looks the same). While unknown, the stricter one applies.
 */
export type WindowKind = 'unknown' | 'fixed' | 'sliding'

interface Entry {
  seq: number
  /** When the service counted it: the time of sending, then halfway to the response. */
  atMs: number
  /** Null until the response. The service may count it as late as this. */
  answeredMs: number | null
  /** Own requests that had left the window when it was sent. */
  freedBefore: number
}

interface Anchor {
  seq: number
  remaining: number
  atMs: number
  resetAtMs: number | null
  freedBefore: number
}

/** Share of the limit reserved for clicks: 6 of 200. More costs throughput, less doesn't cover a burst of clicks. */
const reserveShare = 0.03
/** In a fixed window the reserve is released at the end: what is left at the reset is lost. */
const reserveReleaseMs = 20_000
/** Live refreshes in one burst; then paced. */
const liveBurst = 10
/** Resets closer than this are the same one, read from rounded headers. */
const sameResetMs = 2_000
/** How late a window's end may be read: Reset rounded up to seconds, plus the reader's own second. */
const resetGrainMs = 2_000
/** Averaging time of the others' requests. */
const othersAverageMs = 15_000
/** Time in which unexpected room is used. */
const catchUpMs = 5_000
/** Longest time between checks of a wait: others may have freed room. */
const recheckMs = 1_000

/**
 * Tracks the tenant's window from our requests and the headers of every response, and paces bulk work: requests become available
 * continuously instead of once a minute, what a reset would discard is used, and other programs keep their rate (drops of Remaining
 * we didn't cause).
 */
export function createRateWindow() {
  let limit = defaultLimitPerMinute
  let log: Entry[] = []
  /** Own requests that have left the window but were answered late, so the service may still count them. */
  let late: Entry[] = []
  let nextSeq = 1
  /** Own requests that have left the sliding window. */
  let freed = 0
  let anchor: Anchor | null = null
  /** Current reset, to tell fixed windows from sliding ones. */
  let watchedResetMs: number | null = null
  /** Below 0: sliding; above: fixed. */
  let kindScore = 0
  let othersPerMs = 0
  let othersAtMs = 0
  let lastBulkMs = -Infinity
  /** When an answer was last lost: the service may count its request later. */
  let lostMs = -Infinity
  let liveDueMs = -Infinity
  let share = 1

  const kindNow = (): WindowKind => (kindScore >= 2 ? 'fixed' : kindScore < 0 ? 'sliding' : 'unknown')
  const reserveFull = () => (limit < 5 ? 0 : Math.max(1, Math.round(limit * reserveShare)))

  function prune(nowMs: number): void {
    // A window may seem to end later than it does.
    const leastMs = nowMs - windowMs - resetGrainMs
    late = late.filter(({ answeredMs, atMs }) => (answeredMs ?? atMs + windowMs) > leastMs)
    let gone = 0
    while (gone < log.length && log[gone]!.atMs <= nowMs - windowMs) gone++
    if (gone === 0) return
    freed += gone
    late.push(...log.slice(0, gone))
    log = log.slice(gone)
  }

  /** First entry where `is` holds; entries are in sending order. */
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

  /** End of the current window, if the service uses or may use windows. */
  function windowEnd(nowMs: number): number | null {
    if (!anchor || anchor.resetAtMs === null || kindNow() === 'sliding') return null
    if (nowMs < anchor.resetAtMs) return anchor.resetAtMs
    // The next window is predicted only for fixed windows.
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
    // At the end each console of a team may have a request under way that the others don't know of.
    return Math.min(
      full,
      Math.max(Math.ceil(1 / share), Math.ceil((full * (end - nowMs)) / reserveReleaseMs)),
    )
  }

  /** The own part of what is free, per millisecond: what others leave, and in a team at least the share of it. */
  function ownPart(free: number, nowMs: number): number {
    const left = free - othersPerMs
    if (share === 1) return left
    const ofTeam = (sentSince(nowMs - othersAverageMs) / othersAverageMs) * (1 / share - 1)
    return Math.max(left, (free - Math.max(0, othersPerMs - ofTeam)) * share)
  }

  /** Requests per millisecond that never run out before new room comes. */
  function pace(nowMs: number): number {
    const even = limit / windowMs
    const room = remaining(nowMs)
    const end = windowEnd(nowMs)
    const floor = even / 10
    if (end !== null) {
      const leftMs = Math.max(end - nowMs, 50)
      const byWindow = ownPart((room - 1) / leftMs, nowMs)
      return Math.max(floor, kindNow() === 'fixed' ? byWindow : Math.min(byWindow, even))
    }
    // Room comes as our requests leave the window. The slowest stretch until then sets the pace.
    const free = room - reserve(nowMs)
    const isSteady = log[0] !== undefined && log[0].atMs + windowMs - nowMs < recheckMs
    // In steady flow others free as much room as they take; before that they only take.
    const step = Math.max(1, Math.ceil(log.length / 64))
    let slowest = (free + log.length) / windowMs
    for (let index = 0; index < log.length; index += step) {
      const untilMs = log[index]!.atMs + windowMs - nowMs
      if (untilMs > 0) slowest = Math.min(slowest, (free + index) / untilMs)
    }
    // In steady flow, room the others left is used within seconds, not spread over the minute.
    const catchUp = isSteady ? Math.max(0, Math.min(free, reserveFull())) / catchUpMs : 0
    const own = (isSteady ? slowest : ownPart(slowest, nowMs)) + catchUp
    // What one leaves free comes back to all of the team.
    return Math.max(floor, share === 1 ? own : Math.min(own, even * share))
  }

  function learnOthers(next: Anchor, nowMs: number): void {
    if (!anchor || next.seq <= anchor.seq) return
    const ours = next.seq - anchor.seq
    const cameBack = kindNow() === 'sliding' ? next.freedBefore - anchor.freedBefore : 0
    const theirs = anchor.remaining - next.remaining - ours + cameBack
    const ageMs = Math.max(0, nowMs - othersAtMs)
    othersAtMs = nowMs
    othersPerMs *= Math.exp(-ageMs / othersAverageMs)
    // A large rise of Remaining is a new window.
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
      kindScore = Math.max(-3, kindScore - 1)
      return
    }
    // The announced reset came: a fixed window is nearly empty now, a sliding one as full as before.
    const hasReset = left !== null && limit - left - sentSince(before) < limit / 2
    kindScore = hasReset ? Math.min(3, Math.max(0, kindScore) + 2) : Math.max(-3, kindScore - 2)
  }

  function answered(seq: number, reading: RateReading, nowMs: number): void {
    prune(nowMs)
    if (reading.limitPerMinute !== null) limit = reading.limitPerMinute
    const entry = log[firstWhere((candidate) => candidate.seq >= seq)]
    const freedBefore = entry?.seq === seq ? entry.freedBefore : freed
    if (entry?.seq === seq) entry.atMs = (entry.atMs + nowMs) / 2
    const own = entry?.seq === seq ? entry : late.find((one) => one.seq === seq)
    if (own) own.answeredMs = nowMs
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
    /** Records a request. Returns its number. */
    sent(lane: Lane, nowMs: number): number {
      prune(nowMs)
      if (lane === 'bulk') lastBulkMs = nowMs
      if (lane === 'live') liveDueMs = Math.max(nowMs, liveDueMs) + 1 / pace(nowMs)
      const seq = nextSeq++
      log.push({ seq, atMs: nowMs, answeredMs: null, freedBefore: freed })
      return seq
    },

    notSent(seq: number) {
      const index = firstWhere((entry) => entry.seq >= seq)
      if (log[index]?.seq === seq) log.splice(index, 1)
    },

    /** Applies the response to request `seq`. */
    answered(seq: number, reading: RateReading, nowMs: number) {
      if (reading.remaining === null) lostMs = nowMs
      answered(seq, reading, nowMs)
    },

    /** Applies a 429: nothing is left until the reset or, if unknown, for a window, unless the response says otherwise. */
    limited(seq: number, reading: RateReading, nowMs: number) {
      // Requests are left, so another limit applied.
      if ((reading.remaining ?? 0) > 0) return answered(seq, reading, nowMs)
      const isTrusted = reading.resetAtMs !== null && kindNow() !== 'sliding'
      answered(seq, { ...reading, remaining: isTrusted ? 0 : null }, nowMs)
      if (!isTrusted) anchor = null
    },

    /** Earliest monotonic time `lane` may send; at most a second ahead. */
    readyAt(lane: Lane, nowMs: number): number {
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

    /** The own part of the bulk work of a team, from 0 to 1: 1 without others. */
    setShare: (next: number) => void (share = next),
    /** Requests left now, with the reserve. */
    remaining: (nowMs: number) => Math.max(0, Math.min(limit, remaining(nowMs))),
    limitPerMinute: () => limit,
    kind: kindNow,

    /** Names no others for two minutes after a lost answer: they may be our own. */
    usage(nowMs: number): { usedByUs: number; usedByOthers: number; resetInMs: number } {
      const left = Math.max(0, Math.min(limit, remaining(nowMs)))
      const end = windowEnd(nowMs)
      const used = limit - left
      // The window may have started this much earlier than it seems.
      const sinceMs = end === null ? nowMs - windowMs : end - windowMs - resetGrainMs
      const ours = [...late, ...log].filter(({ answeredMs }) => (answeredMs ?? nowMs) >= sinceMs)
      const usedByUs = Math.min(used, ours.length)
      const nextFreeMs = log[0] ? log[0].atMs + windowMs : nowMs
      const announced = anchor?.resetAtMs ?? 0
      return {
        usedByUs,
        usedByOthers: nowMs - lostMs < 2 * windowMs ? 0 : used - usedByUs,
        // Ignores a past reset that freed nothing.
        resetInMs: Math.max(0, (end ?? (announced > nowMs ? announced : nextFreeMs)) - nowMs),
      }
    },

    /** Requests per minute that bulk work can expect, `withTeam` with that of colleagues. */
    bulkPerMinute(nowMs: number, withTeam: boolean): number {
      if (withTeam) return limit - reserveFull()
      const others = Math.max(0, othersPerMs) * windowMs
      const standing = windowEnd(nowMs) === null ? Math.max(0, limit - remaining(nowMs) - log.length) : 0
      return Math.max(limit / 10, limit - reserveFull() - Math.max(others, standing))
    },
  }
}

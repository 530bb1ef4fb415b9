const minuteMs = 60_000

/** Fewer messages prove nothing: their reports may be on their way. */
const enoughSent = 50
/** A report may take twice the longest wait of the last hours, within bounds; `unknown` before the first report. */
const waitMs = { least: 2 * minuteMs, most: 30 * minuteMs, unknown: 10 * minuteMs }
const rememberedMs = 6 * 60 * minuteMs
/** Between looks further apart, the machine slept. */
export const sleptMs = minuteMs
/** The service repeats a delivery for 30 s, so one may arrive after its subscription is gone. */
const retriesMs = 45_000
/** One list without a subscription may be odd: another one, this much later, confirms it. */
const confirmMs = 10_000
/** How old the list of subscriptions may be: ordinarily, while a report is due or none points to Switchboard, and until that is confirmed. */
const listAgeMs = { usual: 5 * minuteMs, due: minuteMs, unconfirmed: 15_000 }

/** A count of messages that the service sent, and when it was read. It only rises while messages are sent. */
export interface SentCount {
  source: string
  count: number
  atMs: number
}

/** What is known at one time. Times are monotonic, so setting the clock changes nothing. */
export interface Look {
  atMs: number
  /** Deliveries can arrive, and those that arrived are read. */
  receiving: boolean
  /** Journal numbers of the newest delivery report and of the newest delivery. */
  lastReport: number
  lastDelivery: number
  /** Delivery reports are subscribed, as far as is known. */
  reportsDue: boolean
  /** The subscriptions that point to Switchboard, by the last complete list; null if unknown. */
  leading: { count: number; atMs: number } | null
  sent: readonly SentCount[]
}

export type Finding = { kind: 'no-subscription' } | { kind: 'no-reports'; sinceMs: number; sent: number }

interface Quiet {
  sinceMs: number
  /** What each source sent since its first reading in this time, and when that was enough. Until `idleMs` it sent nothing. */
  sources: Map<
    string,
    { from: number; sent: number; enoughMs: number | null; idleMs: number; readMs: number }
  >
}

/**
 * Our subscriptions. `listed`: the last list shows one, or isn't known. `unconfirmed`, `none`: one list or two show none, since `sinceMs`.
 * `unlisted`: one delivers that no list shows as ours.
 */
type Ours =
  | { state: 'listed' }
  | { state: 'unlisted' }
  | { state: 'unconfirmed' | 'none'; sinceMs: number; lastDelivery: number; hasDelivered: boolean }

const enoughAt = ({ sources }: Quiet): number | null => {
  const times = [...sources.values()].flatMap(({ enoughMs }) => enoughMs ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * Tells silence from a quiet time, look by look. It is silent when no subscription points to Switchboard, or when messages were sent and no report
 * came for longer than usual. Time alone proves nothing, nor does a time in which nothing could arrive.
 */
export function createSilenceRule() {
  let last: Look | null = null
  let quiet: Quiet = { sinceMs: 0, sources: new Map() }
  let reportedMs = -Infinity
  let waits: { atMs: number; ms: number }[] = []
  let ours: Ours = { state: 'listed' }

  /** How long a report may take. */
  function allowedMs(atMs: number): number {
    if (atMs - reportedMs > rememberedMs) return waitMs.unknown
    const longest = Math.max(0, ...waits.map(({ ms }) => ms))
    return Math.min(waitMs.most, Math.max(waitMs.least, 2 * longest))
  }

  function noteReports(now: Look): void {
    const hasSlept = last !== null && now.atMs - last.atMs > sleptMs
    const hasReport = last !== null && now.lastReport > last.lastReport
    if (hasReport) {
      const enoughMs = enoughAt(quiet)
      // A wait that a missing subscription caused says nothing about the service.
      if (enoughMs !== null && !hasSlept && ours.state !== 'none')
        waits.push({ atMs: now.atMs, ms: now.atMs - enoughMs })
      reportedMs = now.atMs
    }
    waits = waits.filter(({ atMs }) => now.atMs - atMs <= rememberedMs)
    if (last === null || hasSlept || hasReport || !now.receiving)
      quiet = { sinceMs: now.atMs, sources: new Map() }
  }

  function noteSent({ sent, atMs }: Look): void {
    for (const { source, count, atMs: readMs } of sent) {
      // A count read before says nothing about this time.
      if (readMs <= quiet.sinceMs) continue
      const known = quiet.sources.get(source)
      if (!known || count < known.from) {
        const idleMs = known?.idleMs ?? quiet.sinceMs
        quiet.sources.set(source, { from: count, sent: 0, enoughMs: null, idleMs, readMs })
      } else {
        known.sent = count - known.from
        // The reading before the last one without any: a campaign adds nothing when it is first read.
        if (known.sent === 0 && readMs > known.readMs) Object.assign(known, { idleMs: known.readMs, readMs })
        if (known.sent >= enoughSent) known.enoughMs ??= atMs
      }
    }
  }

  function noteSubscriptions({ receiving, leading, lastDelivery, atMs }: Look): void {
    if (leading !== null && leading.count > 0) ours = { state: 'listed' }
    else if (ours.state === 'unlisted') return
    else if (!receiving || leading === null) ours = { state: 'listed' }
    else if (ours.state === 'listed')
      ours = { state: 'unconfirmed', sinceMs: leading.atMs, lastDelivery, hasDelivered: false }
    else {
      const hasNew = lastDelivery > ours.lastDelivery
      const areRetriesOver = atMs - ours.sinceMs > retriesMs
      const hasDelivered = ours.hasDelivered || hasNew
      const isConfirmed = leading.atMs - ours.sinceMs >= confirmMs && (areRetriesOver || !hasDelivered)
      if (hasNew && areRetriesOver) ours = { state: 'unlisted' }
      else ours = { ...ours, state: isConfirmed ? 'none' : ours.state, lastDelivery, hasDelivered }
    }
  }

  function finding({ atMs, reportsDue, lastReport }: Look): Finding | null {
    if (ours.state === 'none') return { kind: 'no-subscription' }
    const enoughMs = enoughAt(quiet)
    const areDue = reportsDue || (ours.state === 'unlisted' && lastReport > 0)
    if (!areDue || enoughMs === null || atMs - enoughMs < allowedMs(atMs)) return null
    const sources = [...quiet.sources.values()].filter(({ sent }) => sent > 0)
    const sinceMs = Math.min(...sources.map(({ idleMs }) => idleMs))
    return { kind: 'no-reports', sinceMs, sent: Math.max(...sources.map(({ sent }) => sent)) }
  }

  /** Takes the next look. `isDue`: messages were sent whose reports have not come. `listAgeMs`: how old the list of subscriptions may be. */
  return function look(now: Look) {
    noteReports(now)
    noteSent(now)
    noteSubscriptions(now)
    last = now
    const isDue = enoughAt(quiet) !== null
    return {
      finding: finding(now),
      /** A list showed no subscription, which another one must confirm. */
      isUnconfirmed: ours.state === 'unconfirmed',
      isDue,
      quietMs: now.atMs - quiet.sinceMs,
      listAgeMs:
        ours.state === 'unconfirmed'
          ? listAgeMs.unconfirmed
          : isDue || ours.state === 'none'
            ? listAgeMs.due
            : listAgeMs.usual,
    }
  }
}

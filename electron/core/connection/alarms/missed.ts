import type { MissedReason } from '../../../contract/live/events.ts'
import type { MissedTime } from '../../live/events/missed-times.ts'
import { outageMs } from './outage.ts'
import { sleptMs } from './silence.ts'

/** The newest event or delivery report: its journal number and time of arrival. */
export interface Arrived {
  seq: number
  atMs: number
}

/** What is known at one look. `atMs` is monotonic, all other times are of the day. */
export interface MissedLook {
  atMs: number
  nowMs: number
  receiving: boolean
  /** The alarms, if there are any. */
  silence: 'no-subscription' | 'no-reports' | null
  /** Since when messages were sent without a report; null without that alarm. */
  sentSinceMs: number | null
  isOut: boolean
  event: Arrived | null
  report: Arrived | null
  /** The last list that showed a subscription of ours, and the service's last answer. */
  subscribedMs: number | null
  answeredMs: number | null
  /** When the first one after a journal number arrived. */
  firstAfter: (seq: number, kind: 'any' | 'dlr') => number | null
}

/** `afterSeq`: what arrives after this journal number ends it. */
type Missing = MissedTime & { afterSeq: number }

/**
 * Tells the time in which events are missed, look by look: while an alarm lasts, from the last proof that none was missed to the first
 * event after it, or to the end of the alarm. An outage counts only while no event arrives. Null: nothing new to record.
 */
export function createMissedRule(startedMs: number) {
  let lastAtMs: number | null = null
  let missed: Missing | null = null
  /** Nothing before is missed: the gaps of the listener cover it, or it is recorded. */
  let fromLeastMs = startedMs
  let newest = { seq: -1, atMs: -Infinity }
  let outSince: number | null = null

  function begin(now: MissedLook, reason: MissedReason): Missing {
    const { event, report, nowMs } = now
    const arrived = reason === 'no-reports' ? report : event
    const fromMs = Math.max(fromLeastMs, arrived?.atMs ?? 0, proofMs(now, reason))
    return { fromMs: Math.min(fromMs, nowMs), untilMs: nowMs, reason, lasts: true, afterSeq: event?.seq ?? 0 }
  }

  function end(untilMs: number): MissedTime {
    const ended = { ...missed!, untilMs: Math.max(missed!.fromMs, untilMs), lasts: false }
    fromLeastMs = Math.max(fromLeastMs, ended.untilMs)
    missed = null
    return ended
  }

  /** Events during an outage show that only requests fail. */
  function isMissingInOutage({ atMs, isOut }: MissedLook): boolean {
    outSince = isOut ? (outSince ?? atMs) : null
    return outSince !== null && newest.atMs < outSince && atMs - newest.atMs >= outageMs
  }

  return function look(now: MissedLook): MissedTime | null {
    const { atMs, nowMs, event } = now
    const hasSlept = lastAtMs !== null && atMs - lastAtMs > sleptMs
    if ((event?.seq ?? 0) !== newest.seq) newest = { seq: event?.seq ?? 0, atMs }
    lastAtMs = atMs
    const reason = now.silence ?? (isMissingInOutage(now) ? 'service-unreachable' : null)
    if (hasSlept || !now.receiving) {
      const ended = missed && end(missed.untilMs)
      fromLeastMs = nowMs
      return ended
    }
    if (missed === null) return (missed = reason && begin(now, reason))
    const firstMs = now.firstAfter(missed.afterSeq, missed.reason === 'no-reports' ? 'dlr' : 'any')
    if (firstMs !== null) return end(firstMs)
    const provenMs = proofMs(now, missed.reason)
    if (reason === null) return end(provenMs > missed.fromMs ? provenMs : nowMs)
    missed = { ...missed, reason, untilMs: nowMs, afterSeq: event?.seq ?? 0 }
    return missed
  }
}

/** When the service last showed, without an event, that none was missed. */
function proofMs({ sentSinceMs, subscribedMs, answeredMs }: MissedLook, reason: MissedReason): number {
  const proof =
    reason === 'no-reports' ? sentSinceMs : reason === 'no-subscription' ? subscribedMs : answeredMs
  // Monotonic times have fractions, which storage refuses.
  return Math.floor(proof ?? 0)
}

import type { BulkSend, KnownTemplate, LeftOut, PlanCounts } from '#contract/people/templates.ts'
import type { OutboxStatus } from '#contract/people/outbox.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { statusLook, type StatusLook } from '../../shared/format/status.ts'
import {
  formatDuration,
  formatForecast,
  formatTime,
  hoursText,
  wholeSecondsUntil,
} from '../../shared/format/time.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'
import { t } from './templates.texts.ts'
import { openIn, type ShownSend } from './use-templates.ts'

/** How a template is shown. A service status other than `active` is a warning. */
export function templateLook({ state, status }: Pick<KnownTemplate, 'state' | 'status'>): StatusLook {
  if (state === 'unconfirmed') return { tone: 'warn', icon: 'warning', label: t('states.unconfirmed') }
  if (state === 'not-found') return { tone: 'bad', icon: 'cross', label: t('states.not-found') }
  if (state === 'deletion-unknown')
    return { tone: 'warn', icon: 'warning', label: t('states.deletion-unknown') }
  if (status === null) return { tone: 'quiet', icon: 'dot', label: t('states.unknown') }
  if (status === 'active') return { tone: 'ok', icon: 'check', label: t('states.active') }
  return { tone: 'warn', icon: 'warning', label: visibleText(status) }
}

/** Why messages of a template may be rejected, or null. `sendable`: statuses that can be sent. */
export function templateWarning(
  { state, status }: Pick<KnownTemplate, 'state' | 'status'>,
  sendable: readonly string[],
): string | null {
  if (state === 'not-found' || state === 'deletion-unknown') return t(`warnings.${state}`)
  if (status === null || sendable.includes(status)) return null
  return t('warnings.status', { status })
}

const sendLooks: Record<BulkSend['state'], Omit<StatusLook, 'label'>> = {
  preparing: { tone: 'info', icon: 'clock' },
  prepared: { tone: 'info', icon: 'draft' },
  failed: { tone: 'bad', icon: 'cross' },
  stopped: { tone: 'quiet', icon: 'stop' },
  queueing: { tone: 'info', icon: 'clock' },
  'queueing-stopped': { tone: 'warn', icon: 'warning' },
  scheduled: { tone: 'info', icon: 'clock' },
  'start-missed': { tone: 'warn', icon: 'warning' },
  queued: { tone: 'info', icon: 'outbox' },
  finished: { tone: 'ok', icon: 'check' },
  'finished-in-part': { tone: 'warn', icon: 'warning' },
  rejected: { tone: 'bad', icon: 'cross' },
  undone: { tone: 'quiet', icon: 'undo' },
  'undone-in-part': { tone: 'warn', icon: 'undo' },
}

export const sendLook = (state: BulkSend['state']): StatusLook => ({
  ...sendLooks[state],
  label: t(`sendStates.${state}`),
})

const halts = {
  paused: { tone: 'warn', icon: 'pause' },
  offline: { tone: 'warn', icon: 'offline' },
  'signed-out': { tone: 'warn', icon: 'lock' },
  'rate-limited': { tone: 'warn', icon: 'clock' },
  waiting: { tone: 'warn', icon: 'clock' },
  stopped: { tone: 'bad', icon: 'stop' },
} as const

type Progress = { send: Pick<BulkSend, 'state' | 'undoableUntil'> } & Pick<
  ShownSend,
  'outcome' | 'waitsFor' | 'drain'
>

/** Why the outbox sends nothing of a queued send with messages to send now; null if it does. */
const haltOf = ({ send, drain: { state } }: Pick<Progress, 'send' | 'drain'>) =>
  send.state !== 'queued' || state === 'sending' || state === 'idle' ? null : state

/** How a send goes at `nowMs`: one that only waits isn't sending. While disconnected that is unknown. */
export function progressLook(
  { send, outcome, waitsFor, drain }: Progress,
  nowMs: number,
  isConnected = true,
): StatusLook {
  if (send.state !== 'queued' || outcome === null) return sendLook(send.state)
  if (!isConnected) return { tone: 'quiet', icon: 'dot', label: t('waits.unknown') }
  const undoMs = send.undoableUntil === null ? 0 : wholeSecondsUntil(send.undoableUntil, nowMs)
  const waits = (label: string): StatusLook => ({ tone: 'info', icon: 'clock', label })
  if (undoMs > 0) return waits(t('waits.undo', { duration: formatDuration(undoMs) }))
  const isReady = outcome.undoable + outcome.queued + outcome['in-flight'] > 0
  if (waitsFor && !isReady) return waits(t('waits.hours', { time: formatTime(waitsFor.nextAt, 'minute') }))
  const halt = haltOf({ send, drain })
  if (halt !== null) return { ...halts[halt], label: t(`waits.${halt}`) }
  const { done, rejected, held, unknown, discarded } = outcome
  const left = done + rejected + outcome['not-sent'] + held + unknown + discarded
  const said = { left: formatCount(left), total: formatCount(left + outcome['sent-again'] + openIn(outcome)) }
  return { ...sendLooks.queued, label: t('waits.sending', said) }
}

/** The outcome of a send in counts. What Switchboard held back was not rejected by the service. */
export function outcomeFigures({ outcome, notSent }: Pick<ShownSend, 'outcome' | 'notSent'>) {
  const { dnc, held, erased } = notSent
  const less: Partial<Record<OutboxStatus, number>> = { 'not-sent': dnc, held, cancelled: erased }
  const byState = (Object.entries(outcome ?? {}) as [OutboxStatus, number][]).map(([state, count]) => ({
    look: statusLook('outbox', state),
    state,
    count: count - (less[state] ?? 0),
  }))
  const own = (look: StatusLook, state: OutboxStatus, count: number) => ({ look, state, count })
  return [
    ...byState,
    own({ tone: 'bad', icon: 'ban', label: skippedWord('dnc') }, 'not-sent', dnc),
    own({ tone: 'warn', icon: 'hand', label: skippedWord('held') }, 'held', held),
    own({ tone: 'quiet', icon: 'trash', label: t('outcome.erased') }, 'cancelled', erased),
  ].filter(({ count }) => count > 0)
}

export const skippedWord = (why: LeftOut): string => t(`skipped.${why}`)

export function skippedCounts(counts: PlanCounts): { why: LeftOut; count: number }[] {
  const all: { why: LeftOut; count: number }[] = [
    { why: 'dnc', count: counts.dnc },
    { why: 'held', count: counts.held },
    { why: 'maybe-listed', count: counts.maybeListed },
    { why: 'refused', count: counts.refused },
    { why: 'missing-value', count: counts.missingValue },
    { why: 'bad-value', count: counts.badValue },
    { why: 'bad-number', count: counts.badNumber },
    { why: 'repeated', count: counts.repeated },
    { why: 'received', count: counts.received },
    { why: 'unplaced', count: counts.unplaced },
    { why: 'no-hours', count: counts.noHours },
    { why: 'unreadable', count: counts.unreadable },
  ]
  return all.filter(({ count }) => count > 0)
}

const planTones: Record<LeftOut, 'bad' | 'warn' | 'quiet'> = {
  dnc: 'bad',
  held: 'bad',
  'maybe-listed': 'bad',
  refused: 'bad',
  'missing-value': 'warn',
  'bad-value': 'warn',
  'bad-number': 'warn',
  unreadable: 'warn',
  repeated: 'quiet',
  received: 'quiet',
  unplaced: 'warn',
  'no-hours': 'warn',
}

/** A dry run's recipients: those to send to, and the skipped by reason. Nothing unchecked looks good. */
export const planFigures = (counts: PlanCounts, isUnchecked = false) => [
  {
    label: t('bulk.toSend'),
    count: counts.willSend,
    tone: isUnchecked ? ('quiet' as const) : ('ok' as const),
  },
  ...skippedCounts(counts).map(({ why, count }) => ({
    label: skippedWord(why),
    count,
    tone: planTones[why],
  })),
]

/** How long a prepared send takes. One that waits for a start or for hours says when its last message leaves. */
export function endText({ send, lastAt, etaMs }: Pick<ShownSend, 'send' | 'lastAt' | 'etaMs'>): string {
  if (send.startAt === null && send.hours === null)
    return etaMs === null ? '' : t('bulk.takes', { duration: formatForecast(etaMs) })
  return lastAt === null ? '' : t('when.lastAt', { time: formatTime(lastAt, 'minute') })
}

/** Whether messages of a bulk send may have left. Those of one that was moved may have left before. */
export function mayHaveLeft({ send, outcome }: Pick<ShownSend, 'send' | 'outcome'>): boolean {
  if (['queued', 'finished', 'finished-in-part', 'undone-in-part'].includes(send.state)) return true
  return outcome !== null && outcome.done + outcome.unknown + outcome['in-flight'] > 0
}

/** How many messages are left, and how long they take if known and the outbox sends. */
export function leftText(
  n: number,
  {
    send,
    drain,
    etaMs,
    waitsFor,
    lastAt,
  }: Pick<ShownSend, 'send' | 'drain' | 'etaMs' | 'waitsFor' | 'lastAt'>,
): string {
  if (waitsFor && lastAt !== null) {
    const [next, last] = [waitsFor.nextAt, lastAt].map((iso) => formatTime(iso, 'minute')) as [string, string]
    return t('when.left', { n, hours: hoursText(waitsFor.hours), next, last })
  }
  // Until the undo window ends, it is unknown how many wait for their hours.
  const isUnknown = etaMs === null || send.hours !== null || haltOf({ send, drain }) !== null
  return isUnknown ? t('bulk.left', { n }) : t('bulk.leftEta', { n, duration: formatForecast(etaMs) })
}

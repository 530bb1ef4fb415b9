import { errorText, say } from '../../shared/i18n/core-texts.ts'
import { isPhrase } from '#contract/phrases.ts'
import type { ErrorData } from '#contract/errors.ts'
import type {
  OutboxBatch,
  OutboxDrain,
  OutboxFilter,
  OutboxItem,
  OutboxOperation,
  OutboxStatus,
} from '#contract/people/outbox.ts'
import { formatCount } from '../../shared/format/numbers.ts'
import { statusLook, type StatusLook } from '../../shared/format/status.ts'
import { formatDuration, formatTime, wholeSecondsUntil } from '../../shared/format/time.ts'
import type { Blocked } from '../../shared/people/use-known-numbers.ts'
import type { ProbableReport } from './item-actions.ts'
import { statesInOrder } from './outbox-filter.ts'
import { t } from './outbox.texts.ts'

const drainLooks: Record<
  OutboxDrain['state'] | 'held' | 'blocked' | 'scheduled' | 'unknown',
  Omit<StatusLook, 'label'>
> = {
  sending: { tone: 'ok', icon: 'play' },
  idle: { tone: 'quiet', icon: 'check' },
  paused: { tone: 'warn', icon: 'pause' },
  offline: { tone: 'warn', icon: 'offline' },
  'signed-out': { tone: 'warn', icon: 'lock' },
  'rate-limited': { tone: 'warn', icon: 'clock' },
  stopped: { tone: 'bad', icon: 'stop' },
  waiting: { tone: 'warn', icon: 'clock' },
  held: { tone: 'warn', icon: 'clock' },
  scheduled: { tone: 'quiet', icon: 'clock' },
  blocked: { tone: 'warn', icon: 'hand' },
  unknown: { tone: 'quiet', icon: 'dot' },
}

/** How the sending state is shown at `nowMs`, and why nothing is sent. The last known one proves nothing while disconnected. */
export function drainLook(
  { state, counts, heldUntil, nextStart }: Pick<OutboxDrain, 'state' | 'counts' | 'heldUntil' | 'nextStart'>,
  nowMs: number,
  isConnected = true,
): StatusLook & { reason: string } {
  const held = countIn(counts, ['undoable'])
  const blocked = countIn(counts, ['blocked'])
  const scheduled = countIn(counts, ['scheduled'])
  const waits = held > 0 ? 'held' : blocked > 0 ? 'blocked' : scheduled > 0 ? 'scheduled' : 'idle'
  const shown = !isConnected ? 'unknown' : state === 'idle' ? waits : state
  const look = { ...drainLooks[shown], label: t(`drainStates.${shown}`) }
  if (shown === 'held') return { ...look, reason: heldReason(held, heldUntil, nowMs) }
  if (shown === 'scheduled') {
    const time = nextStart === null ? null : formatTime(nextStart, 'minute')
    const reason =
      time === null
        ? t('drainReasons.startMissed', { n: scheduled })
        : t('drainReasons.scheduled', { n: scheduled, time })
    return { ...look, reason }
  }
  if (shown === 'blocked') return { ...look, reason: t('drainReasons.blocked', { n: blocked }) }
  // The problem gives the reason.
  if (shown === 'waiting') return { ...look, reason: '' }
  if (shown !== 'idle') return { ...look, reason: t(`drainReasons.${shown}`) }
  // Unconfirmed requests have their own notice below, and skipped ones stand in their batch.
  const isCompleted =
    countIn(counts, ['unknown', 'not-sent', 'held']) === 0 && countIn(counts, ['done', 'rejected']) > 0
  return { ...look, reason: t(isCompleted ? 'drainReasons.completed' : 'drainReasons.idle') }
}

function heldReason(n: number, heldUntil: string | null, nowMs: number): string {
  if (heldUntil === null) return t('drainReasons.preparing', { n })
  const leftMs = wholeSecondsUntil(heldUntil, nowMs)
  return leftMs > 0
    ? t('drainReasons.held', { n, duration: formatDuration(leftMs) })
    : t('drainReasons.heldOver', { n })
}

/**
 * The sending state as the page shows it. The drain is idle for a moment between two requests, and learns only from a failed request that
 * the service is unreachable; `reachable` knows earlier.
 */
export function drainWithin(drain: OutboxDrain, reachable: boolean | null): OutboxDrain {
  const isSending =
    drain.state === 'sending' ||
    (drain.state === 'idle' && countIn(drain.counts, ['queued', 'in-flight']) > 0)
  if (!isSending) return drain
  return reachable === false
    ? { ...drain, state: 'offline', ratePerMinute: null, etaMs: null }
    : { ...drain, state: 'sending' }
}

/** Requests in any of these states; the core omits empty states. */
export function countIn(
  counts: Partial<Record<OutboxStatus, number>>,
  states: readonly OutboxStatus[],
): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
}

/** How many requests a filter of states matches, by the counts shown beside it; null for other filters. */
export function totalIn(counts: OutboxDrain['counts'], filter: OutboxFilter): number | null {
  const { states, ...others } = filter
  if (Object.keys(others).length > 0) return null
  return countIn(counts, states?.length ? states : statesInOrder)
}

/** `148/min · 6 min 12 s left`, as far as known. Empty while rate limited: the status bar counts down to the reset. */
export function paceText({
  state,
  ratePerMinute,
  etaMs,
}: Pick<OutboxDrain, 'state' | 'ratePerMinute' | 'etaMs'>): string {
  if (state === 'rate-limited') return ''
  const rate = ratePerMinute === null ? null : formatCount(ratePerMinute)
  const duration = etaMs === null ? null : formatDuration(Math.max(1_000, etaMs))
  if (rate === null) return duration === null ? '' : t('drain.left', { duration })
  return duration === null ? t('drain.rate', { rate }) : t('drain.rateLeft', { rate, duration })
}

/** A batch in counts, starting with what needs a decision: `6 unconfirmed, 14 rejected, 918 queued, 1,460 done`. */
export function batchText({ kind, counts, undone }: Pick<OutboxBatch, 'kind' | 'counts' | 'undone'>): string {
  const all = [
    ['unknown', countIn(counts, ['unknown'])],
    ['rejected', countIn(counts, ['rejected'])],
    ['not-sent', countIn(counts, ['not-sent', 'held'])],
    ['scheduled', countIn(counts, ['scheduled'])],
    ['waiting', countIn(counts, ['undoable', 'queued', 'blocked'])],
    ['in-flight', countIn(counts, ['in-flight'])],
    ['done', countIn(counts, ['done'])],
    ['sent-again', countIn(counts, ['sent-again'])],
    ['discarded', countIn(counts, ['discarded'])],
    [undone ? 'undonePart' : 'cancelled', countIn(counts, ['cancelled'])],
  ] as const
  if (undone && countIn(counts, ['cancelled']) === countIn(counts, statesInOrder)) return t('counts.undone')
  const said = all.filter(([, count]) => count > 0).map(([name, count]) => t(`counts.${name}`, { n: count }))
  if (said.length > 0) return said.join(', ')
  return t(kind === 'delete' ? 'counts.localOnly' : 'counts.none')
}

/** The ended parts of a batch, as its bar draws them. */
export function batchParts({ counts }: Pick<OutboxBatch, 'counts'>) {
  const parts = [
    { tone: 'ok' as const, count: countIn(counts, ['done']) },
    { tone: 'bad' as const, count: countIn(counts, ['rejected']) },
    { tone: 'warn' as const, count: countIn(counts, ['unknown', 'not-sent', 'held']) },
    { tone: 'quiet' as const, count: countIn(counts, ['cancelled', 'sent-again', 'discarded']) },
  ]
  return parts.filter(({ count }) => count > 0)
}

/** What these requests are marked as: `created` for contacts, `done` if they differ. */
export function markDoneKind(operations: readonly OutboxOperation[]): OutboxOperation | 'mixed' {
  const [one, ...others] = new Set(operations)
  return one === undefined || others.length > 0 ? 'mixed' : one
}

const doubts = [
  'SERVICE_TIMEOUT',
  'SERVICE_UNREACHABLE',
  'SERVICE_TLS',
  'NOT_THE_SERVICE',
  'BAD_ANSWER',
  'ANSWER_TOO_LARGE',
] as const

const saidBy = (text: ErrorData[string] | undefined): string =>
  typeof text === 'string' || isPhrase(text) ? say(text) : ''

/** Why it is unknown whether a request was done. */
function doubtText({ reason, status, serviceText }: ErrorData): string {
  const known = doubts.find((code) => code === reason)
  if (known !== undefined) return t(`results.${known}`)
  const text = saidBy(serviceText)
  if (typeof status !== 'number') return text === '' ? t('results.unconfirmed') : t('results.text', { text })
  const http = String(status)
  return text === '' ? t('results.status', { status: http }) : t('results.statusText', { status: http, text })
}

const open: readonly OutboxItem['state'][] = ['undoable', 'scheduled', 'queued', 'blocked', 'unknown']

/** What blocks a request now that is not sent yet, or may be resent. */
export const blockOf = ({ operation, state }: OutboxItem, blocked: Blocked): Blocked =>
  operation !== 'delete-contact' && open.includes(state) ? blocked : null

/** That an unconfirmed message was probably sent, by its delivery report. */
export const reportText = ({ status, receivedAt }: ProbableReport): string =>
  t('probable.sent', {
    status: statusLook('message', status).label,
    time: formatTime(receivedAt, 'minute'),
  })

/**
 * The result of a request in one line: that its number is blocked, its resolution, the service’s words, the problem or its ID. `report`: of
 * an unconfirmed message.
 */
export function outcomeText(item: OutboxItem, blocked: Blocked = null, report?: ProbableReport): string {
  const own = report && item.state === 'unknown' ? reportText(report) : ownOutcome(item)
  const block = blockOf(item, blocked)
  if (block === null) return own
  if (item.state !== 'unknown') return t(`results.wontSend.${block}`)
  return t(`results.blocked.${block}`, { text: own })
}

const onTheWay: readonly (string | null)[] = [null, 'pending', 'queued', 'submitted', 'delivered']
/** The status of a message that the service accepted as failed or otherwise not on its way; else null. */
export const servedStatus = ({ state, operation, serviceStatus }: OutboxItem): string | null =>
  state === 'done' && operation === 'send-ott' && !onTheWay.includes(serviceStatus) ? serviceStatus : null

/** An erased person’s request that failed: what its problem said of them is gone. */
export const isErased = ({ operation, phone, problem }: OutboxItem): boolean =>
  problem !== null && phone === '' && operation !== 'delete-contact'

function ownOutcome(item: OutboxItem): string {
  const { problem, resolution, serviceId, state, notBefore } = item
  if (resolution !== null) return t(`resolvedManually.${resolution}`)
  if (isErased(item)) return t('results.erased')
  if (problem === null) {
    if (state === 'queued') return t('results.queued')
    if (state === 'blocked') return t('results.waits')
    if (state === 'scheduled')
      return notBefore === null
        ? t('results.start')
        : t('results.hours', { time: formatTime(notBefore, 'minute') })
    const id = serviceId === null ? '' : t('results.id', { id: serviceId })
    const served = servedStatus(item)
    if (served === null) return id
    return t('results.served', { status: statusLook('message', served).label, id }).trim()
  }
  const { code, data } = problem
  if (code === 'OUTCOME_UNKNOWN') return doubtText(data)
  if (code === 'ON_DNC') return skippedText(data['reason'])
  const served = servedText(problem)
  if (served !== null) return t('fields.quote', { text: served })
  return code === 'DELETION_REPEATED' || code === 'DELETION_UNKNOWN'
    ? t(`results.${code}`)
    : errorText(problem)
}

/** Why Switchboard skipped a request, without the number, which has its own column. The DNC list's reasons are plain texts. */
function skippedText(reason: ErrorData[string] | undefined): string {
  const said = saidBy(reason)
  return isPhrase(reason) ? said.charAt(0).toUpperCase() + said.slice(1) : t('results.dnc', { reason: said })
}

/** The service’s own words on a problem, or null. */
export function servedText(problem: OutboxItem['problem']): string | null {
  const served = saidBy(problem?.data['serviceText'])
  return served === '' ? null : served
}

/** The latest time of a request, and what happened then. */
export function lastStep({ endedAt, sentAt, queuedAt }: OutboxItem) {
  if (endedAt !== null) return { at: endedAt, what: 'ended' as const }
  if (sentAt !== null) return { at: sentAt, what: 'sent' as const }
  return { at: queuedAt, what: 'queued' as const }
}

import type {
  OutboxBatch,
  OutboxDrain,
  OutboxFilter,
  OutboxItem,
  OutboxOperation,
  OutboxState,
} from '#contract/outbox.ts'
import type { ErrorCode, ErrorData } from '#contract/errors.ts'
import { formatCount, formatCounted } from '../../shared/format/numbers.ts'
import { type StatusLook, statusLook } from '../../shared/format/status.ts'
import { formatDuration, wholeSecondsUntil } from '../../shared/format/time.ts'
import { isEmptyFilter } from './outbox-filter.ts'

export const operationWords: Record<OutboxOperation, string> = {
  'create-contact': 'Create contact',
  'delete-contact': 'Delete contact',
  'send-ott': 'Send message',
}

/** States as the filter names them, in the words of their items, short enough to stand on one line. */
export const stateChips: Record<OutboxState, string> = {
  unknown: 'Unknown',
  rejected: 'Rejected',
  'held-back': 'Can be undone',
  'in-flight': 'In flight',
  queued: 'Queued',
  blocked: 'Waits for another',
  done: 'Done',
  cancelled: 'Cancelled',
}

/**
 * How an item is drawn. What a person discarded or sent again is called so: to whoever did that, `Cancelled` would say that it never left.
 */
export function itemLook({ state, resolution }: Pick<OutboxItem, 'state' | 'resolution'>): StatusLook {
  const look = statusLook('outbox', state)
  if (resolution === 'discarded') return { ...look, label: 'Discarded' }
  return resolution === 'sent-again' ? { ...look, label: 'Sent again' } : look
}

const drainLooks: Record<OutboxDrain['state'], StatusLook> = {
  sending: { tone: 'ok', icon: 'play', label: 'Sending' },
  idle: { tone: 'quiet', icon: 'check', label: 'Nothing to send' },
  paused: { tone: 'warn', icon: 'pause', label: 'Paused' },
  offline: { tone: 'warn', icon: 'offline', label: 'Waiting for the network' },
  'signed-out': { tone: 'warn', icon: 'lock', label: 'Waiting for a sign-in' },
  'rate-limited': { tone: 'warn', icon: 'clock', label: 'Waiting for the budget' },
  stopped: { tone: 'bad', icon: 'stop', label: 'Stopped' },
}

const drainReasons: Record<OutboxDrain['state'], string> = {
  sending: 'Requests leave at the pace that the tenant’s budget allows.',
  idle: 'Everything that was queued has been answered.',
  paused: 'You paused it. Nothing leaves until it is resumed; what is queued is kept over a restart.',
  offline: 'The service cannot be reached. What is queued is kept and goes on by itself when it can.',
  'signed-out': 'Nobody is signed in to the service. What is queued is kept and goes on after a sign-in.',
  'rate-limited': 'The tenant’s requests of this minute are used up. It goes on by itself at the reset.',
  stopped: 'It was stopped by what is said below. What is queued is kept; resuming tries again.',
}

/** How the drain is drawn at `nowMs`, and why it does not send where it does not. */
export function drainLook(
  { state, counts, heldUntil }: Pick<OutboxDrain, 'state' | 'counts' | 'heldUntil'>,
  nowMs: number,
): StatusLook & { reason: string } {
  const held = countIn(counts, ['held-back'])
  if (state === 'idle' && held > 0)
    return { tone: 'warn', icon: 'clock', label: 'Held back', reason: heldReason(held, heldUntil, nowMs) }
  if (state === 'idle' && countIn(counts, ['blocked']) > 0)
    return { tone: 'warn', icon: 'hand', label: 'Waiting for you', reason: idleReason(counts) }
  return { ...drainLooks[state], reason: state === 'idle' ? idleReason(counts) : drainReasons[state] }
}

function heldReason(held: number, heldUntil: string | null, nowMs: number): string {
  const are = `${formatCounted(held, 'request')} ${held === 1 ? 'is' : 'are'} held back.`
  if (heldUntil === null) return `${are} Nothing of a batch leaves while it is being put together.`
  const leftMs = wholeSecondsUntil(heldUntil, nowMs)
  return leftMs > 0
    ? `${are} The first leaves in ${formatDuration(leftMs)}; until then its batch can be undone.`
    : `${are} The first leaves now.`
}

function idleReason(counts: OutboxDrain['counts']): string {
  const unknown = countIn(counts, ['unknown'])
  const blocked = countIn(counts, ['blocked'])
  if (blocked > 0)
    return `${formatCounted(blocked, 'request')} ${blocked === 1 ? 'waits' : 'wait'} for another whose outcome is not known: settle that one first.`
  if (unknown > 0)
    return `Nothing waits to be sent. ${formatCounted(unknown, 'request')} of unknown outcome ${unknown === 1 ? 'waits' : 'wait'} for you, not for the service.`
  return countIn(counts, ['done', 'rejected']) > 0 ? drainReasons.idle : 'Nothing waits to be sent.'
}

/**
 * The drain as the page shows it. Between two requests it is idle for a moment, with some still queued; and that the service is out of
 * reach it says itself only once a request of its own has failed, which may take as long as one is waited for.
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

/** Items whose request has not left yet; those in flight are counted by themselves. */
export function waitingIn(counts: Partial<Record<OutboxState, number>>): number {
  return countIn(counts, ['held-back', 'queued', 'blocked'])
}

/** Items in any of these states; a state the core leaves out has none. */
export function countIn(
  counts: Partial<Record<OutboxState, number>>,
  states: readonly OutboxState[],
): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
}

/**
 * How many items a filter matches, by the same counts that the page shows beside it; null where they do not tell. The list's own total
 * was read a moment before or after them.
 */
export function totalIn(counts: OutboxDrain['counts'], filter: OutboxFilter): number | null {
  const { states, ...others } = filter
  if (!isEmptyFilter(others)) return null
  return countIn(counts, states?.length ? [...new Set(states)] : (Object.keys(stateChips) as OutboxState[]))
}

/** `148 a minute, 6 min left`, as far as each is known. */
export function paceText({ ratePerMinute, etaMs }: Pick<OutboxDrain, 'ratePerMinute' | 'etaMs'>): string {
  return [
    ...(ratePerMinute === null ? [] : [`${formatCount(ratePerMinute)} a minute`]),
    ...(etaMs === null ? [] : [`${formatDuration(Math.max(1_000, etaMs))} left`]),
  ].join(', ')
}

/**
 * A batch's items in words, what needs a person first: `6 unknown, 14 rejected, 918 to send, 2 in flight, 1,460 done`. What was
 * taken back says so in place of how many requests never left.
 */
export function batchText({
  kind,
  counts,
  takenBack,
}: Pick<OutboxBatch, 'kind' | 'counts' | 'takenBack'>): string {
  const words: [string, number][] = [
    ['unknown', countIn(counts, ['unknown'])],
    ['rejected', countIn(counts, ['rejected'])],
    ['to send', waitingIn(counts)],
    ['in flight', countIn(counts, ['in-flight'])],
    ['done', countIn(counts, ['done'])],
    ['cancelled', takenBack ? 0 : countIn(counts, ['cancelled'])],
  ]
  const text = [
    ...(takenBack ? ['taken back'] : []),
    ...words.filter(([, count]) => count > 0).map(([word, count]) => `${formatCount(count)} ${word}`),
  ].join(', ')
  if (text !== '') return text
  return kind === 'delete' ? 'nothing to send: they were only here' : 'nothing to send'
}

/** A part of a batch's bar. */
export interface BatchPart {
  tone: 'ok' | 'bad' | 'warn' | 'quiet' | 'accent'
  count: number
}

/** The shares of a batch that are over, each in its colour, as the bar draws them from its beginning on. */
export function batchParts({ counts }: Pick<OutboxBatch, 'counts'>): BatchPart[] {
  const parts: BatchPart[] = [
    { tone: 'ok', count: countIn(counts, ['done']) },
    { tone: 'bad', count: countIn(counts, ['rejected']) },
    { tone: 'warn', count: countIn(counts, ['unknown']) },
    { tone: 'quiet', count: countIn(counts, ['cancelled']) },
  ]
  return parts.filter(({ count }) => count > 0)
}

/** What an unknown item becomes when it is said to have been done. */
export function markDoneWord(operations: readonly OutboxOperation[]): string {
  const [one, ...others] = new Set(operations)
  if (one === undefined || others.length > 0) return 'Mark as done'
  return {
    'create-contact': 'Mark as created',
    'delete-contact': 'Mark as deleted',
    'send-ott': 'Mark as sent',
  }[one]
}

const resolutionWords: Record<NonNullable<OutboxItem['resolution']>, string> = {
  'marked-done': 'marked as done by a person',
  'sent-again': 'sent again by a person',
  discarded: 'discarded by a person',
}

/** What there was instead of an answer that says whether it was done. */
const doubtWords: Partial<Record<ErrorCode, string>> = {
  SERVICE_TIMEOUT: 'no answer in time',
  SERVICE_UNREACHABLE: 'the connection broke',
  SERVICE_TLS: 'the encrypted connection broke',
  NOT_THE_SERVICE: 'a web page answered',
  BAD_ANSWER: 'the answer cannot be read',
  ANSWER_TOO_LARGE: 'the answer is too large',
}

function doubtText({ reason, status, serviceText }: ErrorData): string {
  const known = doubtWords[reason as ErrorCode]
  if (known !== undefined) return known
  const words = typeof serviceText === 'string' && serviceText !== '' ? `“${serviceText}”` : null
  if (typeof status !== 'number') return words === null ? 'not confirmed' : `not confirmed: ${words}`
  return words === null ? `answered ${status}` : `${status} ${words}`
}

/** Problems in few words; their whole text is long for a row. */
const shortProblems: Partial<Record<ErrorCode, string>> = {
  DELETION_REPEATED: 'not confirmed, asked again; it may be done',
  DELETION_UNKNOWN: 'never confirmed; it may be done',
}

/** What came of an item, in one line: the service's own words first, else the problem, how it was settled, its id. */
export function outcomeText(item: OutboxItem): string {
  const served = item.problem?.data['serviceText']
  const said = [
    ...(item.resolution === null ? [] : [resolutionWords[item.resolution]]),
    ...(item.problem === null
      ? []
      : [
          item.problem.code === 'OUTCOME_UNKNOWN'
            ? `${doubtText(item.problem.data)}; it may be done`
            : typeof served === 'string' && served !== ''
              ? `“${served}”`
              : (shortProblems[item.problem.code as ErrorCode] ?? item.problem.text),
        ]),
  ]
  if (said.length > 0) return said.join('; ')
  if (item.state === 'blocked') return 'goes when the item before it for the same contact is done'
  return item.serviceId === null ? '' : `id ${item.serviceId}`
}

/** The latest time of an item, and what happened then. */
export function lastStep({ endedAt, sentAt, queuedAt }: OutboxItem): { at: string; what: string } {
  if (endedAt !== null) return { at: endedAt, what: 'ended' }
  if (sentAt !== null) return { at: sentAt, what: 'sent' }
  return { at: queuedAt, what: 'queued' }
}

import type { BulkSend, KnownTemplate, LeftOut, PlanCounts } from '#contract/templates.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { visibleText } from '../../shared/text/visible-controls.ts'

/** How a template stands, as this console knows it. A status word of the service that is not `active` is shown with a warning. */
export function templateLook({ state, status }: Pick<KnownTemplate, 'state' | 'status'>): StatusLook {
  if (state === 'unconfirmed') return { tone: 'warn', icon: 'warning', label: 'Not confirmed' }
  if (state === 'not-found') return { tone: 'bad', icon: 'cross', label: 'Not found on the service' }
  if (state === 'deletion-unknown') return { tone: 'warn', icon: 'warning', label: 'Perhaps deleted' }
  if (status === null) return { tone: 'quiet', icon: 'dot', label: 'Status not known' }
  if (status === 'active') return { tone: 'ok', icon: 'check', label: 'Active' }
  return { tone: 'warn', icon: 'warning', label: visibleText(status) }
}

/**
 * Why what is sent by a template may be refused, as sentences; null when nothing says so. `sendable`: states under which the service takes
 * it, as this connection knows them.
 */
export function templateWarning(
  { state, status }: Pick<KnownTemplate, 'state' | 'status'>,
  sendable: readonly string[],
): string | null {
  if (state === 'not-found')
    return 'The service said that it has no template of this id: every message by it will be refused.'
  if (state === 'deletion-unknown')
    return 'Its deletion was not answered: where it was done, every message by it will be refused.'
  if (status === null || sendable.includes(status)) return null
  return `The service calls it “${status}”, which this console does not know. It can be sent all the same.`
}

const sendLooks: Record<BulkSend['state'], StatusLook> = {
  preparing: { tone: 'info', icon: 'clock', label: 'Dry run' },
  prepared: { tone: 'info', icon: 'draft', label: 'Prepared' },
  failed: { tone: 'bad', icon: 'cross', label: 'Dry run failed' },
  stopped: { tone: 'quiet', icon: 'stop', label: 'Stopped' },
  queueing: { tone: 'info', icon: 'clock', label: 'Being queued' },
  'queueing-stopped': { tone: 'warn', icon: 'warning', label: 'Queueing stopped' },
  queued: { tone: 'info', icon: 'outbox', label: 'Being sent' },
  finished: { tone: 'ok', icon: 'check', label: 'Finished' },
  'finished-in-part': { tone: 'warn', icon: 'warning', label: 'Finished, not all sent' },
  'taken-back': { tone: 'quiet', icon: 'undo', label: 'Taken back' },
}

export const sendLook = (state: BulkSend['state']): StatusLook => sendLooks[state]

/** How long a send of the same template is remarked on. */
const latelyMs = 24 * 3_600_000
const wentOut: readonly BulkSend['state'][] = ['queueing', 'queued', 'finished', 'finished-in-part']

/** The newest send of the same template that went out, or is about to, within a day and after this dry run, which did not count it. */
export function sentSince(send: BulkSend, all: readonly BulkSend[], nowMs: number): BulkSend | null {
  return (
    all
      .filter(
        ({ id, templateKey, state, createdAt }) =>
          id !== send.id &&
          templateKey === send.templateKey &&
          wentOut.includes(state) &&
          Date.parse(createdAt) > Date.parse(send.createdAt) &&
          nowMs - Date.parse(createdAt) < latelyMs,
      )
      .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0] ?? null
  )
}

/** Why somebody is left out, as the heads of a list. */
export const leftOutWords: Record<LeftOut, string> = {
  dnc: 'on the Do Not Contact list',
  held: 'held here',
  'missing-value': 'a value is missing',
  'bad-value': 'a value is no number',
  'bad-number': 'no number that can be called',
  repeated: 'the same number again',
  unreadable: 'a row that cannot be read',
}

/** The counts of a dry run that left somebody out. */
export function leftOutCounts(counts: PlanCounts): { why: LeftOut; count: number }[] {
  const all: { why: LeftOut; count: number }[] = [
    { why: 'dnc', count: counts.dnc },
    { why: 'held', count: counts.held },
    { why: 'missing-value', count: counts.missingValue },
    { why: 'bad-value', count: counts.badValue },
    { why: 'bad-number', count: counts.badNumber },
    { why: 'repeated', count: counts.repeated },
    { why: 'unreadable', count: counts.unreadable },
  ]
  return all.filter(({ count }) => count > 0)
}

const words = {
  good: ['delivered', 'read', 'sent'],
  moving: ['pending', 'queued', 'processed', 'routed', 'accepted', 'submitted', 'sending'],
  bad: ['failed', 'rejected', 'filtered', 'blocked', 'expired', 'undelivered'],
}

/** The service's own word on a message, as it came. Other services' words are grouped as theirs are; a strange one means nothing. */
export function serviceLook(word: string): StatusLook {
  const label = visibleText(word)
  const known = word.toLowerCase()
  if (words.good.includes(known)) return { tone: 'ok', icon: 'check', label }
  if (words.moving.includes(known)) return { tone: 'info', icon: 'sent', label }
  if (words.bad.includes(known)) return { tone: 'bad', icon: 'cross', label }
  return { tone: 'quiet', icon: 'dot', label }
}

import type { EventRow } from '#contract/live/events.ts'
import type { OutboxStatus } from '#contract/people/outbox.ts'
import type { SentMessage } from '#contract/people/sent.ts'
import type { OfflineVerdict } from '#contract/people/dnc.ts'
import type { Conversation } from '#contract/live/inbox.ts'
import { shownVerdict } from '../../shared/format/dnc-list.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import { type StatusLook, statusText } from '../../shared/format/status.ts'
import { formatAge } from '../../shared/format/time.ts'
import { t } from './inbox.texts.ts'

/** Name of a conversation: the contact’s, else the number in E.164, else as the event has it. */
export function titleOf({
  contact,
  phone,
  number,
}: Pick<Conversation, 'contact' | 'phone' | 'number'>): string {
  if (contact !== null && contact.name !== '') return contact.name
  return phone ?? number ?? t('sender.unknown')
}

const lookOf = {
  dnc: (): StatusLook => ({ label: t('sender.dnc'), tone: 'bad', icon: 'ban' }),
  hold: (): StatusLook => ({ label: t('sender.held'), tone: 'warn', icon: 'hand' }),
}

export const possibleLook = (): StatusLook => ({ label: t('sender.possible'), tone: 'warn', icon: 'hand' })

/** A conversation’s mark in the list: that it waits for an answer, why its sender is blocked, else that it opted out once. */
export function markOf({
  blocked,
  optOuts,
  possibleOptOuts,
}: Pick<Conversation, 'blocked' | 'optOuts' | 'possibleOptOuts'>): StatusLook | null {
  if (possibleOptOuts > 0) return possibleLook()
  if (blocked !== null) return lookOf[blocked]()
  return optOuts > 0 ? { label: t('sender.optOut'), tone: 'quiet', icon: 'hand' } : null
}

const byOf = (by: string | null): string => by ?? t('work.you')

/** Who handles a conversation in a short mark for the list, or in full with its age at `nowMs`. */
export function workLook({ work }: Pick<Conversation, 'work'>, nowMs?: number): StatusLook | null {
  if (work === null) return null
  const by = byOf(work.by)
  const values = nowMs === undefined ? null : { by, age: formatAge(work.at, nowMs) }
  return work.state === 'done'
    ? { label: values ? t('work.doneMark', values) : statusText('done'), tone: 'ok', icon: 'check' }
    : { label: values ? t('work.assignedMark', values) : by, tone: 'info', icon: 'user' }
}

/** Whether a sender may be contacted, with the facts behind it. */
export function describeVerdict(verdict: OfflineVerdict, nowMs: number): { look: StatusLook; text: string } {
  const { since, source, asOf } = verdict
  const reason = say(verdict.reason ?? '')
  const age = asOf === null ? t('sender.neverSynced') : t('sender.synced', { age: formatAge(asOf, nowMs) })
  if (verdict.verdict === 'blocked' && source === 'hold') {
    const facts = [reason && t('sender.reason', { reason }), since && formatAge(since, nowMs)]
    return { look: lookOf.hold(), text: facts.filter(Boolean).join(' · ') }
  }
  if (verdict.verdict === 'blocked')
    return { look: lookOf.dnc(), text: [reason, age].filter(Boolean).join(' · ') }
  if (verdict.verdict === 'clear')
    return { look: { label: t('sender.clear'), tone: 'ok', icon: 'check' }, text: age }
  if (shownVerdict(verdict) === 'maybe-listed')
    return { look: { label: t('sender.maybe'), tone: 'warn', icon: 'warning' }, text: reason }
  return { look: { label: t('sender.uncertain'), tone: 'warn', icon: 'warning' }, text: reason || age }
}

/** A line of a conversation: a message from the sender, one sent to it from here or by a colleague, or one known only by its delivery reports. */
export type ConversationLine =
  | { kind: 'received'; key: string; row: EventRow }
  | { kind: 'sent'; key: string; sent: SentMessage; report: EventRow | null }
  | { kind: 'reported'; key: string; report: EventRow; sentAt: string }

const sentStates: readonly OutboxStatus[] = ['in-flight', 'done', 'unknown']
export const neverLeft: readonly OutboxStatus[] = ['rejected', 'held', 'not-sent']

/** Whether a line is a message to the sender that left, perhaps unconfirmed. */
export const hasLeft = (line: ConversationLine): boolean =>
  line.kind === 'reported' ||
  (line.kind === 'sent' && (line.report !== null || sentStates.includes(line.sent.state)))

/** Whether a message left after the person's first opt-out. One from here leaves later than it is queued. */
export function isAfterOptOut(line: ConversationLine, optedOut: { at: string } | null): boolean {
  if (optedOut === null || !hasLeft(line) || line.kind === 'received') return false
  const sentAt = line.kind === 'sent' ? (line.sent.endedAt ?? line.sent.queuedAt) : line.sentAt
  return Date.parse(sentAt) > Date.parse(optedOut.at)
}

/**
 * Both sides by time, newest first. `reports`: of messages to the sender, newest first. Unless all is loaded (`isWhole`), messages sent
 * before the oldest loaded one wait for theirs.
 */
export function linesOf(
  rows: readonly EventRow[],
  sent: readonly SentMessage[],
  reports: readonly EventRow[],
  isWhole: boolean,
): ConversationLine[] {
  const oldest = rows.at(-1)
  const isShown = (at: string) => isWhole || !oldest || at >= oldest.receivedAt
  const byMessage = new Map<string, { report: EventRow; sentAt: string }>()
  for (const report of reports) {
    if (report.messageId === null) continue
    const later = byMessage.get(report.messageId)?.report
    // A submitted report that arrived late says less than the one before it.
    byMessage.set(report.messageId, {
      report: later && later.status !== 'submitted' ? later : report,
      sentAt: report.receivedAt,
    })
  }
  const timeOf = (line: ConversationLine) =>
    Date.parse(
      line.kind === 'sent'
        ? line.sent.queuedAt
        : line.kind === 'reported'
          ? line.sentAt
          : line.row.receivedAt,
    )
  const ownLines = sent.map((one): ConversationLine => {
    const reported = byMessage.get(one.messageId ?? '')
    byMessage.delete(one.messageId ?? '')
    const key = one.itemId ?? `${one.author} ${one.queuedAt} ${one.messageId}`
    // A colleague's time is that of the first message that was shared with it.
    const queuedAt = (one.author !== null && reported?.sentAt) || one.queuedAt
    return { kind: 'sent', key: `s${key}`, sent: { ...one, queuedAt }, report: reported?.report ?? null }
  })
  const others = [...byMessage].map(([id, { report, sentAt }]): ConversationLine => ({
    kind: 'reported',
    key: `m${id}`,
    report,
    sentAt,
  }))
  return [
    ...rows.map((row): ConversationLine => ({ kind: 'received', key: `r${row.seq}`, row })),
    ...[...ownLines, ...others].filter((line) => isShown(new Date(timeOf(line)).toISOString())),
  ].sort((a, b) => timeOf(b) - timeOf(a))
}

import type { EventRow } from '#contract/live/events.ts'
import type { SentMessage } from '#contract/people/sent.ts'
import type { OfflineVerdict } from '#contract/people/dnc.ts'
import type { Conversation } from '#contract/live/inbox.ts'
import { shownVerdict } from '../../shared/format/dnc-list.ts'
import { say } from '../../shared/i18n/core-texts.ts'
import type { StatusLook } from '../../shared/format/status.ts'
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
    return { look: lookOf.dnc(), text: [reason || t('sender.onList'), age].join(' · ') }
  if (verdict.verdict === 'clear')
    return { look: { label: t('sender.clear'), tone: 'ok', icon: 'check' }, text: age }
  if (shownVerdict(verdict) === 'maybe-listed')
    return { look: { label: t('sender.maybe'), tone: 'warn', icon: 'warning' }, text: reason }
  return { look: { label: t('sender.uncertain'), tone: 'warn', icon: 'warning' }, text: reason || age }
}

/** A line of a conversation: a message from the sender, or one sent to it. */
export type ConversationLine =
  { kind: 'received'; key: string; row: EventRow } | { kind: 'sent'; key: string; sent: SentMessage }

/** Both sides by time, newest first. Unless all is loaded (`isWhole`), messages sent before the oldest loaded one wait for theirs. */
export function linesOf(
  rows: readonly EventRow[],
  sent: readonly SentMessage[],
  isWhole: boolean,
): ConversationLine[] {
  const oldest = rows.at(-1)
  const shown = isWhole || !oldest ? sent : sent.filter(({ queuedAt }) => queuedAt >= oldest.receivedAt)
  const timeOf = (line: ConversationLine) =>
    Date.parse(line.kind === 'sent' ? line.sent.queuedAt : line.row.receivedAt)
  return [
    ...rows.map((row): ConversationLine => ({ kind: 'received', key: `r${row.seq}`, row })),
    ...shown.map((one): ConversationLine => ({ kind: 'sent', key: `s${one.itemId}`, sent: one })),
  ].sort((a, b) => timeOf(b) - timeOf(a))
}

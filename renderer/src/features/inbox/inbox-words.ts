import type { EventRow } from '#contract/events.ts'
import type { SentMessage } from '#contract/sent.ts'
import type { OfflineVerdict } from '#contract/dnc.ts'
import type { Conversation } from '#contract/inbox.ts'
import type { StatusLook } from '../../shared/format/status.ts'
import { formatAge } from '../../shared/format/time.ts'

/** Whom a conversation is with: the name in the book, else the number, else that there is none. */
export function titleOf({ contact, number }: Pick<Conversation, 'contact' | 'number'>): string {
  if (contact !== null && contact.name !== '') return contact.name
  return number ?? 'Sender not named'
}

/** What a conversation is marked with in a list: why its sender must not be sent to, or that it asked for it once. */
export function markOf({
  blocked,
  stopWords,
}: Pick<Conversation, 'blocked' | 'stopWords'>): StatusLook | null {
  if (blocked === 'dnc') return { label: 'Do not contact', tone: 'bad', icon: 'ban' }
  if (blocked === 'hold') return { label: 'On hold', tone: 'warn', icon: 'hand' }
  return stopWords > 0 ? { label: 'Stop word', tone: 'quiet', icon: 'hand' } : null
}

/** Whether a sender may be answered, in words, with the age of the list that says so. */
export function describeVerdict(verdict: OfflineVerdict, nowMs: number): { look: StatusLook; text: string } {
  const { reason, since, source, asOf } = verdict
  const age = asOf === null ? 'the list was never synced' : `list as of ${formatAge(asOf, nowMs)}`
  if (verdict.verdict === 'blocked' && source === 'hold')
    return {
      look: { label: 'On hold here', tone: 'warn', icon: 'hand' },
      text: [since && `since ${formatAge(since, nowMs)}`, reason && `“${reason}”`].filter(Boolean).join(', '),
    }
  if (verdict.verdict === 'blocked')
    return {
      look: { label: 'Do not contact', tone: 'bad', icon: 'ban' },
      text: `${reason === null || reason === '' ? 'on the list' : reason}, ${age}`,
    }
  if (verdict.verdict === 'clear') return { look: { label: 'Clear', tone: 'ok', icon: 'check' }, text: age }
  return {
    look: { label: 'Not known', tone: 'warn', icon: 'warning' },
    text: reason ?? age,
  }
}

/** A line of a conversation: a message of the sender, or one that was sent to it from here. */
export type ConversationLine =
  { kind: 'received'; key: string; row: EventRow } | { kind: 'sent'; key: string; sent: SentMessage }

/**
 * Both sides by time, newest first. As long as older messages of the sender are not loaded (`isWhole` false), what was sent before the
 * oldest that is waits for them.
 */
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

import type { Database } from '../../../database/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createPulse } from '../../../lib/pulse.ts'
import { timeId } from '../../../lib/time-id.ts'
import { type FoundEntry, mostSent } from '../dnc/team-entries.ts'
import { createTeamRepository } from '../dnc/team.repository.ts'

const keptMs = 30 * 24 * 3_600_000
/** Messages of one entry were accepted within this time. */
const entryMs = 60_000

interface Unshared {
  id: number
  phone: string
  messageId: string | null
  template: string
  channel: string
  atMs: number
}

/** A message that a colleague sent. */
export interface ColleagueSend {
  templateId: string
  messageId: string | null
  author: string
  sentMs: number
}

export type TeamSends = ReturnType<typeof createTeamSends>

/** Messages that the consoles of a team sent, in `state.db`. */
export function createTeamSends(db: Database, clock: Clock) {
  const team = createTeamRepository(db)
  const pulse = createPulse()
  const unshared = `operation = 'send-ott' AND state = 'done' AND shared = 0`
  const atMs = 'coalesce(sent_ms, ended_ms, queued_ms)'
  const dropOld = db.prepare<[number]>(
    `UPDATE outbox SET shared = 1 WHERE ${unshared} AND (phone = '' OR ${atMs} < ?)`,
  )
  const next = db.prepare<[number], Unshared>(
    `SELECT id, phone, service_id AS messageId, body_json ->> 'templateId' AS template, body_json ->> 'channelId' AS channel,
       ${atMs} AS atMs FROM outbox INDEXED BY outbox_unshared WHERE ${unshared} ORDER BY id LIMIT ?`,
  )
  const setShared = db.prepare<[number]>('UPDATE outbox SET shared = 1 WHERE id = ?')
  const add = db.prepare<[number, string, number, string, string | null, string | null]>(
    'INSERT OR IGNORE INTO team_sent (digits, template_id, sent_ms, entry_id, message_id, author) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const dropEntries = db.prepare<[number]>(
    "DELETE FROM team_entries WHERE kind = 'sent' AND id IN (SELECT entry_id FROM team_sent WHERE sent_ms < ?)",
  )
  const dropSent = db.prepare<[number]>('DELETE FROM team_sent WHERE sent_ms < ?')
  /** The row stays without its person, for `dropEntries`. */
  const erase = db.prepare<[number]>(
    'UPDATE OR REPLACE team_sent SET digits = 0, message_id = NULL WHERE digits = ?',
  )
  const to = db.prepare<
    { digits: number; templateId: string | null; sinceMs: number; limit: number },
    ColleagueSend
  >(
    `SELECT template_id AS templateId, message_id AS messageId, author, sent_ms AS sentMs FROM team_sent
     WHERE digits = :digits AND author IS NOT NULL AND sent_ms >= :sinceMs AND (:templateId IS NULL OR template_id = :templateId)
     ORDER BY sent_ms DESC LIMIT :limit`,
  )
  const as = db.prepare<[string], ColleagueSend>(
    `SELECT template_id AS templateId, message_id AS messageId, author, sent_ms AS sentMs FROM team_sent INDEXED BY team_sent_by_message
     WHERE message_id = ? AND author IS NOT NULL`,
  )

  return {
    /** To call when the service accepted a message. */
    sent: pulse.fire,
    onSent: pulse.subscribe,
    /** Queues an entry of the next messages that the service accepted. False when none is left. */
    share: db.transaction((): boolean => {
      const author = team.team()?.author
      if (author === undefined) return false
      dropOld.run(clock.now() - keptMs)
      const rows = next.all(mostSent)
      const [first] = rows
      if (!first) return false
      const { template, channel } = first
      const some = rows.filter(
        (row) =>
          row.template === template && row.channel === channel && Math.abs(row.atMs - first.atMs) < entryMs,
      )
      const id = timeId(clock.now())
      const entry = { kind: 'sent' as const, id, template, channel, author, atMs: first.atMs }
      team.share({
        ...entry,
        to: some.map(({ phone, messageId }) => [Number(phone.slice(1)), messageId]),
      })
      for (const row of some) {
        add.run(Number(row.phone.slice(1)), template, first.atMs, id, row.messageId, null)
        setShared.run(row.id)
      }
      return true
    }),
    /** Takes entries of the log, also again. */
    take: db.transaction((found: readonly FoundEntry[]): void => {
      const nowMs = clock.now()
      for (const { entry, text } of found) {
        if (entry.kind !== 'sent' || entry.atMs < nowMs - keptMs) continue
        const isNew = !team.isKnown(entry)
        team.take(entry, text)
        if (!isNew) continue
        // A colleague's clock may be ahead.
        const sentMs = Math.min(entry.atMs, nowMs)
        for (const [digits, messageId] of entry.to)
          add.run(digits, entry.template, sentMs, entry.id, digits > 0 ? messageId : null, entry.author)
      }
    }),
    /** Forgets what is older than 30 days. */
    prune: db.transaction((): void => {
      const beforeMs = clock.now() - keptMs
      dropEntries.run(beforeMs)
      dropSent.run(beforeMs)
    }),
    /** Forgets the messages to a number. Their entries aren't taken again. Returns how many the team may have. */
    erase: (digits: number): number => erase.run(digits).changes,
    /** What colleagues sent to a number, newest first. */
    to: (digits: number, options: { templateId: string | null; sinceMs: number; limit: number }) =>
      to.all({ digits, ...options }),
    /** The message of an ID of the service, if a colleague sent it. */
    as: (messageId: string): ColleagueSend | undefined => as.get(messageId),
  }
}

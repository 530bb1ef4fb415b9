import type { Database } from 'better-sqlite3'
import { hash48 } from './event-key.ts'
import { isFinal } from './message-status.ts'

/** What the reports of one message tell of it together. Times are milliseconds since the epoch. */
export interface MessageRow {
  /** The furthest one. */
  status: string
  rank: number
  /** The service's time of that status, 0 where it gave none. */
  service_ms: number
  /** When the report of it arrived. */
  since_ms: number
  /** Arrival of the first report, and of the first of two statuses. Null where it was not counted, or did not come. */
  first_ms: number | null
  submitted_ms: number | null
  delivered_ms: number | null
  calling_code: string | null
}

/** A message as it is stored. */
export interface FoundMessage {
  row: MessageRow
  /** The event under which it lies, null when it is kept under none. */
  eventSeq: number | null
}

/** The table of messages. To be used within the transaction that changes the events. */
export interface MessageRows {
  find(messageId: string): FoundMessage | undefined
  /** Looks only for one that lies under an event. `messageHash` is that of the events' rows. */
  underEvent(messageId: string, messageHash: number): FoundMessage | undefined
  /** Looks only among those kept under none: their last event was taken away, or no report came since messages lie under events. */
  kept(messageId: string): FoundMessage | undefined
  /** False when there are none of those. */
  hasKept(): boolean
  /** Puts a row in place of the one found, or under one of the message's events where there was none. */
  put(messageId: string, row: MessageRow, found: FoundMessage | undefined, eventSeq: number): void
  /**
   * Lets events go: a message that lies under one moves to another of its events. Where there is none it stays unless it is final since
   * before `beforeMs`. To be called when the events are gone.
   */
  leave(
    events: readonly { seq: number; messageId: string | null; messageHash: number }[],
    beforeMs: number,
  ): void
  /** Takes away at most `limit` rows. @returns how many. */
  clear(limit: number): number
}

const columns =
  'status, rank, final, service_ms, since_ms, first_ms, submitted_ms, delivered_ms, calling_code'
const columnNames = columns.split(', ')

type Values = [
  status: string,
  rank: number,
  final: 0 | 1,
  serviceMs: number,
  sinceMs: number,
  firstMs: number | null,
  submittedMs: number | null,
  deliveredMs: number | null,
  callingCode: string | null,
]

// By place and not by name: half the time of what every report costs.
const valuesOf = (row: MessageRow): Values => [
  row.status,
  row.rank,
  isFinal(row.rank) ? 1 : 0,
  row.service_ms,
  row.since_ms,
  row.first_ms,
  row.submitted_ms,
  row.delivered_ms,
  row.calling_code,
]

export function createMessageRows(db: Database): MessageRows {
  const byEvent = db.prepare<[number, string], MessageRow & { seq: number }>(
    `SELECT m.* FROM events e CROSS JOIN messages m ON m.seq = e.seq WHERE e.message_hash = ? AND m.message_id = ?`,
  )
  const byId = db.prepare<[string], MessageRow>('SELECT * FROM kept_messages WHERE message_id = ?')
  const isAnyKept = db.prepare<[], 0 | 1>('SELECT EXISTS (SELECT 1 FROM kept_messages)').pluck()
  const insert = db.prepare<[number, string, ...Values]>(
    `INSERT INTO messages (seq, message_id, ${columns}) VALUES (${Array(11).fill('?').join(', ')})`,
  )
  const update = db.prepare<[...Values, eventSeq: number]>(
    `UPDATE messages SET ${columnNames.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`,
  )
  const dropKept = db.prepare<[string]>('DELETE FROM kept_messages WHERE message_id = ?')
  const keep = db.prepare<[number]>(
    `INSERT OR REPLACE INTO kept_messages (message_id, ${columns}) SELECT message_id, ${columns} FROM messages WHERE seq = ?`,
  )
  const drop = db.prepare<[number]>('DELETE FROM messages WHERE seq = ?')
  const move = db.prepare<[number, number]>('UPDATE messages SET seq = ? WHERE seq = ?')
  const dropFinal = db.prepare<[string, number]>(
    'DELETE FROM kept_messages WHERE message_id = ? AND final = 1 AND since_ms < ?',
  )
  const otherEvent = db
    .prepare<[number, string], number>(
      `SELECT seq FROM events WHERE message_hash = ? AND message_id = ? AND kind = 'dlr' ORDER BY seq LIMIT 1`,
    )
    .pluck()
  const clearMessages = db.prepare<[number]>(
    'DELETE FROM messages WHERE seq IN (SELECT seq FROM messages LIMIT ?)',
  )
  const clearKept = db.prepare<[number]>(
    'DELETE FROM kept_messages WHERE message_id IN (SELECT message_id FROM kept_messages LIMIT ?)',
  )

  function underEvent(messageId: string, messageHash: number): FoundMessage | undefined {
    const row = byEvent.get(messageHash, messageId)
    return row && { row, eventSeq: row.seq }
  }

  function kept(messageId: string): FoundMessage | undefined {
    const row = byId.get(messageId)
    return row && { row, eventSeq: null }
  }

  return {
    underEvent,
    kept,
    hasKept: () => isAnyKept.get() === 1,
    find: (messageId) => underEvent(messageId, hash48(messageId)) ?? kept(messageId),
    put(messageId, row, found, eventSeq) {
      if (found && found.eventSeq !== null) {
        update.run(...valuesOf(row), found.eventSeq)
        return
      }
      if (found) dropKept.run(messageId)
      insert.run(eventSeq, messageId, ...valuesOf(row))
    },
    leave(events, beforeMs) {
      for (const { seq, messageId, messageHash } of events) {
        if (messageId === null) continue
        const other = otherEvent.get(messageHash, messageId)
        if (other !== undefined) {
          move.run(other, seq)
          continue
        }
        keep.run(seq)
        drop.run(seq)
        dropFinal.run(messageId, beforeMs)
      }
    },
    clear: (limit) => clearMessages.run(limit).changes + clearKept.run(limit).changes,
  }
}

import type { Database } from 'better-sqlite3'
import { hash48 } from '../../../lib/hash48.ts'
import { isFinal } from './message-status.ts'

/** What the reports of one message say together. Times in milliseconds since the epoch. */
export interface MessageRow {
  /** The furthest status. */
  status: string
  rank: number
  /** The service's time of that status; 0 if it gave none. */
  service_ms: number
  /** Arrival of its report. */
  since_ms: number
  /** Arrivals of the first report, first `submitted` and first `delivered`. Null when not counted or not received. */
  first_ms: number | null
  submitted_ms: number | null
  delivered_ms: number | null
  calling_code: string | null
}

/** A message as stored. */
export interface FoundMessage {
  row: MessageRow
  /** The event it is stored under; null when it is kept without one. */
  eventSeq: number | null
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

// Positional values take half the time of named ones.
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

/** The tables of messages. Use them within the transaction that changes the events. */
export function createMessageRows(db: Database) {
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
  const detach = db.prepare<[number]>(
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
    /** Searches only messages stored under an event. `messageHash` is that of the event rows. */
    underEvent,
    /** Searches only messages kept without an event, such as those whose last event was deleted. */
    kept,
    /** Whether any message is kept without an event. */
    hasKept: (): boolean => isAnyKept.get() === 1,
    find: (messageId: string): FoundMessage | undefined =>
      underEvent(messageId, hash48(messageId)) ?? kept(messageId),
    /** Replaces the row that was found, or stores a new one under the message's event. */
    put(messageId: string, row: MessageRow, found: FoundMessage | undefined, eventSeq: number): void {
      if (found && found.eventSeq !== null) {
        update.run(...valuesOf(row), found.eventSeq)
        return
      }
      if (found) dropKept.run(messageId)
      insert.run(eventSeq, messageId, ...valuesOf(row))
    },
    /**
     * Call after deleting events. Moves a message stored under one of them to another of its events. Without
     * another, the message stays, unless its status has been final since before `beforeMs`.
     */
    moveFrom(
      events: readonly { seq: number; messageId: string | null; messageHash: number }[],
      beforeMs: number,
    ): void {
      for (const { seq, messageId, messageHash } of events) {
        if (messageId === null) continue
        const other = otherEvent.get(messageHash, messageId)
        if (other !== undefined) {
          move.run(other, seq)
          continue
        }
        detach.run(seq)
        drop.run(seq)
        dropFinal.run(messageId, beforeMs)
      }
    },
    /** Deletes at most `limit` rows. @returns how many. */
    clear: (limit: number): number => clearMessages.run(limit).changes + clearKept.run(limit).changes,
  }
}

import type { EventDetail } from '../../../contract/events.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** Reads what the service last said about a message that was re-read because of a gap. */
export function createRecovered(db: Database): (messageId: string) => EventDetail['recovered'] {
  const find = db.prepare<[string], { status: string | null; readMs: number }>(
    `SELECT status, read_ms AS readMs FROM recovered WHERE message_id = ? AND outcome <> 'unreadable'
     ORDER BY read_ms DESC LIMIT 1`,
  )
  return (messageId) => {
    const row = find.get(messageId)
    return row ? { status: row.status, readAt: isoTime(row.readMs) } : null
  }
}

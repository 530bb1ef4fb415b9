import type { Message } from '../../../contract/domain.ts'
import type { MessageLookup } from '../../../contract/views/messages.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** Ids stored with their last record. The contract shows the newest ones. */
const keptMax = 500
const shownMax = 50

/** Recent look-ups, in `state.db`. */
export function createLookupsRepository(db: Database) {
  const select = db.prepare<[string], { bodyJson: string; asOfMs: number }>(
    'SELECT record_json AS bodyJson, as_of_ms AS asOfMs FROM message_lookups WHERE message_id = ? AND record_json IS NOT NULL',
  )
  const update = db.prepare<[string, number, string]>(
    'UPDATE message_lookups SET record_json = ?, as_of_ms = ? WHERE message_id = ?',
  )
  const upsert = db.prepare<[string, number]>(
    `INSERT INTO message_lookups (message_id, looked_ms) VALUES (?, ?)
     ON CONFLICT (message_id) DO UPDATE SET looked_ms = excluded.looked_ms`,
  )
  const prune = db.prepare<[number]>(
    `DELETE FROM message_lookups WHERE message_id IN
       (SELECT message_id FROM message_lookups ORDER BY looked_ms DESC LIMIT -1 OFFSET ?)`,
  )
  const newest = db.prepare<[number], { messageId: string; lookedMs: number; recordJson: string | null }>(
    `SELECT message_id AS messageId, looked_ms AS lookedMs, record_json AS recordJson
     FROM message_lookups ORDER BY looked_ms DESC, rowid DESC LIMIT ?`,
  )

  return {
    /** The last record of each stored id, for `liveOrLast`. */
    records: {
      get: (messageId: string) => select.get(messageId),
      // Updates only: an id deleted meanwhile stays deleted.
      put: (messageId: string, bodyJson: string, asOfMs: number) =>
        void update.run(bodyJson, asOfMs, messageId),
    },
    /** Stores a look-up and deletes the oldest beyond the limit. */
    remember: db.transaction((messageId: string, nowMs: number) => {
      upsert.run(messageId, nowMs)
      prune.run(keptMax)
    }),
    /** Newest first. */
    recent: (): MessageLookup[] =>
      newest.all(shownMax).map(({ messageId, lookedMs, recordJson }) => {
        const record = recordJson === null ? null : (JSON.parse(recordJson) as Message)
        return {
          messageId,
          lookedAt: isoTime(lookedMs),
          status: record?.status ?? null,
          to: record?.to ?? null,
        }
      }),
    forget: (messageId?: string): number =>
      messageId === undefined
        ? db.prepare('DELETE FROM message_lookups').run().changes
        : db.prepare('DELETE FROM message_lookups WHERE message_id = ?').run(messageId).changes,
  }
}

import type { Database } from '../../../database/open.ts'

/** Ids stored with their last record. */
const keptMax = 500

/** The last records of the ids looked up most recently, in `state.db`. */
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

  return {
    /** The last record of each stored id, for `liveOrLast`. */
    records: {
      get: (messageId: string) => select.get(messageId),
      // Updates only: an id that is no longer among them stays away.
      put: (messageId: string, bodyJson: string, asOfMs: number) =>
        void update.run(bodyJson, asOfMs, messageId),
    },
    /** Stores a look-up and deletes the oldest beyond the limit. */
    remember: db.transaction((messageId: string, nowMs: number) => {
      upsert.run(messageId, nowMs)
      prune.run(keptMax)
    }),
  }
}

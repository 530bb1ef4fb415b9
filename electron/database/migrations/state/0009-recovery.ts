import type { Migration } from '../../migrate.ts'

/**
 * Messages that were read again at the service, because a hole in the record may have swallowed their reports.
 *
 * - `recoveries`: the readings, each for the hole from `from_ms` to `to_ms`.
 * - `recovered`: what the service said of a message in each of them; `status` is its own word, null where it gave none.
 */
export const migration: Migration = {
  id: 9,
  name: 'recovery',
  up(db) {
    db.exec(`
      CREATE TABLE recoveries (
        id TEXT PRIMARY KEY NOT NULL,
        from_ms INTEGER NOT NULL,
        to_ms INTEGER NOT NULL,
        task_id TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        ended_ms INTEGER
      ) STRICT;

      CREATE INDEX recoveries_by_hole ON recoveries (from_ms, started_ms);

      CREATE TABLE recovered (
        message_id TEXT NOT NULL,
        recovery_id TEXT NOT NULL,
        outcome TEXT NOT NULL CHECK (outcome IN ('final', 'open', 'not-found', 'unreadable')),
        status TEXT,
        read_ms INTEGER NOT NULL,
        PRIMARY KEY (message_id, recovery_id)
      ) STRICT;

      CREATE INDEX recovered_by_run ON recovered (recovery_id);
    `)
  },
}

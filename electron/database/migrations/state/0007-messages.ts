import type { Migration } from '../../migrate.ts'

/**
 * What this console did with messages.
 *
 * - `message_lookups`: ids that were looked up, with the service's last record of each. Bounded by the newest lookups.
 * - `message_releases`: every release that was asked for. Written down before its request leaves, so that after a crash it is
 *   known that its outcome is not.
 */
export const migration: Migration = {
  id: 7,
  name: 'messages',
  up(db) {
    db.exec(`
      CREATE TABLE message_lookups (
        message_id TEXT PRIMARY KEY NOT NULL,
        looked_ms INTEGER NOT NULL,
        record_json TEXT,
        as_of_ms INTEGER
      ) STRICT;

      CREATE INDEX message_lookups_newest ON message_lookups (looked_ms);

      CREATE TABLE message_releases (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT,
        message_id TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'in-flight', 'released', 'not-held', 'refused', 'unknown', 'failed')),
        status_before TEXT,
        status_after TEXT,
        service_text TEXT,
        problem_code TEXT,
        problem_json TEXT,
        created_ms INTEGER NOT NULL,
        left_ms INTEGER,
        settled_ms INTEGER
      ) STRICT;

      CREATE INDEX message_releases_message ON message_releases (message_id, seq);
      CREATE INDEX message_releases_run ON message_releases (run_id, seq) WHERE run_id IS NOT NULL;
    `)
  },
}

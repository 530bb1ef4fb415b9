import type { Migration } from '../../migrate.ts'

/**
 * What only this console knows about whom not to contact, and what operators noted on error codes.
 *
 * - `holds`: numbers held back here, with what began it. An event begins at most one, however often it is read again.
 *   `digits` is null for a sender that is no number of the telephone network.
 * - `holds_progress`: up to which event stop words were looked for.
 * - `dnc_checks`: checks of whole files.
 */
export const migration: Migration = {
  id: 4,
  name: 'holds',
  up(db) {
    db.exec(`
      CREATE TABLE holds (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        phone TEXT NOT NULL,
        digits INTEGER,
        evidence TEXT NOT NULL,
        source TEXT NOT NULL CHECK (source IN ('stop-word', 'by-hand')),
        event_seq INTEGER,
        since_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        end_reason TEXT,
        handed_off_ms INTEGER
      ) STRICT;

      CREATE UNIQUE INDEX holds_by_event ON holds (event_seq) WHERE event_seq IS NOT NULL;
      CREATE INDEX holds_active ON holds (digits) WHERE ended_ms IS NULL;

      CREATE TABLE holds_progress (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        seq INTEGER NOT NULL
      ) STRICT;
      INSERT INTO holds_progress (id, seq) VALUES (1, 0);

      CREATE TABLE dnc_checks (
        id TEXT PRIMARY KEY NOT NULL,
        name TEXT NOT NULL,
        task_id TEXT,
        order_json TEXT NOT NULL,
        counts_json TEXT NOT NULL,
        cache_as_of_ms INTEGER,
        files_json TEXT,
        created_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE error_code_notes (
        code TEXT PRIMARY KEY NOT NULL,
        note TEXT NOT NULL,
        updated_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE imports (
        id TEXT PRIMARY KEY NOT NULL,
        file_id TEXT NOT NULL,
        file_name TEXT NOT NULL,
        size_bytes INTEGER NOT NULL,
        state TEXT NOT NULL,
        choices_json TEXT,
        counts_json TEXT NOT NULL,
        task_id TEXT,
        problem_json TEXT,
        undo_note TEXT,
        created_ms INTEGER NOT NULL,
        ended_ms INTEGER
      ) STRICT;

      CREATE INDEX imports_by_time ON imports (created_ms);
    `)
  },
}

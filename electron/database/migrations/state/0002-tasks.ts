import type { Migration } from '../../migrate.ts'

/** Long work and how far it came, so that the operator finds it again after a restart. `payload_json` is what its runner needs to go on. */
export const migration: Migration = {
  id: 2,
  name: 'tasks',
  up(db) {
    db.exec(`
      CREATE TABLE tasks (
        id TEXT PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        state TEXT NOT NULL,
        done REAL NOT NULL DEFAULT 0,
        total REAL,
        unit TEXT NOT NULL,
        counts_json TEXT NOT NULL DEFAULT '{}',
        ref_id TEXT,
        payload_json TEXT NOT NULL,
        problem_code TEXT,
        problem_json TEXT,
        created_ms INTEGER NOT NULL,
        started_ms INTEGER,
        ended_ms INTEGER,
        dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1))
      ) STRICT;

      CREATE INDEX tasks_shown ON tasks (created_ms) WHERE dismissed = 0;
    `)
  },
}

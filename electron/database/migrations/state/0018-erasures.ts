import type { Migration } from '../../migrate.ts'

/**
 * Erasures of a person's data.
 *
 * - `erasures`: `needle_json` is what is looked for; it is emptied at the end, so that the receipt names nobody.
 * - `hashed_holds`: numbers on hold of which only a keyed hash is kept. `hold_key` is that key, made with the first of them.
 */
export const migration: Migration = {
  id: 18,
  name: 'erasures',
  up(db) {
    db.exec(`
      CREATE TABLE erasures (
        id TEXT PRIMARY KEY NOT NULL,
        ending TEXT NOT NULL,
        task_id TEXT NOT NULL DEFAULT '',
        needle_json TEXT,
        keep_hold INTEGER NOT NULL CHECK (keep_hold IN (0, 1)),
        removed_json TEXT NOT NULL DEFAULT '{}',
        kept_json TEXT NOT NULL DEFAULT '{}',
        started_ms INTEGER NOT NULL,
        ended_ms INTEGER
      ) STRICT;

      CREATE TABLE hashed_holds (
        hash BLOB PRIMARY KEY NOT NULL,
        since_ms INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE hold_key (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        key BLOB NOT NULL
      ) STRICT;
    `)
  },
}

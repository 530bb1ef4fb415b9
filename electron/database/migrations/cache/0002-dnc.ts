import type { Migration } from '../../migrate.ts'

/**
 * A copy of the service's DNC list.
 *
 * - `dnc_entries`: `key` is the entry's id, or its number where it has none. `digits` is the number without its plus, null where
 *   it cannot be read. `seen_sweep` is the sweep that saw it last; an entry is `gone_ms` only after a whole consistent one.
 * - `dnc_syncs`: a sync reads the list in one sweep or several; `first_total` is what the service said at its sweep's first page.
 */
export const migration: Migration = {
  id: 2,
  name: 'dnc',
  up(db) {
    db.exec(`
      CREATE TABLE dnc_entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        key TEXT NOT NULL UNIQUE,
        phone_number TEXT NOT NULL,
        digits INTEGER,
        reason TEXT,
        created_at TEXT,
        first_seen_ms INTEGER NOT NULL,
        added_sync INTEGER NOT NULL,
        seen_sync INTEGER NOT NULL,
        seen_sweep INTEGER NOT NULL,
        gone_ms INTEGER,
        gone_sync INTEGER
      ) STRICT;

      CREATE INDEX dnc_by_digits ON dnc_entries (digits) WHERE digits IS NOT NULL AND gone_ms IS NULL;
      CREATE INDEX dnc_by_added ON dnc_entries (added_sync, id);
      CREATE INDEX dnc_by_gone ON dnc_entries (gone_sync, id) WHERE gone_sync IS NOT NULL;
      CREATE INDEX dnc_unreadable ON dnc_entries (id) WHERE digits IS NULL AND gone_ms IS NULL;
      CREATE INDEX dnc_by_sweep ON dnc_entries (seen_sweep);

      CREATE TABLE dnc_syncs (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        task_id TEXT,
        started_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        sweep INTEGER NOT NULL,
        next_page INTEGER NOT NULL,
        first_total INTEGER,
        moved INTEGER NOT NULL DEFAULT 0,
        added INTEGER NOT NULL DEFAULT 0,
        removed INTEGER NOT NULL DEFAULT 0
      ) STRICT;
    `)
  },
}

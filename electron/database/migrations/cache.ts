import type { Migration } from '../migrate.ts'

/** Copies of what the service answered. All of it can be fetched again. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        -- The last good answer per question.
        CREATE TABLE answers (
          key TEXT PRIMARY KEY NOT NULL,
          body_json TEXT NOT NULL,
          as_of_ms INTEGER NOT NULL
        ) STRICT;

        -- Copy of the DNC list. key is the entry id, or its number where it has none. digits is its likeliest number,
        -- null when unreadable. An entry is gone_ms only after a complete, consistent sweep without it.
        CREATE TABLE dnc_entries (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          key TEXT NOT NULL UNIQUE,
          phone_number TEXT NOT NULL,
          digits INTEGER,
          reason TEXT,
          first_seen_ms INTEGER NOT NULL,
          added_sync INTEGER NOT NULL,
          seen_sync INTEGER NOT NULL,
          seen_sweep INTEGER NOT NULL,
          gone_ms INTEGER,
          gone_sync INTEGER,
          created_ms INTEGER
        ) STRICT;
        CREATE INDEX dnc_by_added ON dnc_entries (added_sync, id);
        CREATE INDEX dnc_by_gone ON dnc_entries (gone_sync, id) WHERE gone_sync IS NOT NULL;
        CREATE INDEX dnc_unreadable ON dnc_entries (id) WHERE digits IS NULL AND gone_ms IS NULL;
        CREATE INDEX dnc_by_sweep ON dnc_entries (seen_sweep);
        CREATE INDEX dnc_by_digits ON dnc_entries (digits, gone_ms)
          WHERE digits IS NOT NULL AND gone_ms IS NULL;

        -- What else an entry may mean: another number, the ending of a number, or the range of a rounded one.
        CREATE TABLE dnc_readings (
          kind TEXT NOT NULL CHECK (kind IN ('number', 'ending', 'range')),
          low INTEGER NOT NULL,
          high INTEGER NOT NULL,
          entry_id INTEGER NOT NULL,
          PRIMARY KEY (kind, low, high, entry_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX dnc_readings_by_entry ON dnc_readings (entry_id);

        -- A sync reads the list in one or more sweeps. first_total is the total on the first page of a sweep. kept: entries it didn't see,
        -- too many at once to be believed, which still count as listed.
        CREATE TABLE dnc_syncs (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          task_id TEXT,
          -- Tells sign-ins with different API keys apart.
          identity TEXT,
          started_ms INTEGER NOT NULL,
          ended_ms INTEGER,
          sweep INTEGER NOT NULL,
          next_page INTEGER NOT NULL,
          first_total INTEGER,
          moved INTEGER NOT NULL DEFAULT 0,
          added INTEGER NOT NULL DEFAULT 0,
          removed INTEGER NOT NULL DEFAULT 0,
          kept INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- Every error code record the service has shown.
        CREATE TABLE error_codes (
          id TEXT PRIMARY KEY NOT NULL,
          code TEXT NOT NULL,
          description TEXT,
          category TEXT,
          resolution TEXT,
          as_of_ms INTEGER NOT NULL,
          created_ms INTEGER
        ) STRICT;
        CREATE INDEX error_codes_by_code ON error_codes (code);

        -- What the last detection of each field name found.
        CREATE TABLE probe_findings (
          name TEXT PRIMARY KEY NOT NULL,
          finding_json TEXT NOT NULL
        ) STRICT;
      `)
    },
  },
]

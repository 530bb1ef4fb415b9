import type { Migration } from '../../migrate.ts'

/** Every error code record the service ever showed, and what the last probe of each open name found. */
export const migration: Migration = {
  id: 3,
  name: 'error-codes',
  up(db) {
    db.exec(`
      CREATE TABLE error_codes (
        id TEXT PRIMARY KEY NOT NULL,
        code TEXT NOT NULL,
        description TEXT,
        category TEXT,
        resolution TEXT,
        created_at TEXT,
        as_of_ms INTEGER NOT NULL
      ) STRICT;

      CREATE INDEX error_codes_by_code ON error_codes (code);

      CREATE TABLE probe_findings (
        name TEXT PRIMARY KEY NOT NULL,
        finding_json TEXT NOT NULL
      ) STRICT;
    `)
  },
}

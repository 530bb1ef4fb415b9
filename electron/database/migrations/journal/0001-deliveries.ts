import type { Migration } from '../../migrate.ts'

/**
 * The journal: every accepted delivery as its raw bytes, appended in order of `seq`, and the spans of time in which the
 * listener could take deliveries. No other index: one on a random column dirties a page per delivery (measured 10× slower).
 */
export const migration: Migration = {
  id: 1,
  name: 'deliveries',
  up(db) {
    db.exec(`
      CREATE TABLE deliveries (
        seq INTEGER PRIMARY KEY NOT NULL,
        received_ms INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        secret_id TEXT,
        remote TEXT NOT NULL,
        headers_json TEXT NOT NULL,
        body BLOB NOT NULL
      ) STRICT;

      CREATE TABLE spans (
        id INTEGER PRIMARY KEY NOT NULL,
        started_ms INTEGER NOT NULL,
        alive_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        end_reason TEXT,
        port INTEGER NOT NULL,
        first_delivery_ms INTEGER
      ) STRICT;
    `)
  },
}

import type { Migration } from '../../migrate.ts'

/** The last good answer of the service per question, with the moment it was true. */
export const migration: Migration = {
  id: 1,
  name: 'answers',
  up(db) {
    db.exec(`
      CREATE TABLE answers (
        key TEXT PRIMARY KEY NOT NULL,
        body_json TEXT NOT NULL,
        as_of_ms INTEGER NOT NULL
      ) STRICT;
    `)
  },
}

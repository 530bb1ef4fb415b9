import type { Migration } from '../../migrate.ts'

/** Alerts that go to the alert webhook, and what became of each. */
export const migration: Migration = {
  id: 2,
  name: 'alert-posts',
  up(db) {
    db.exec(`
      CREATE TABLE alert_posts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        message_id TEXT NOT NULL UNIQUE,
        alert_json TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        next_ms INTEGER,
        result TEXT
      ) STRICT;

      CREATE INDEX alert_posts_waiting ON alert_posts (next_ms) WHERE next_ms IS NOT NULL;
    `)
  },
}

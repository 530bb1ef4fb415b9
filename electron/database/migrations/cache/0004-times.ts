import type { Migration } from '../../migrate.ts'

/** Times of the service's records become integers of milliseconds, as all times here. */
export const migration: Migration = {
  id: 4,
  name: 'times',
  up(db) {
    for (const table of ['dnc_entries', 'error_codes'])
      db.exec(`
        ALTER TABLE ${table} ADD COLUMN created_ms INTEGER;
        UPDATE ${table} SET created_ms = CAST(round(unixepoch(created_at, 'subsec') * 1000) AS INTEGER)
        WHERE created_at IS NOT NULL;
        ALTER TABLE ${table} DROP COLUMN created_at;
      `)
  },
}

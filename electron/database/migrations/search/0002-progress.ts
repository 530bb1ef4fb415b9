import type { Migration } from '../../migrate.ts'

/**
 * The index follows the book by its list of changes and by the ids of new contacts: it is complete up to the change `touched` and the
 * contact `last_id`. It is made again once.
 */
export const migration: Migration = {
  id: 2,
  name: 'progress',
  up(db) {
    db.exec(`
      ALTER TABLE progress ADD COLUMN last_id INTEGER NOT NULL DEFAULT 0;
      UPDATE progress SET touched = 0;
    `)
  },
}

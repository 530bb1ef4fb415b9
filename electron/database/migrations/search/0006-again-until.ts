import type { Migration } from '../../migrate.ts'

/** While the index is made again: up to which contact. Later ones are in new segments from the beginning. */
export const migration: Migration = {
  id: 6,
  name: 'again-until',
  up(db) {
    db.exec(`
      ALTER TABLE progress ADD COLUMN again_until INTEGER NOT NULL DEFAULT 0;
      UPDATE progress SET again_until = last_id;
    `)
  },
}

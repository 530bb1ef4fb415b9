import type { Migration } from '../../migrate.ts'

/** `generation` of the book that the index was made of. It is made again once. */
export const migration: Migration = {
  id: 7,
  name: 'generation',
  up(db) {
    db.exec("ALTER TABLE progress ADD COLUMN generation TEXT NOT NULL DEFAULT ''")
  },
}

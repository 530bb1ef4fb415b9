import type { Migration } from '../../migrate.ts'

/** How many deliveries were deleted because of their age: their numbers are missing, but nothing of them is lost. */
export const migration: Migration = {
  id: 2,
  name: 'pruned',
  up(db) {
    db.exec(`
      CREATE TABLE pruned (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        count INTEGER NOT NULL
      ) STRICT;
    `)
  },
}

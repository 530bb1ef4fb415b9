import type { Migration } from '../../migrate.ts'

/** `generation` says which book this is: one that takes the place of a damaged file is another one, though it has the same contacts. */
export const migration: Migration = {
  id: 5,
  name: 'generation',
  up(db) {
    db.exec(`
      ALTER TABLE book ADD COLUMN generation TEXT NOT NULL DEFAULT '';
      UPDATE book SET generation = lower(hex(randomblob(8)));
    `)
  },
}

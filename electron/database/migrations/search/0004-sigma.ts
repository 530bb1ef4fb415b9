import type { Migration } from '../../migrate.ts'

/** A sigma at the end of a word is folded like any other: the index is made again once. */
export const migration: Migration = {
  id: 4,
  name: 'sigma',
  up(db) {
    db.exec('UPDATE progress SET touched = 0, last_id = 0')
  },
}

import type { Migration } from '../../migrate.ts'

/** Letters that do not come apart are folded like those that are typed for them (ß like ss): the index is made again once. */
export const migration: Migration = {
  id: 8,
  name: 'letters',
  up(db) {
    db.exec("UPDATE progress SET generation = ''")
  },
}

import type { Migration } from '../../migrate.ts'

/** What the undo of an import did, and up to which of its contacts: a run that goes on with it counts on from there. */
export const migration: Migration = {
  id: 6,
  name: 'undo-counts',
  up(db) {
    db.exec(`
      ALTER TABLE imports ADD COLUMN undone_up_to INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE imports ADD COLUMN undo_removed INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE imports ADD COLUMN undo_restored INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE imports ADD COLUMN undo_left INTEGER NOT NULL DEFAULT 0;
    `)
  },
}

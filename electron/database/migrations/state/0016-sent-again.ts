import type { Migration } from '../../migrate.ts'

/**
 * Of an item that sends another one again: the id of that one. Until now it could be told by its body alone, which other items may have;
 * null for all that were queued before.
 */
export const migration: Migration = {
  id: 16,
  name: 'sent-again',
  up(db) {
    db.exec('ALTER TABLE outbox ADD COLUMN again_of INTEGER')
  },
}

import type { Migration } from '../../migrate.ts'

/**
 * Of a deletion of contacts: how many were chosen, how many of them are marked so far, and of how many the service is to be asked. Null
 * and zero for other batches, and for deletions from before.
 */
export const migration: Migration = {
  id: 13,
  name: 'deletions',
  up(db) {
    db.exec(`
      ALTER TABLE outbox_batches ADD COLUMN chosen INTEGER;
      ALTER TABLE outbox_batches ADD COLUMN marked INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE outbox_batches ADD COLUMN requested INTEGER NOT NULL DEFAULT 0;
    `)
  },
}

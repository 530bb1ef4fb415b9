import type { Migration } from '../../migrate.ts'

/**
 * `old_of`: of a deletion, the contact whose record of before it ends while a new one takes its place. Its `contact_id` is empty, since
 * the contact stays.
 */
export const migration: Migration = {
  id: 11,
  name: 'old-records',
  up(db) {
    db.exec(`
      ALTER TABLE outbox ADD COLUMN old_of INTEGER;
      UPDATE outbox SET old_of = (
        SELECT c.contact_id FROM outbox c
        WHERE c.operation = 'create-contact' AND c.batch_id = outbox.batch_id AND (c.id = outbox.after_id OR c.after_id = outbox.id))
      WHERE operation = 'delete-contact' AND contact_id IS NULL;
      CREATE INDEX outbox_old_of ON outbox (old_of) WHERE old_of IS NOT NULL;
    `)
  },
}

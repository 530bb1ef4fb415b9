import type { Migration } from '../../migrate.ts'

/** Messages to one number are looked for wherever it is written to or read of. */
export const migration: Migration = {
  id: 12,
  name: 'sent-by-number',
  up(db) {
    db.exec(`CREATE INDEX outbox_sent_to ON outbox (phone, id) WHERE operation = 'send-ott'`)
  },
}

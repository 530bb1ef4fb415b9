import type { Migration } from '../../migrate.ts'

/**
 * What the service answered to a done item, with the ids and times that its support asks for: `outbox.answer_json`, in the words of the
 * contract's `outboxAnswerSchema`. Of a template made here: when the service says it was created and changed.
 */
export const migration: Migration = {
  id: 17,
  name: 'answers',
  up(db) {
    db.exec(`
      ALTER TABLE outbox ADD COLUMN answer_json TEXT;
      ALTER TABLE templates ADD COLUMN service_created TEXT;
      ALTER TABLE templates ADD COLUMN service_updated TEXT;
    `)
  },
}

import type { Migration } from '../../migrate.ts'

/** The index of the list's numbers holds all that is asked for when the whole list is read, which then takes a third of the time. */
export const migration: Migration = {
  id: 5,
  name: 'covering-digits',
  up(db) {
    db.exec(`
      DROP INDEX dnc_by_digits;
      CREATE INDEX dnc_by_digits ON dnc_entries (digits, gone_ms) WHERE digits IS NOT NULL AND gone_ms IS NULL;
    `)
  },
}

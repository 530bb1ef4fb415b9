import type { Migration } from '../../migrate.ts'

/** The id is the last column of every index by itself; named in an index, it stands in it twice. */
export const migration: Migration = {
  id: 4,
  name: 'lean-indexes',
  up(db) {
    db.exec(`
      DROP INDEX contacts_by_name;
      DROP INDEX contacts_by_updated;
      DROP INDEX contacts_by_state;
      DROP INDEX contacts_by_marks;
      DROP INDEX contacts_by_tag_set;
      CREATE INDEX contacts_by_name ON contacts (name COLLATE NOCASE);
      CREATE INDEX contacts_by_updated ON contacts (updated_ms);
      CREATE INDEX contacts_by_state ON contacts (state) WHERE state <> 0;
      CREATE INDEX contacts_by_marks ON contacts (marks) WHERE marks <> 0;
      CREATE INDEX contacts_by_tag_set ON contacts (tag_set);
    `)
  },
}

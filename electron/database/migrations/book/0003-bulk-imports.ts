import type { Migration } from '../../migrate.ts'

/**
 * Imports of a million rows.
 *
 * - `imports` get a number, and the ids of their contacts lie between `first_id` and `last_id`: no index of contacts by import is needed,
 *   and a contact holds a small number instead of a long id.
 * - `changes` lists contacts whose searched text changed or that are gone, in order; contacts above the index's highest id are new and
 *   are not listed. It takes the place of an index of all contacts by `touched`.
 */
export const migration: Migration = {
  id: 3,
  name: 'bulk-imports',
  up(db) {
    db.exec(`
      CREATE TABLE numbered_imports (
        no INTEGER PRIMARY KEY NOT NULL,
        id TEXT NOT NULL UNIQUE,
        cursor TEXT NOT NULL,
        first_id INTEGER NOT NULL,
        last_id INTEGER NOT NULL,
        created INTEGER NOT NULL DEFAULT 0,
        updated INTEGER NOT NULL DEFAULT 0,
        unchanged INTEGER NOT NULL DEFAULT 0,
        taken INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      INSERT INTO numbered_imports (id, cursor, first_id, last_id, created, updated, unchanged, taken)
      SELECT i.id, i.cursor, coalesce(min(c.id), 0), coalesce(max(c.id), 0), i.created, i.updated, i.unchanged, i.taken
      FROM imports i LEFT JOIN contacts c ON c.import_id = i.id GROUP BY i.id;
      DROP TABLE imports;
      ALTER TABLE numbered_imports RENAME TO imports;

      ALTER TABLE contacts ADD COLUMN import_no INTEGER;
      UPDATE contacts SET import_no = (SELECT no FROM imports WHERE id = import_id) WHERE import_id IS NOT NULL;
      DROP INDEX contacts_by_import;
      DROP INDEX contacts_by_touched;
      ALTER TABLE contacts DROP COLUMN import_id;

      CREATE TABLE changes (
        touched INTEGER PRIMARY KEY NOT NULL,
        contact_id INTEGER NOT NULL
      ) STRICT;
    `)
  },
}

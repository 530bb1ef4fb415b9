import type { Migration } from '../../migrate.ts'

/**
 * Imports: how far each came, committed with its rows, and what its rows were before, for taking it back. `before_json` is null for
 * a contact that the import made; `after_touched` tells whether it was changed since.
 */
export const migration: Migration = {
  id: 2,
  name: 'imports',
  up(db) {
    db.exec(`
      CREATE TABLE imports (
        id TEXT PRIMARY KEY NOT NULL,
        cursor TEXT NOT NULL,
        created INTEGER NOT NULL DEFAULT 0,
        updated INTEGER NOT NULL DEFAULT 0,
        unchanged INTEGER NOT NULL DEFAULT 0,
        taken INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      CREATE TABLE import_changes (
        import_id TEXT NOT NULL,
        contact_id INTEGER NOT NULL,
        before_json TEXT NOT NULL,
        after_touched INTEGER NOT NULL,
        PRIMARY KEY (import_id, contact_id)
      ) STRICT, WITHOUT ROWID;
    `)
  },
}

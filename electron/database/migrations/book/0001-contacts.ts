import type { Migration } from '../../migrate.ts'

/**
 * The contact book.
 *
 * - `contacts`: `digits` is the E.164 number without its plus: at most 15 digits, so it fits an integer and a double, and an
 *   index of it is a third of one of texts. `state` counts in the order of the contract's states. `marks`: 1 on the DNC list,
 *   2 held. `touched` rises with each change: what the search index has not seen yet is above its own mark.
 * - `tag_sets`: each distinct set of tags once, as JSON with its keys as they came. A book of a million has few thousand.
 * - `trash`: what was deleted, until its time to be taken back is over; `contact_json` is the whole row.
 * - `book`: the highest `touched`, and the version that pages watch.
 */
export const migration: Migration = {
  id: 1,
  name: 'contacts',
  up(db) {
    db.exec(`
      CREATE TABLE tag_sets (
        id INTEGER PRIMARY KEY NOT NULL,
        json TEXT NOT NULL UNIQUE
      ) STRICT;

      CREATE TABLE contacts (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        digits INTEGER NOT NULL,
        name TEXT NOT NULL,
        email TEXT NOT NULL,
        tag_set INTEGER NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        marks INTEGER NOT NULL DEFAULT 0,
        service_id TEXT,
        note TEXT NOT NULL DEFAULT '',
        last_problem TEXT,
        import_id TEXT,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        touched INTEGER NOT NULL
      ) STRICT;

      CREATE UNIQUE INDEX contacts_by_digits ON contacts (digits);
      CREATE INDEX contacts_by_name ON contacts (name COLLATE NOCASE, id);
      CREATE INDEX contacts_by_updated ON contacts (updated_ms, id);
      CREATE INDEX contacts_by_state ON contacts (state, id) WHERE state <> 0;
      CREATE INDEX contacts_by_marks ON contacts (marks, id) WHERE marks <> 0;
      CREATE INDEX contacts_by_import ON contacts (import_id, id) WHERE import_id IS NOT NULL;
      CREATE INDEX contacts_by_tag_set ON contacts (tag_set, id);

      CREATE INDEX contacts_by_touched ON contacts (touched);

      CREATE TABLE trash (
        contact_id INTEGER PRIMARY KEY NOT NULL,
        batch_id TEXT NOT NULL,
        contact_json TEXT NOT NULL
      ) STRICT;

      CREATE INDEX trash_by_batch ON trash (batch_id);

      CREATE TABLE book (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        touched INTEGER NOT NULL,
        version INTEGER NOT NULL
      ) STRICT;

      INSERT INTO tag_sets (id, json) VALUES (1, '{}');
      INSERT INTO book (id, touched, version) VALUES (1, 0, 0);
    `)
  },
}

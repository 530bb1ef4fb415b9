import type { Migration } from '../../migrate.ts'

/**
 * The index by which contacts are searched: trigrams of the folded text of each, by the contact's id. Without positions
 * (`detail=none`) and without the text itself it is smaller than the book; what it finds is looked at again in the book. `terms` lists
 * its trigrams with their counts. `progress` says up to which `touched` of the book it is complete. All of it can be made again.
 */
export const migration: Migration = {
  id: 1,
  name: 'contacts',
  up(db) {
    db.exec(`
      CREATE VIRTUAL TABLE contacts USING fts5(
        text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1'
      );
      INSERT INTO contacts (contacts, rank) VALUES ('hashsize', 16777216);
      CREATE VIRTUAL TABLE terms USING fts5vocab(contacts, row);
      CREATE TABLE progress (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        touched INTEGER NOT NULL
      ) STRICT;
      INSERT INTO progress (id, touched) VALUES (1, 0);
    `)
  },
}

import type { Migration } from '../migrate.ts'

/** The trigram index of the contacts. All of it can be rebuilt from the contact store. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        -- Texts of the contacts by trigram, without the texts. Without positions the index has 70 instead of 166 MiB
        -- per million contacts. usermerge 2: a search reads few segments.
        CREATE VIRTUAL TABLE texts USING fts5(
          text, content = '', contentless_delete = 1, detail = none, tokenize = "trigram case_sensitive 1"
        );
        INSERT INTO texts (texts, rank) VALUES ('usermerge', 2);
        CREATE VIRTUAL TABLE trigrams USING fts5vocab(texts, row);

        -- How far the index follows the contact store. has_deleted is 1 while it may hold trigrams of deleted contacts.
        CREATE TABLE progress (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          touched INTEGER NOT NULL,
          last_id INTEGER NOT NULL,
          generation TEXT NOT NULL,
          has_deleted INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO progress (id, touched, last_id, generation) VALUES (1, 0, 0, '');
      `)
    },
  },
]

import type { Migration } from '../migrate.ts'

/** The contact store, `contacts.db`. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        -- Each distinct set of tags once, as JSON. A store of a million has a few thousand. Readers remember ids, so none is used again.
        CREATE TABLE tag_sets (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          json TEXT NOT NULL UNIQUE
        ) STRICT;
        INSERT INTO tag_sets (id, json) VALUES (1, '{}');

        -- Contacts. digits is the E.164 number without plus: an integer index is a third of the size of a text
        -- index. state follows the order of the contract. marks: 1 on the DNC list, 2 held. touched rises with
        -- each change. The service knows only name; first and last name are for the texts of messages. Names sort by name_folded (lib/fold).
        CREATE TABLE contacts (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          digits INTEGER NOT NULL,
          name TEXT NOT NULL,
          name_folded TEXT NOT NULL,
          email TEXT NOT NULL,
          first_name TEXT NOT NULL DEFAULT '',
          last_name TEXT NOT NULL DEFAULT '',
          tag_set INTEGER NOT NULL,
          state INTEGER NOT NULL DEFAULT 0,
          marks INTEGER NOT NULL DEFAULT 0,
          service_id TEXT,
          note TEXT NOT NULL DEFAULT '',
          last_problem TEXT,
          created_ms INTEGER NOT NULL,
          updated_ms INTEGER NOT NULL,
          touched INTEGER NOT NULL,
          import_no INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX contacts_by_digits ON contacts (digits);
        CREATE INDEX contacts_by_name ON contacts (name_folded);
        CREATE INDEX contacts_by_updated ON contacts (updated_ms);
        CREATE INDEX contacts_by_state ON contacts (state) WHERE state <> 0;
        CREATE INDEX contacts_by_marks ON contacts (marks) WHERE marks <> 0;
        CREATE INDEX contacts_by_service_id ON contacts (service_id) WHERE service_id IS NOT NULL;
        CREATE INDEX contacts_by_tag_set ON contacts (tag_set);

        -- Other numbers of a contact: its text has two readings, or its row several numbers.
        CREATE TABLE other_readings (
          digits INTEGER NOT NULL,
          other INTEGER NOT NULL,
          PRIMARY KEY (digits, other)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX other_readings_by_other ON other_readings (other);

        -- Deleted contacts until they can no longer be restored; contact_json is the whole row.
        CREATE TABLE trash (
          contact_id INTEGER PRIMARY KEY NOT NULL,
          batch_id TEXT NOT NULL,
          contact_json TEXT NOT NULL
        ) STRICT;
        CREATE INDEX trash_by_batch ON trash (batch_id);

        -- The highest touched, the version that pages watch, and the identity of this store: a replacement after
        -- damage gets a new one.
        CREATE TABLE store (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          touched INTEGER NOT NULL,
          version INTEGER NOT NULL,
          generation TEXT NOT NULL DEFAULT ''
        ) STRICT;
        INSERT INTO store (id, touched, version, generation) VALUES (1, 0, 0, lower(hex(randomblob(8))));

        -- For undo: each updated contact as it was. after_touched shows whether it was changed since.
        CREATE TABLE import_changes (
          import_id TEXT NOT NULL,
          contact_id INTEGER NOT NULL,
          before_json TEXT NOT NULL,
          after_touched INTEGER NOT NULL,
          PRIMARY KEY (import_id, contact_id)
        ) STRICT, WITHOUT ROWID;

        -- Progress of each import, committed with its rows, and of its undo. The ids of its contacts lie between
        -- first_id and last_id, so contacts need no index by import.
        CREATE TABLE imports (
          no INTEGER PRIMARY KEY NOT NULL,
          id TEXT NOT NULL UNIQUE,
          cursor TEXT NOT NULL,
          first_id INTEGER NOT NULL,
          last_id INTEGER NOT NULL,
          created INTEGER NOT NULL DEFAULT 0,
          updated INTEGER NOT NULL DEFAULT 0,
          unchanged INTEGER NOT NULL DEFAULT 0,
          taken INTEGER NOT NULL DEFAULT 0,
          undone_up_to INTEGER NOT NULL DEFAULT 0,
          undo_removed INTEGER NOT NULL DEFAULT 0,
          undo_restored INTEGER NOT NULL DEFAULT 0,
          undo_left INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- Contacts changed or deleted, in order, for the search index. New contacts are above the highest id it
        -- knows and are not listed.
        CREATE TABLE changes (
          touched INTEGER PRIMARY KEY NOT NULL,
          contact_id INTEGER NOT NULL
        ) STRICT;

        -- Tag changes of many contacts that can still be undone.
        CREATE TABLE tag_batches (
          id TEXT PRIMARY KEY NOT NULL,
          count INTEGER NOT NULL,
          until_ms INTEGER NOT NULL
        ) STRICT;

        -- The tags before and after, and the former marks.
        CREATE TABLE tag_undo (
          batch_id TEXT NOT NULL,
          contact_id INTEGER NOT NULL,
          before_set INTEGER NOT NULL,
          after_set INTEGER NOT NULL,
          marks INTEGER NOT NULL,
          PRIMARY KEY (batch_id, contact_id)
        ) STRICT;
      `)
    },
  },
]

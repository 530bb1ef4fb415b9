import type { Migration } from '../../migrate.ts'

/**
 * Inbound messages as conversations. All but `inbox_reads` is made of `events` and can be made anew; it is WITHOUT ROWID, so that a
 * salvage leaves all of it behind together.
 *
 * - `inbox_messages`: which events are a sender's. `sender` holds its digits, or what it calls itself after an equals sign.
 * - `inbox_senders`: sums of each conversation; `last_seq` is that of its newest message.
 * - `inbox_reads`: up to which event an operator has read a sender, and, under the empty name, everybody.
 * - `inbox_progress`: up to which event messages were taken. Without its row the tables are emptied and filled again.
 */
export const migration: Migration = {
  id: 5,
  name: 'inbox',
  up(db) {
    db.exec(`
      CREATE TABLE inbox_messages (
        sender TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (sender, seq)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE inbox_senders (
        sender TEXT PRIMARY KEY NOT NULL,
        messages INTEGER NOT NULL,
        unread INTEGER NOT NULL,
        stop_words INTEGER NOT NULL,
        last_seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE INDEX inbox_by_time ON inbox_senders (last_seq);
      CREATE INDEX inbox_unread ON inbox_senders (last_seq, unread) WHERE unread > 0;
      CREATE INDEX inbox_stop_words ON inbox_senders (last_seq) WHERE stop_words > 0;

      CREATE TABLE inbox_reads (
        sender TEXT PRIMARY KEY NOT NULL,
        up_to_seq INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE inbox_progress (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `)
  },
}

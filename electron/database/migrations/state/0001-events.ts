import type { Migration } from '../../migrate.ts'

/**
 * What the projector makes of the journal. All of it can be thrown away and built again from the journal.
 *
 * - `events`: one row per distinct event. `seq` is the journal seq of its first copy, `source_seq` that of the copy
 *   the fields were taken from. `digits` holds the digits of both numbers, a space between them, for search by a part
 *   of a number. `message_hash` and `key_hash` are 48 bits of a SHA-256: one index of integers finds both the doubles of
 *   an event and all events of a message (half the cost of a unique index on the texts); a hit is confirmed against the row.
 * - `copies`: every further delivery of an event, by its journal seq.
 * - `messages`: the furthest status of each message that a delivery report spoke of, and when that report arrived.
 * - `arrivals`: events per second, minute and hour by name, so that charts never scan events; with the first and last seq
 *   of the bucket, so that a filter on time becomes a range of seq.
 * - `projector`: how far the journal was read, and how many events there are. Without its row the projector starts over.
 *   It is WITHOUT ROWID like the two other sums, so that salvage of a damaged file leaves all three behind together.
 */
export const migration: Migration = {
  id: 1,
  name: 'events',
  up(db) {
    db.exec(`
      CREATE TABLE events (
        seq INTEGER PRIMARY KEY NOT NULL,
        source_seq INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('dlr', 'mo', 'quarantined')),
        message_id TEXT,
        status TEXT,
        error_code INTEGER,
        number TEXT,
        own_number TEXT,
        digits TEXT,
        content TEXT,
        service_time TEXT,
        received_ms INTEGER NOT NULL,
        copies INTEGER NOT NULL DEFAULT 1,
        verdict TEXT NOT NULL CHECK (verdict IN ('signed', 'unsigned')),
        quarantine_reason TEXT,
        stop_word INTEGER NOT NULL DEFAULT 0 CHECK (stop_word IN (0, 1)),
        body_hash BLOB,
        message_hash INTEGER NOT NULL,
        key_hash INTEGER NOT NULL
      ) STRICT;

      CREATE INDEX events_by_key ON events (message_hash, key_hash);
      CREATE INDEX events_by_status ON events (status, seq) WHERE status IS NOT NULL;
      CREATE INDEX events_by_error ON events (error_code, seq) WHERE error_code IS NOT NULL;
      CREATE INDEX events_not_dlr ON events (kind, seq) WHERE kind <> 'dlr';

      CREATE TABLE copies (
        journal_seq INTEGER PRIMARY KEY NOT NULL,
        event_seq INTEGER NOT NULL,
        received_ms INTEGER NOT NULL
      ) STRICT;

      CREATE INDEX copies_by_event ON copies (event_seq);

      CREATE TABLE messages (
        message_id TEXT PRIMARY KEY NOT NULL,
        status TEXT NOT NULL,
        rank INTEGER NOT NULL,
        final INTEGER NOT NULL CHECK (final IN (0, 1)),
        service_ms INTEGER NOT NULL,
        since_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE INDEX messages_open ON messages (since_ms) WHERE final = 0;

      CREATE TABLE arrivals (
        grain_ms INTEGER NOT NULL,
        bucket_ms INTEGER NOT NULL,
        name TEXT NOT NULL,
        count INTEGER NOT NULL,
        first_seq INTEGER NOT NULL,
        last_seq INTEGER NOT NULL,
        PRIMARY KEY (grain_ms, bucket_ms, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE projector (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        watermark INTEGER NOT NULL,
        stored_total INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    `)
  },
}

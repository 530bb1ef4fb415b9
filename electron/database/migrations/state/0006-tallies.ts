import type { Migration } from '../../migrate.ts'

/**
 * Sums for the analytics of the events kept here.
 *
 * - `tallies`: counts per hour and UTC day, of what `core/events/event-tallies.ts` names.
 * - `messages` gains what its share of them follows from: when the first report, the first `submitted` and the first
 *   `delivered` arrived, and the calling code of its number. Null until the message was counted.
 * - `tally_backlog`: the events in (after_seq, up_to_seq] were stored before there were tallies and are yet to be counted. The
 *   projector does it piece by piece; the row goes with the last of them. WITHOUT ROWID like all sums, see `0001-events.ts`.
 */
export const migration: Migration = {
  id: 6,
  name: 'tallies',
  up(db) {
    db.exec(`
      ALTER TABLE messages ADD COLUMN first_ms INTEGER;
      ALTER TABLE messages ADD COLUMN submitted_ms INTEGER;
      ALTER TABLE messages ADD COLUMN delivered_ms INTEGER;
      ALTER TABLE messages ADD COLUMN calling_code TEXT;

      CREATE TABLE tallies (
        subject TEXT NOT NULL CHECK (subject IN ('outcome', 'destination', 'latency', 'error')),
        grain_ms INTEGER NOT NULL,
        bucket_ms INTEGER NOT NULL,
        name TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (subject, grain_ms, bucket_ms, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE tally_backlog (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        after_seq INTEGER NOT NULL,
        up_to_seq INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      INSERT INTO tally_backlog (id, after_seq, up_to_seq)
        SELECT 1, 0, max(seq) FROM events HAVING max(seq) IS NOT NULL;
    `)
  },
}

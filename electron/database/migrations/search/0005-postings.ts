import type { Migration } from '../../migrate.ts'

/**
 * The index as lists of contacts by trigram instead of a table of FTS5, which took 8 µs for each contact to fill where these take 3, and
 * most of a long search to read. It is written in segments: each holds some contacts, and `postings` has a row for each of its trigrams,
 * numbered segment by segment, with the ids of the contacts that hold it. What is said of a contact that was changed or deleted since
 * stays until the index is made again in the background: `outdated` counts them; meanwhile contacts up to `again_id` are in new segments,
 * and the segments up to `again_segment` are the old ones.
 */
export const migration: Migration = {
  id: 5,
  name: 'postings',
  up(db) {
    db.exec(`
      DROP TABLE terms;
      DROP TABLE contacts;
      DROP TABLE progress;
      CREATE TABLE segments (
        id INTEGER PRIMARY KEY NOT NULL,
        contacts INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE postings (
        id INTEGER PRIMARY KEY NOT NULL,
        ids BLOB NOT NULL
      ) STRICT;
      CREATE TABLE progress (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        touched INTEGER NOT NULL,
        last_id INTEGER NOT NULL,
        outdated INTEGER NOT NULL,
        again_id INTEGER NOT NULL,
        again_segment INTEGER
      ) STRICT;
      INSERT INTO progress (id, touched, last_id, outdated, again_id) VALUES (1, 0, 0, 0, 0);
    `)
  },
}

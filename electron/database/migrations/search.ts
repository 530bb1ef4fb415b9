import type { Migration } from '../migrate.ts'

/** The trigram index of the contacts. All of it can be rebuilt from the contact store. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        -- Contacts per segment.
        CREATE TABLE segments (
          id INTEGER PRIMARY KEY NOT NULL,
          contacts INTEGER NOT NULL
        ) STRICT;

        -- One row per trigram of a segment, numbered segment by segment, with the ids of its contacts. FTS5 took
        -- 8 µs per contact to fill, these take 3.
        CREATE TABLE postings (
          id INTEGER PRIMARY KEY NOT NULL,
          ids BLOB NOT NULL
        ) STRICT;

        -- How far the index follows the contact store. outdated counts stale entries; a rebuild in the background writes
        -- contacts up to again_id to new segments, and segments up to again_segment are the old ones.
        CREATE TABLE progress (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          touched INTEGER NOT NULL,
          last_id INTEGER NOT NULL,
          outdated INTEGER NOT NULL,
          again_id INTEGER NOT NULL,
          again_segment INTEGER,
          again_until INTEGER NOT NULL DEFAULT 0,
          generation TEXT NOT NULL DEFAULT ''
        ) STRICT;
        INSERT INTO progress (id, touched, last_id, outdated, again_id, again_until, generation) VALUES (1, 0, 0, 0, 0, 0, '');
      `)
    },
  },
]

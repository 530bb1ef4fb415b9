import type { Migration } from '../../migrate.ts'

/**
 * What is to be done at the service, and what became of it. An item is `in-flight` before its request leaves: after a crash nobody
 * knows its outcome, and nothing is sent twice by itself. `effect` is 1 while the book has not been told of its state. `after_id`:
 * the item that must be done first. `outbox_control` holds whether the operator paused it.
 */
export const migration: Migration = {
  id: 3,
  name: 'outbox',
  up(db) {
    db.exec(`
      CREATE TABLE outbox_batches (
        id TEXT PRIMARY KEY NOT NULL,
        kind TEXT NOT NULL,
        title TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        hold_until_ms INTEGER
      ) STRICT;

      CREATE INDEX outbox_batches_by_time ON outbox_batches (created_ms);
      CREATE INDEX outbox_batches_held ON outbox_batches (hold_until_ms) WHERE hold_until_ms IS NOT NULL;

      CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        batch_id TEXT NOT NULL,
        operation TEXT NOT NULL,
        state TEXT NOT NULL,
        name TEXT NOT NULL,
        phone TEXT NOT NULL,
        contact_id INTEGER,
        service_id TEXT,
        body_json TEXT NOT NULL,
        after_id INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        problem_code TEXT,
        problem_json TEXT,
        queued_ms INTEGER NOT NULL,
        sent_ms INTEGER,
        ended_ms INTEGER,
        resolution TEXT,
        effect INTEGER NOT NULL DEFAULT 0
      ) STRICT;

      CREATE INDEX outbox_by_state ON outbox (state, id);
      CREATE INDEX outbox_by_batch ON outbox (batch_id, state);
      CREATE INDEX outbox_by_contact ON outbox (contact_id, id) WHERE contact_id IS NOT NULL;
      CREATE INDEX outbox_after ON outbox (after_id) WHERE after_id IS NOT NULL;
      CREATE INDEX outbox_effects ON outbox (id) WHERE effect = 1;

      CREATE TABLE outbox_control (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        paused INTEGER NOT NULL CHECK (paused IN (0, 1))
      ) STRICT;

      INSERT INTO outbox_control (id, paused) VALUES (1, 0);
    `)
  },
}

import type { Migration } from '../migrate.ts'

/**
 * Every accepted delivery as its raw bytes, in order of arrival. `deliveries` has no other index: one on a
 * random column dirties a page per delivery (measured 10 times slower).
 */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        CREATE TABLE deliveries (
          seq INTEGER PRIMARY KEY NOT NULL,
          received_ms INTEGER NOT NULL,
          verdict TEXT NOT NULL,
          secret_id TEXT,
          remote TEXT NOT NULL,
          headers_json TEXT NOT NULL,
          body BLOB NOT NULL
        ) STRICT;

        -- When the listener could receive.
        CREATE TABLE spans (
          id INTEGER PRIMARY KEY NOT NULL,
          started_ms INTEGER NOT NULL,
          alive_ms INTEGER NOT NULL,
          ended_ms INTEGER,
          end_reason TEXT,
          port INTEGER NOT NULL,
          first_delivery_ms INTEGER
        ) STRICT;

        -- How many deliveries were deleted because of their age.
        CREATE TABLE pruned (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          count INTEGER NOT NULL
        ) STRICT;
      `)
    },
  },
  {
    id: 2,
    name: 'relays',
    up(db) {
      db.exec(`
        -- What was read of each relay, written together with its deliveries.
        CREATE TABLE relay_positions (
          relay_id TEXT PRIMARY KEY NOT NULL,
          seq INTEGER NOT NULL,
          -- Its periods count from then on: the first connect, or an earlier delivery.
          since_ms INTEGER NOT NULL,
          -- When the relay received the last delivery read.
          last_ms INTEGER,
          used_ms INTEGER NOT NULL,
          -- By this computer's clock: everything at the relay was read.
          caught_up_ms INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- When a relay could receive.
        CREATE TABLE relay_periods (
          relay_id TEXT NOT NULL,
          id INTEGER NOT NULL,
          started_ms INTEGER NOT NULL,
          alive_ms INTEGER NOT NULL,
          ended_ms INTEGER,
          PRIMARY KEY (relay_id, id)
        ) STRICT;

        -- Deliveries that a relay dropped before they were read here.
        CREATE TABLE relay_losses (
          relay_id TEXT NOT NULL,
          from_seq INTEGER NOT NULL,
          to_seq INTEGER NOT NULL,
          from_ms INTEGER NOT NULL,
          to_ms INTEGER,
          PRIMARY KEY (relay_id, from_seq)
        ) STRICT;
      `)
    },
  },
]

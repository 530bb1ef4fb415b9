import type { Migration } from '../migrate.ts'

/** The profile: connections (never their secrets), settings and alerts to post. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        CREATE TABLE connections (
          id TEXT PRIMARY KEY NOT NULL,
          name TEXT NOT NULL UNIQUE,
          base_url TEXT NOT NULL,
          kind TEXT NOT NULL CHECK (kind IN ('service', 'sandbox')),
          colour TEXT NOT NULL,
          production INTEGER NOT NULL DEFAULT 0 CHECK (production IN (0, 1)),
          credential_kind TEXT NOT NULL CHECK (credential_kind IN ('password', 'api-key')),
          username TEXT,
          allow_plain_http INTEGER NOT NULL DEFAULT 0 CHECK (allow_plain_http IN (0, 1)),
          country TEXT,
          dashboard_url TEXT,
          created_ms INTEGER NOT NULL,
          last_used_ms INTEGER
        ) STRICT;

        CREATE TABLE settings (
          key TEXT PRIMARY KEY NOT NULL,
          value_json TEXT NOT NULL,
          updated_ms INTEGER NOT NULL
        ) STRICT;

        -- Secrets whose removal the keychain has not confirmed.
        CREATE TABLE secret_tombstones (
          account TEXT PRIMARY KEY NOT NULL,
          created_ms INTEGER NOT NULL
        ) STRICT;

        -- Removed connections whose folders may still be there.
        CREATE TABLE folder_tombstones (
          connection_id TEXT PRIMARY KEY NOT NULL
        ) STRICT;

        -- Alerts for the alert webhook and the result of each.
        CREATE TABLE alert_posts (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          message_id TEXT NOT NULL UNIQUE,
          alert_json TEXT NOT NULL,
          created_ms INTEGER NOT NULL,
          tries INTEGER NOT NULL DEFAULT 0,
          next_ms INTEGER,
          result TEXT
        ) STRICT;
        CREATE INDEX alert_posts_waiting ON alert_posts (next_ms) WHERE next_ms IS NOT NULL;
      `)
    },
  },
]

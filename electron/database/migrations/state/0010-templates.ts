import type { Migration } from '../../migrate.ts'

/**
 * Templates known to this console, channels that were sent over, and sends to many. A template whose `service_id` is null was asked for
 * and never confirmed. `ott_sends.queued` rises in the same transaction in which its recipients come into the outbox, so that none comes
 * in twice. `outbox.service_status`: the service's own word on what it made, as it came.
 */
export const migration: Migration = {
  id: 10,
  name: 'templates',
  up(db) {
    db.exec(`
      CREATE TABLE templates (
        key INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        service_id TEXT,
        name TEXT NOT NULL,
        body TEXT,
        variables_json TEXT NOT NULL,
        status TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('created', 'adopted')),
        state TEXT NOT NULL,
        problem_json TEXT,
        known_ms INTEGER NOT NULL,
        last_sent_ms INTEGER
      ) STRICT;

      CREATE UNIQUE INDEX templates_by_service_id ON templates (service_id) WHERE service_id IS NOT NULL;

      CREATE TABLE ott_channels (
        id TEXT PRIMARY KEY NOT NULL,
        label TEXT NOT NULL,
        used_ms INTEGER
      ) STRICT;

      CREATE TABLE ott_sends (
        id TEXT PRIMARY KEY NOT NULL,
        template_key INTEGER NOT NULL,
        template_id TEXT NOT NULL,
        template_name TEXT NOT NULL,
        body TEXT,
        channel_id TEXT NOT NULL,
        subject TEXT NOT NULL,
        order_json TEXT NOT NULL,
        task_id TEXT,
        counts_json TEXT,
        samples_json TEXT,
        batch_id TEXT,
        queued INTEGER NOT NULL DEFAULT 0,
        whole INTEGER NOT NULL DEFAULT 0,
        created_ms INTEGER NOT NULL
      ) STRICT;

      CREATE INDEX ott_sends_by_time ON ott_sends (created_ms);

      ALTER TABLE outbox ADD COLUMN service_status TEXT;
    `)
  },
}

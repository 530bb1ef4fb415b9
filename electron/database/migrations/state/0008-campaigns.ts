import type { Migration } from '../../migrate.ts'

/**
 * What this console read of campaigns, what their pauses did, and the guards over them. Counts are REAL: a service may give any number.
 *
 * - `campaign_snapshots`: counts as they were from `at_ms` to `until_ms` by readings in between, thinned by age.
 * - `campaign_records`: the newest record of each campaign that was read.
 * - `campaign_reading`: when running campaigns were last read.
 * - `pause_receipts`: written before a pause leaves, read on after it.
 * - `guards`: one per campaign; the usual one has the id ''. `arming_id` is new at each arming.
 * - `guard_log`: what tripped. The unique index lets an arming pause a campaign once, whatever else goes wrong.
 */
export const migration: Migration = {
  id: 8,
  name: 'campaigns',
  up(db) {
    db.exec(`
      CREATE TABLE campaign_snapshots (
        campaign_id TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        sent REAL,
        failed REAL,
        total REAL,
        status TEXT,
        PRIMARY KEY (campaign_id, at_ms)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX campaign_snapshots_by_time ON campaign_snapshots (at_ms);

      CREATE TABLE campaign_records (
        campaign_id TEXT PRIMARY KEY NOT NULL,
        record_json TEXT NOT NULL,
        read_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX campaign_records_by_time ON campaign_records (read_ms);

      CREATE TABLE campaign_reading (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        read_ms INTEGER NOT NULL,
        running INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE pause_receipts (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        campaign_id TEXT NOT NULL,
        title TEXT NOT NULL,
        by TEXT NOT NULL CHECK (by IN ('operator', 'all', 'guard')),
        state TEXT NOT NULL,
        sent_ms INTEGER NOT NULL,
        paused_ms INTEGER,
        sent_before REAL,
        sent_at_pause REAL,
        sent_last REAL,
        failed_at_pause REAL,
        failed_last REAL,
        moved_after_ms INTEGER,
        moved_until_ms INTEGER,
        read_ms INTEGER,
        reads INTEGER NOT NULL DEFAULT 0,
        longest_gap_ms INTEGER NOT NULL DEFAULT 0,
        ended_ms INTEGER,
        status TEXT
      ) STRICT;
      CREATE INDEX pause_receipts_by_campaign ON pause_receipts (campaign_id, id);
      CREATE INDEX pause_receipts_open ON pause_receipts (read_ms) WHERE ended_ms IS NULL;

      CREATE TABLE guards (
        campaign_id TEXT PRIMARY KEY NOT NULL,
        mode TEXT NOT NULL CHECK (mode IN ('off', 'notify', 'armed')),
        rules_json TEXT NOT NULL,
        arming_id TEXT,
        set_ms INTEGER NOT NULL,
        disarmed_ms INTEGER,
        disarmed_by INTEGER
      ) STRICT;

      CREATE TABLE guard_log (
        id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        campaign_id TEXT NOT NULL,
        title TEXT NOT NULL,
        rule TEXT NOT NULL CHECK (rule IN ('failed-share', 'stalled', 'error-share')),
        own INTEGER NOT NULL CHECK (own IN (0, 1)),
        mode TEXT NOT NULL,
        reading TEXT NOT NULL,
        first_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        times INTEGER NOT NULL DEFAULT 1,
        cleared_ms INTEGER,
        arming_id TEXT,
        pause_state TEXT,
        decided_ms INTEGER,
        pause_sent_ms INTEGER,
        settled_ms INTEGER,
        pause_words TEXT
      ) STRICT;
      CREATE INDEX guard_log_by_campaign ON guard_log (campaign_id, id);
      CREATE INDEX guard_log_open ON guard_log (campaign_id, rule) WHERE cleared_ms IS NULL;
      CREATE UNIQUE INDEX guard_log_pauses_once ON guard_log (arming_id, campaign_id)
        WHERE pause_state IS NOT NULL AND pause_state <> 'not-sent';
    `)
  },
}

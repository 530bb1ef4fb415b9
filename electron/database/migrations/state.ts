import type { Migration } from '../migrate.ts'

/** What only Switchboard knows, and what it derives from the journal and can rebuild. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'tables',
    up(db) {
      db.exec(`
        -- One row per distinct event. seq is the journal seq of its first copy, source_seq that of the copy its
        -- fields come from. digits: the digits of both numbers, separated by a space, for search by part of a
        -- number. message_hash and key_hash are 48 bits of a SHA-256: one integer index finds the copies of an
        -- event and the events of a message at half the cost of a unique text index; each hit is checked against
        -- the row.
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
          -- Whether the text is an opt-out keyword, or may be an opt-out; null for neither.
          opt_out TEXT CHECK (opt_out IN ('keyword', 'possible')),
          body_hash BLOB,
          message_hash INTEGER NOT NULL,
          key_hash INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX events_by_key ON events (message_hash, key_hash);
        CREATE INDEX events_by_status ON events (status, seq) WHERE status IS NOT NULL;
        CREATE INDEX events_by_error ON events (error_code, seq) WHERE error_code IS NOT NULL;
        CREATE INDEX events_opt_outs ON events (source_seq) WHERE opt_out IS NOT NULL;
        -- Opt-outs that name a message, but no number.
        CREATE INDEX events_named_opt_outs ON events (message_hash) WHERE opt_out IS NOT NULL AND kind = 'dlr' AND number IS NULL;
        CREATE INDEX events_not_dlr ON events (kind, seq) WHERE kind <> 'dlr';

        -- Each further delivery of an event, by its journal seq.
        CREATE TABLE copies (
          journal_seq INTEGER PRIMARY KEY NOT NULL,
          event_seq INTEGER NOT NULL,
          received_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX copies_by_event ON copies (event_seq);

        -- Open messages whose last event was pruned, by id.
        CREATE TABLE kept_messages (
          message_id TEXT PRIMARY KEY NOT NULL,
          status TEXT NOT NULL,
          rank INTEGER NOT NULL,
          final INTEGER NOT NULL CHECK (final IN (0, 1)),
          service_ms INTEGER NOT NULL,
          since_ms INTEGER NOT NULL,
          first_ms INTEGER,
          submitted_ms INTEGER,
          delivered_ms INTEGER,
          calling_code TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX kept_messages_open ON kept_messages (since_ms) WHERE final = 0;

        -- Events per second, minute and hour by name, so charts never scan events. The first and last seq of each
        -- bucket turn a time filter into a range of seq.
        CREATE TABLE arrivals (
          grain_ms INTEGER NOT NULL,
          bucket_ms INTEGER NOT NULL,
          name TEXT NOT NULL,
          count INTEGER NOT NULL,
          first_seq INTEGER NOT NULL,
          last_seq INTEGER NOT NULL,
          PRIMARY KEY (grain_ms, bucket_ms, name)
        ) STRICT, WITHOUT ROWID;

        -- Times in which nothing arrived although something should have, by the alarms. until_ms: the last time that this was so.
        CREATE TABLE missed_times (
          from_ms INTEGER PRIMARY KEY NOT NULL,
          until_ms INTEGER NOT NULL,
          reason TEXT NOT NULL
        ) STRICT;

        -- How far the journal has been read. Without its row the projector starts over. WITHOUT ROWID like all
        -- sums, so salvage drops them together.
        CREATE TABLE projector (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          watermark INTEGER NOT NULL,
          stored_total INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Long work and its progress. payload_json is what its runner needs to resume.
        CREATE TABLE tasks (
          id TEXT PRIMARY KEY NOT NULL,
          kind TEXT NOT NULL,
          subject TEXT NOT NULL,
          state TEXT NOT NULL,
          done REAL NOT NULL DEFAULT 0,
          total REAL,
          unit TEXT NOT NULL,
          counts_json TEXT NOT NULL DEFAULT '{}',
          ref_id TEXT,
          payload_json TEXT NOT NULL,
          problem_code TEXT,
          problem_json TEXT,
          created_ms INTEGER NOT NULL,
          started_ms INTEGER,
          ended_ms INTEGER,
          dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1))
        ) STRICT;
        CREATE INDEX tasks_shown ON tasks (created_ms) WHERE dismissed = 0;

        -- For a deletion of contacts: how many were chosen, marked, and requested from the service.
        CREATE TABLE outbox_batches (
          id TEXT PRIMARY KEY NOT NULL,
          kind TEXT NOT NULL,
          title TEXT NOT NULL,
          created_ms INTEGER NOT NULL,
          state TEXT NOT NULL CHECK (state IN ('filling', 'held', 'missed', 'ready', 'undoing', 'undone')),
          -- The end of its undo window or its start.
          hold_until_ms INTEGER CHECK ((state = 'held') = (hold_until_ms IS NOT NULL)),
          chosen INTEGER,
          marked INTEGER NOT NULL DEFAULT 0,
          requested INTEGER NOT NULL DEFAULT 0,
          -- A chosen start until it comes, and after it came.
          start_ms INTEGER,
          started_ms INTEGER,
          -- 1: its messages leave although the DNC copy proves nothing, as the operator chose. Items get it when they are queued.
          unchecked INTEGER NOT NULL DEFAULT 0 CHECK (unchecked IN (0, 1))
        ) STRICT;
        CREATE INDEX outbox_batches_by_time ON outbox_batches (created_ms);
        CREATE INDEX outbox_batches_by_state ON outbox_batches (state, hold_until_ms);

        -- Requests to the service. An item is in-flight before its request leaves, so after a crash its outcome
        -- is unknown and it is never resent automatically. effect is 1 until the contact has its state. after_id:
        -- the item that must be done first. old_of: for a deletion, the contact whose former record ends while a
        -- new one replaces it; contact_id is null then. again_of: the item that this one resends. answer_json:
        -- the answer, as outboxAnswerSchema.
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
          effect INTEGER NOT NULL DEFAULT 0,
          service_status TEXT,
          old_of INTEGER,
          again_of INTEGER,
          answer_json TEXT,
          -- What else the text of the number may mean: a JSON list of digits.
          others_json TEXT NOT NULL DEFAULT '[]',
          -- For a test send: the number whose values its body has, so that an erasure finds it.
          values_of TEXT,
          -- The recipient's hours (LocalHours), and when they begin.
          hours_json TEXT,
          not_before_ms INTEGER,
          -- 1: leaves although the DNC copy proves nothing, as the operator chose. Or until clear_until_ms, because the service
          -- called it clear when clear_by (an API key's digest; empty for a password) asked.
          unchecked INTEGER NOT NULL DEFAULT 0 CHECK (unchecked IN (0, 1)),
          clear_until_ms INTEGER NOT NULL DEFAULT 0,
          clear_by TEXT,
          -- Problems with inbound messages despite which it leaves, as the operator chose: a bit for each of inboundProblemSchema.
          without_inbound INTEGER NOT NULL DEFAULT 0,
          -- 1: a team knows of the message, or needn't.
          shared INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX outbox_unshared ON outbox (id) WHERE operation = 'send-ott' AND state = 'done' AND shared = 0;
        CREATE INDEX outbox_needs_check ON outbox (clear_until_ms, clear_by) WHERE state = 'queued' AND operation = 'send-ott' AND unchecked = 0;
        CREATE INDEX outbox_without_check ON outbox (id) WHERE state = 'queued' AND (operation <> 'send-ott' OR unchecked = 1 OR clear_until_ms > 0);
        CREATE INDEX outbox_needs_inbound ON outbox (without_inbound) WHERE state = 'queued' AND operation = 'send-ott';
        CREATE INDEX outbox_without_inbound ON outbox (id) WHERE state = 'queued' AND (operation <> 'send-ott' OR without_inbound > 0);
        CREATE INDEX outbox_scheduled ON outbox (not_before_ms) WHERE state = 'scheduled';
        CREATE INDEX outbox_with_hours ON outbox (batch_id, not_before_ms) WHERE state = 'scheduled' AND hours_json IS NOT NULL;
        CREATE INDEX outbox_by_state ON outbox (state, id);
        CREATE INDEX outbox_unknown ON outbox (coalesce(ended_ms, sent_ms, queued_ms)) WHERE state = 'unknown';
        CREATE INDEX outbox_rejected ON outbox (coalesce(ended_ms, queued_ms)) WHERE state = 'rejected';
        CREATE INDEX outbox_by_batch ON outbox (batch_id, state);
        -- In the order of ids, for a page of a large batch.
        CREATE INDEX outbox_in_batch ON outbox (batch_id);
        CREATE INDEX outbox_not_sent ON outbox (batch_id, json_extract(problem_json, '$.reason.key')) WHERE state = 'rejected' AND problem_code = 'ON_DNC';
        CREATE INDEX outbox_resolved ON outbox (batch_id, resolution) WHERE state = 'cancelled' AND resolution IS NOT NULL;
        CREATE INDEX outbox_by_contact ON outbox (contact_id, id) WHERE contact_id IS NOT NULL;
        CREATE INDEX outbox_after ON outbox (after_id) WHERE after_id IS NOT NULL;
        CREATE INDEX outbox_effects ON outbox (id) WHERE effect = 1;
        CREATE INDEX outbox_again_of ON outbox (again_of) WHERE again_of IS NOT NULL;
        CREATE INDEX outbox_old_of ON outbox (old_of) WHERE old_of IS NOT NULL;
        CREATE INDEX outbox_sent_to ON outbox (phone, id) WHERE operation = 'send-ott';
        CREATE INDEX outbox_sent_as ON outbox (service_id) WHERE operation = 'send-ott' AND service_id IS NOT NULL;

        CREATE TABLE outbox_control (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
          -- When Switchboard last ran it, within a minute.
          ran_ms INTEGER
        ) STRICT;
        INSERT INTO outbox_control (id, paused) VALUES (1, 0);

        -- Local holds and their evidence. A delivery starts at most one hold of each number as written, however often it is read.
        -- digits is the sender's likeliest number, null when unreadable: then the hold can't be applied.
        CREATE TABLE holds (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          phone TEXT NOT NULL,
          digits INTEGER,
          evidence TEXT NOT NULL,
          source TEXT NOT NULL CHECK (source IN ('opt-out', 'possible-opt-out', 'by-hand', 'import')),
          event_seq INTEGER,
          since_ms INTEGER NOT NULL,
          ended_ms INTEGER,
          end_reason TEXT,
          handed_off_ms INTEGER,
          -- 1 for a number that several people share: it doesn't block those who only have it beside their own.
          own_only INTEGER NOT NULL DEFAULT 0,
          -- As the team knows it; null for a hold that was never shared.
          team_id TEXT,
          -- Who of the team holds it; null for this computer.
          author TEXT,
          -- 0 for a hold that lacks the proof of the team key.
          verified INTEGER NOT NULL DEFAULT 1
        ) STRICT;
        CREATE UNIQUE INDEX holds_by_team_id ON holds (team_id) WHERE team_id IS NOT NULL;
        CREATE UNIQUE INDEX holds_by_event ON holds (event_seq, phone) WHERE event_seq IS NOT NULL;
        CREATE INDEX holds_by_time ON holds (since_ms, id);
        CREATE INDEX holds_unverified ON holds (id) WHERE verified = 0 AND ended_ms IS NULL;
        CREATE INDEX holds_active ON holds (digits) WHERE ended_ms IS NULL;
        CREATE INDEX holds_by_import ON holds (digits, since_ms) WHERE source = 'import';

        -- As dnc_readings in the cache.
        CREATE TABLE hold_readings (
          kind TEXT NOT NULL CHECK (kind IN ('number', 'ending', 'range')),
          low INTEGER NOT NULL,
          high INTEGER NOT NULL,
          entry_id INTEGER NOT NULL,
          PRIMARY KEY (kind, low, high, entry_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX hold_readings_by_hold ON hold_readings (entry_id);

        -- Last delivery checked for opt-outs.
        CREATE TABLE holds_progress (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          seq INTEGER NOT NULL
        ) STRICT;
        INSERT INTO holds_progress (id, seq) VALUES (1, 0);

        -- Names of this computer in teams, also earlier ones.
        CREATE TABLE team_names (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;

        -- The team, while this computer is in one: its name there, and how far the log is read.
        CREATE TABLE team (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          author TEXT NOT NULL,
          relay_id TEXT,
          seq INTEGER NOT NULL DEFAULT 0,
          -- Digest of the entry at seq: a relay restored from a backup may have another one there.
          last TEXT,
          -- When the whole log was last read.
          read_ms INTEGER,
          -- Entries that could not be taken.
          skipped INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- What is known of the team's log. text is empty for what isn't posted again: without proof, or its person is erased.
        -- on_relay: 1 once it was read from the log.
        CREATE TABLE team_entries (
          -- A release has that of its hold.
          id TEXT NOT NULL,
          kind TEXT NOT NULL,
          text TEXT NOT NULL,
          on_relay INTEGER NOT NULL,
          PRIMARY KEY (id, kind)
        ) STRICT;
        CREATE INDEX team_entries_to_post ON team_entries (id) WHERE on_relay = 0;

        CREATE INDEX team_entries_erased ON team_entries (id) WHERE kind = 'erased';

        -- Numbers that someone of the team erased, sealed with the team key; empty once it was erased or kept here.
        -- in_log: once erased here, how many entries of the relay's log can't be removed; -1 until they were looked for.
        CREATE TABLE team_erasures (
          id TEXT PRIMARY KEY NOT NULL,
          author TEXT NOT NULL,
          at_ms INTEGER NOT NULL,
          number TEXT NOT NULL,
          in_log INTEGER
        ) STRICT;

        -- Messages of sent entries for 30 days; author is null for those of this computer, digits 0 for an erased number.
        CREATE TABLE team_sent (
          digits INTEGER NOT NULL,
          template_id TEXT NOT NULL,
          sent_ms INTEGER NOT NULL,
          entry_id TEXT NOT NULL,
          message_id TEXT,
          author TEXT,
          PRIMARY KEY (digits, template_id, sent_ms, entry_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX team_sent_by_time ON team_sent (sent_ms);
        CREATE INDEX team_sent_by_message ON team_sent (message_id) WHERE message_id IS NOT NULL;

        -- Checks of whole files.
        CREATE TABLE dnc_checks (
          id TEXT PRIMARY KEY NOT NULL,
          name TEXT NOT NULL,
          task_id TEXT,
          order_json TEXT NOT NULL,
          counts_json TEXT NOT NULL,
          cache_as_of_ms INTEGER,
          files_json TEXT,
          created_ms INTEGER NOT NULL
        ) STRICT;

        -- Who handles conversations, notes, saved filters and alert rules, with their earlier versions, the newest first. unshared: 1 if a team may lack own ones.
        CREATE TABLE shared_values (
          kind TEXT NOT NULL,
          key TEXT NOT NULL,
          versions_json TEXT NOT NULL,
          unshared INTEGER NOT NULL,
          PRIMARY KEY (kind, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX shared_values_unshared ON shared_values (kind, key) WHERE unshared = 1;

        -- Imports as asked for and how they ended. Their progress and counts are in contacts.db, committed with the rows.
        CREATE TABLE imports (
          id TEXT PRIMARY KEY NOT NULL,
          file_id TEXT NOT NULL,
          file_name TEXT NOT NULL,
          size_bytes INTEGER NOT NULL,
          state TEXT NOT NULL,
          choices_json TEXT,
          task_id TEXT,
          problem_json TEXT,
          undo_note TEXT,
          created_ms INTEGER NOT NULL,
          ended_ms INTEGER,
          -- Numbers put on hold by the file's columns about consent; null before.
          held INTEGER
        ) STRICT;
        CREATE INDEX imports_by_time ON imports (created_ms);

        -- Inbound messages by sender: its digits, or = and its name. Can be rebuilt from the events, except
        -- inbox_reads.
        CREATE TABLE inbox_messages (
          sender TEXT NOT NULL,
          seq INTEGER NOT NULL,
          PRIMARY KEY (sender, seq)
        ) STRICT, WITHOUT ROWID;

        -- Sums per conversation. last_seq is its newest message.
        CREATE TABLE inbox_senders (
          sender TEXT PRIMARY KEY NOT NULL,
          messages INTEGER NOT NULL,
          unread INTEGER NOT NULL,
          opt_outs INTEGER NOT NULL,
          last_seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX inbox_by_time ON inbox_senders (last_seq);
        CREATE INDEX inbox_unread ON inbox_senders (last_seq, unread) WHERE unread > 0;
        CREATE INDEX inbox_opt_outs ON inbox_senders (last_seq) WHERE opt_outs > 0;

        -- Last event an operator has read, by sender; the empty sender stands for all.
        CREATE TABLE inbox_reads (
          sender TEXT PRIMARY KEY NOT NULL,
          up_to_seq INTEGER NOT NULL
        ) STRICT;

        -- By what lists select conversations; who handles them is in shared_values. done_key: digest of the last message that is done.
        -- done_seq: that message; null while it isn't known here.
        CREATE TABLE conversation_marks (
          sender TEXT PRIMARY KEY NOT NULL,
          done_key TEXT,
          done_seq INTEGER,
          is_mine INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX conversation_marks_mine ON conversation_marks (sender) WHERE is_mine = 1;
        CREATE INDEX conversation_marks_done ON conversation_marks (sender, done_seq) WHERE done_seq IS NOT NULL;

        -- Messages that may be opt-outs, and what the operator said of them. An answer outlives a rebuild of the inbox.
        CREATE TABLE possible_opt_outs (
          seq INTEGER PRIMARY KEY NOT NULL,
          sender TEXT NOT NULL,
          answer TEXT CHECK (answer IN ('hold', 'not-opt-out'))
        ) STRICT;
        CREATE INDEX possible_opt_outs_open ON possible_opt_outs (sender) WHERE answer IS NULL;

        -- Last event taken into the inbox. Without its row the inbox is rebuilt.
        CREATE TABLE inbox_progress (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          seq INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Counts per hour and UTC day for the analytics, see core/live/events/event-tallies.ts.
        CREATE TABLE tallies (
          subject TEXT NOT NULL CHECK (subject IN ('outcome', 'destination', 'latency', 'error')),
          grain_ms INTEGER NOT NULL,
          bucket_ms INTEGER NOT NULL,
          name TEXT NOT NULL,
          count INTEGER NOT NULL,
          PRIMARY KEY (subject, grain_ms, bucket_ms, name)
        ) STRICT, WITHOUT ROWID;

        -- Message ids that were looked up, and the newest record of each.
        CREATE TABLE message_lookups (
          message_id TEXT PRIMARY KEY NOT NULL,
          looked_ms INTEGER NOT NULL,
          record_json TEXT,
          as_of_ms INTEGER
        ) STRICT;
        CREATE INDEX message_lookups_newest ON message_lookups (looked_ms);

        -- Releases, written before their request leaves: after a crash their outcome is unknown.
        CREATE TABLE message_releases (
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          run_id TEXT,
          message_id TEXT NOT NULL,
          state TEXT NOT NULL CHECK (state IN ('waiting', 'in-flight', 'released', 'not-held', 'refused', 'unknown', 'failed')),
          status_after TEXT,
          service_text TEXT,
          problem_code TEXT,
          problem_json TEXT,
          created_ms INTEGER NOT NULL,
          left_ms INTEGER,
          settled_ms INTEGER
        ) STRICT;
        CREATE INDEX message_releases_message ON message_releases (message_id, seq);
        CREATE INDEX message_releases_run ON message_releases (run_id, seq) WHERE run_id IS NOT NULL;

        -- Counts from at_ms to until_ms, thinned by age. REAL: a service may answer any number.
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

        -- The newest record of each campaign.
        CREATE TABLE campaign_records (
          campaign_id TEXT PRIMARY KEY NOT NULL,
          record_json TEXT NOT NULL,
          read_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX campaign_records_by_time ON campaign_records (read_ms);

        -- The last reading of running campaigns: when it was, and their number and ids.
        CREATE TABLE campaign_reading (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          read_ms INTEGER NOT NULL,
          running INTEGER NOT NULL,
          ids_json TEXT NOT NULL,
          complete INTEGER NOT NULL
        ) STRICT;

        -- Written before a pause leaves; readings after it are added.
        CREATE TABLE pause_receipts (
          id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
          campaign_id TEXT NOT NULL,
          title TEXT NOT NULL,
          by TEXT NOT NULL CHECK (by IN ('operator', 'all', 'alert-rule')),
          state TEXT NOT NULL,
          sent_ms INTEGER NOT NULL,
          paused_ms INTEGER,
          sent_before REAL,
          sent_at_pause REAL,
          sent_last REAL,
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

        -- Alert rules, one row per campaign; '' is the default. arming_id is new at each arming.
        CREATE TABLE alert_rules (
          campaign_id TEXT PRIMARY KEY NOT NULL,
          mode TEXT NOT NULL CHECK (mode IN ('off', 'notify', 'armed')),
          rules_json TEXT NOT NULL,
          arming_id TEXT,
          set_ms INTEGER NOT NULL,
          disarmed_ms INTEGER,
          disarmed_by INTEGER
        ) STRICT;

        -- Alerts raised. The unique index lets an arming pause a campaign at most once.
        CREATE TABLE alert_rule_log (
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
        CREATE INDEX alert_rule_log_by_campaign ON alert_rule_log (campaign_id, id);
        CREATE INDEX alert_rule_log_open ON alert_rule_log (campaign_id, rule) WHERE cleared_ms IS NULL;
        CREATE UNIQUE INDEX alert_rule_log_pauses_once ON alert_rule_log (arming_id, campaign_id)
          WHERE pause_state IS NOT NULL AND pause_state <> 'not-sent';

        -- Messages read again at the service because a gap may have swallowed their reports.
        CREATE TABLE recoveries (
          id TEXT PRIMARY KEY NOT NULL,
          from_ms INTEGER NOT NULL,
          to_ms INTEGER NOT NULL,
          task_id TEXT NOT NULL,
          started_ms INTEGER NOT NULL,
          ended_ms INTEGER
        ) STRICT;
        CREATE INDEX recoveries_by_hole ON recoveries (from_ms, started_ms);

        -- The service's answer for each; status is the service's own word.
        CREATE TABLE recovered (
          message_id TEXT NOT NULL,
          recovery_id TEXT NOT NULL,
          outcome TEXT NOT NULL CHECK (outcome IN ('final', 'open', 'not-found', 'unreadable')),
          status TEXT,
          read_ms INTEGER NOT NULL,
          PRIMARY KEY (message_id, recovery_id)
        ) STRICT;
        CREATE INDEX recovered_by_run ON recovered (recovery_id);

        -- A template without service_id was requested and never confirmed.
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
          last_sent_ms INTEGER,
          service_created TEXT,
          service_updated TEXT
        ) STRICT;
        CREATE UNIQUE INDEX templates_by_service_id ON templates (service_id) WHERE service_id IS NOT NULL;

        -- Channels used before.
        CREATE TABLE ott_channels (
          id TEXT PRIMARY KEY NOT NULL,
          label TEXT NOT NULL,
          used_ms INTEGER
        ) STRICT;

        -- Sends to many. queued rises in the transaction that queues its recipients, so none is queued twice. test_batch_id: the
        -- last message to one's own number.
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
          -- What another count of the dry run needs; null once all is queued.
          plan_json TEXT,
          batch_id TEXT,
          queued INTEGER NOT NULL DEFAULT 0,
          whole INTEGER NOT NULL DEFAULT 0,
          test_batch_id TEXT,
          created_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX ott_sends_by_time ON ott_sends (created_ms);

        -- Furthest status of each reported message, with its first report times for the analytics. Stored under
        -- the seq of one of its events, so messages of one time lie together: by their random ids almost every
        -- report dirtied a page of its own (13 of 40 µs).
        CREATE TABLE messages (
          seq INTEGER PRIMARY KEY NOT NULL,
          message_id TEXT NOT NULL,
          status TEXT NOT NULL,
          rank INTEGER NOT NULL,
          final INTEGER NOT NULL CHECK (final IN (0, 1)),
          service_ms INTEGER NOT NULL,
          since_ms INTEGER NOT NULL,
          first_ms INTEGER,
          submitted_ms INTEGER,
          delivered_ms INTEGER,
          calling_code TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX messages_open ON messages (since_ms, message_id) WHERE final = 0;

        -- Erasures of a person. needle_base64, what to look for, is emptied at the end: the receipt names nobody. It is coded,
        -- so that the last search of all files doesn't find it here.
        CREATE TABLE erasures (
          id TEXT PRIMARY KEY NOT NULL,
          ending TEXT NOT NULL,
          task_id TEXT NOT NULL DEFAULT '',
          needle_base64 TEXT,
          keep_hold INTEGER NOT NULL CHECK (keep_hold IN (0, 1)),
          removed_json TEXT NOT NULL DEFAULT '{}',
          kept_json TEXT NOT NULL DEFAULT '{}',
          files_json TEXT NOT NULL DEFAULT '[]',
          started_ms INTEGER NOT NULL,
          ended_ms INTEGER
        ) STRICT;

        -- Held numbers of erased people, as a keyed hash.
        CREATE TABLE hashed_holds (
          hash BLOB PRIMARY KEY NOT NULL,
          since_ms INTEGER NOT NULL
        ) STRICT;

        -- The key of these hashes, created with the first one.
        CREATE TABLE hold_key (
          id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
          key BLOB NOT NULL
        ) STRICT;
      `)
    },
  },
]

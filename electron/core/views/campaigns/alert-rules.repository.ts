import { type Phrase, saidOf, storedText } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import {
  type AlertRule,
  type AlertRuleMode,
  type AlertPauseState,
  type AlertConditionName,
  type AlertConditions,
  alertConditionsSchema,
  type TriggeredAlert,
} from '../../../contract/views/campaign-alert-rules.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** Most rows of the log. The oldest settled ones go first, except those that keep auto-pause from pausing a campaign twice. */
const logMax = 2_000
/** A rule that triggers again this soon continues its alert, so a share around its limit raises one. Not after a pause: someone resumed. */
const sameAlertMs = 15 * 60_000
/** The default rule's key in a table of campaign ids. */
const defaultRule = ''

/** A rule with the id that ties its pauses to it. */
export interface StoredAlertRule {
  view: AlertRule
  /** New each time auto-pause is turned on; null if it is off. */
  armingId: string | null
}

interface AlertRuleRow {
  campaignId: string
  mode: AlertRuleMode
  rulesJson: string
  armingId: string | null
  disarmedMs: number | null
}

interface TripRow {
  id: number
  campaignId: string
  title: string
  rule: AlertConditionName
  own: number
  mode: AlertRuleMode
  reading: string
  firstMs: number
  lastMs: number
  times: number
  clearedMs: number | null
  pauseState: AlertPauseState | null
  decidedMs: number | null
  settledMs: number | null
  words: string | null
}

/** One triggered condition, to be stored. */
interface TripNote {
  campaignId: string
  title: string
  rule: AlertConditionName
  reading: Phrase
  alertRule: StoredAlertRule
}

export type AlertRulesRepository = ReturnType<typeof createAlertRulesRepository>

/** Alert rules and their log, in `state.db`. */
export function createAlertRulesRepository(db: Database) {
  const alertRuleColumns =
    'campaign_id AS campaignId, mode, rules_json AS rulesJson, arming_id AS armingId, disarmed_ms AS disarmedMs'
  const get = db.prepare<[string], AlertRuleRow>(
    `SELECT ${alertRuleColumns} FROM alert_rules WHERE campaign_id = ?`,
  )
  const all = db.prepare<[], AlertRuleRow>(`SELECT ${alertRuleColumns} FROM alert_rules ORDER BY campaign_id`)
  const put = db.prepare(
    `INSERT INTO alert_rules (campaign_id, mode, rules_json, arming_id, set_ms) VALUES (:id, :mode, :rules, :armingId, :nowMs)
     ON CONFLICT (campaign_id) DO UPDATE SET mode = excluded.mode, rules_json = excluded.rules_json,
       arming_id = excluded.arming_id, set_ms = excluded.set_ms, disarmed_ms = NULL, disarmed_by = NULL`,
  )
  const remove = db.prepare<[string]>('DELETE FROM alert_rules WHERE campaign_id = ?')
  const openTrip = db.prepare<
    [string, string, number],
    { id: number; armingId: string | null; pauseState: string | null }
  >(
    `SELECT id, arming_id AS armingId, pause_state AS pauseState FROM alert_rule_log
     WHERE campaign_id = ? AND rule = ? AND (cleared_ms IS NULL
       OR (cleared_ms > ? AND (pause_state IS NULL OR pause_state IN ('not-sent', 'refused')))) ORDER BY id DESC LIMIT 1`,
  )
  const again = db.prepare<[number, string, number]>(
    'UPDATE alert_rule_log SET last_ms = ?, reading = ?, times = times + 1, cleared_ms = NULL WHERE id = ?',
  )
  const retarget = db.prepare<[string, string | null, number]>(
    'UPDATE alert_rule_log SET mode = ?, arming_id = ? WHERE id = ?',
  )
  const insertTrip = db.prepare(
    `INSERT INTO alert_rule_log (campaign_id, title, rule, own, mode, reading, first_ms, last_ms, arming_id)
     VALUES (:campaignId, :title, :rule, :own, :mode, :reading, :nowMs, :nowMs, :armingId)`,
  )
  const prune = db.prepare<[number]>(
    `DELETE FROM alert_rule_log WHERE id <= ? AND cleared_ms IS NOT NULL AND (pause_state IS NULL OR settled_ms IS NOT NULL)
       AND (pause_state IS NULL OR pause_state = 'not-sent'
         OR arming_id NOT IN (SELECT arming_id FROM alert_rules WHERE arming_id IS NOT NULL))`,
  )
  const openOf = db.prepare<[string], { id: number; rule: AlertConditionName }>(
    'SELECT id, rule FROM alert_rule_log WHERE campaign_id = ? AND cleared_ms IS NULL',
  )
  const clear = db.prepare<[number, number]>('UPDATE alert_rule_log SET cleared_ms = ? WHERE id = ?')
  const decide = db.prepare<[number, number]>(
    `UPDATE OR IGNORE alert_rule_log SET pause_state = 'deciding', mode = 'armed', decided_ms = ?, pause_sent_ms = NULL,
       settled_ms = NULL, pause_words = NULL WHERE id = ? AND (pause_state IS NULL OR pause_state = 'not-sent')`,
  )
  const disarm = db.prepare<[number, number, string, string | null]>(
    `UPDATE alert_rules SET mode = 'notify', disarmed_ms = ?, disarmed_by = ? WHERE campaign_id = ? AND arming_id = ?`,
  )
  const rearm = db.prepare<[number]>(
    `UPDATE alert_rules SET mode = 'armed', disarmed_ms = NULL, disarmed_by = NULL WHERE disarmed_by = ?`,
  )
  const noteSent = db.prepare<[number, number]>(
    `UPDATE alert_rule_log SET pause_state = 'sent', pause_sent_ms = ? WHERE id = ?`,
  )
  const settle = db.prepare<[string, string | null, number, number]>(
    'UPDATE alert_rule_log SET pause_state = ?, pause_words = ?, settled_ms = ? WHERE id = ?',
  )
  const undecided = db.prepare<[], { id: number; campaignId: string; state: 'deciding' | 'sent' }>(
    `SELECT id, campaign_id AS campaignId, pause_state AS state FROM alert_rule_log WHERE pause_state IN ('deciding', 'sent')`,
  )
  const trips = db.prepare<{ campaignId: string | null; limit: number }, TripRow>(
    `SELECT id, campaign_id AS campaignId, title, rule, own, mode, reading, first_ms AS firstMs, last_ms AS lastMs, times,
       cleared_ms AS clearedMs, pause_state AS pauseState, decided_ms AS decidedMs, settled_ms AS settledMs, pause_words AS words
     FROM alert_rule_log WHERE (:campaignId IS NULL OR campaign_id = :campaignId) ORDER BY id DESC LIMIT :limit`,
  )
  const openTrips = db
    .prepare<[], string>('SELECT DISTINCT campaign_id FROM alert_rule_log WHERE cleared_ms IS NULL')
    .pluck()

  return {
    get(campaignId: string | null): StoredAlertRule | null {
      const row = get.get(campaignId ?? defaultRule)
      return row ? toAlertRule(row) : null
    },
    all: () => all.all().map(toAlertRule),
    put(campaignId: string | null, mode: AlertRuleMode, rules: AlertConditions, nowMs: number): AlertRule {
      const armingId = mode === 'armed' ? randomUUID() : null
      put.run({ id: campaignId ?? defaultRule, mode, rules: JSON.stringify(rules), armingId, nowMs })
      return toAlertRule(get.get(campaignId ?? defaultRule)!).view
    },
    remove: (campaignId: string | null) => void remove.run(campaignId ?? defaultRule),
    /** Stores a reading that triggered. `isNew` if the condition was not met before, or long ago. */
    trip: db.transaction((note: TripNote, nowMs: number) => {
      const { campaignId, title, rule, reading, alertRule } = note
      const { mode } = alertRule.view
      const open = openTrip.get(campaignId, rule, nowMs - sameAlertMs)
      const hasPaused = open !== undefined && open.pauseState !== null && open.pauseState !== 'not-sent'
      // Auto-pause was turned on again since: it may pause again.
      const isRearmed = hasPaused && alertRule.armingId !== null && alertRule.armingId !== open.armingId
      if (open && isRearmed) clear.run(nowMs, open.id)
      else if (open) {
        again.run(nowMs, storedText(reading), open.id)
        if (!hasPaused) retarget.run(mode, alertRule.armingId, open.id)
        return { id: open.id, isNew: false }
      }
      const { lastInsertRowid } = insertTrip.run({
        campaignId,
        title,
        rule,
        own: alertRule.view.campaignId === null ? 0 : 1,
        mode,
        reading: storedText(reading),
        nowMs,
        armingId: alertRule.armingId,
      })
      prune.run(Number(lastInsertRowid) - logMax)
      return { id: Number(lastInsertRowid), isNew: true }
    }),
    /** Ends the open trips of a campaign, except those of `rules`. */
    clear(campaignId: string, rules: readonly AlertConditionName[], nowMs: number) {
      for (const { id, rule } of openOf.all(campaignId)) if (!rules.includes(rule)) clear.run(nowMs, id)
    },
    /**
     * Decides to pause the campaign, and turns off auto-pause of its custom rule, in one commit. False if this was decided before.
     */
    decide: db.transaction((tripId: number, alertRule: StoredAlertRule, nowMs: number) => {
      if (decide.run(nowMs, tripId).changes === 0) return false
      if (alertRule.view.campaignId !== null)
        disarm.run(nowMs, tripId, alertRule.view.campaignId, alertRule.armingId)
      return true
    }),
    noteSent: (tripId: number, nowMs: number) => void noteSent.run(nowMs, tripId),
    /** `not-sent` turns auto-pause on again, unless the rule was set since. */
    settle: db.transaction((tripId: number, state: AlertPauseState, words: Phrase | null, nowMs: number) => {
      settle.run(state, words && storedText(words), nowMs, tripId)
      if (state === 'not-sent') rearm.run(tripId)
    }),
    /** Trips with a decided or sent pause that is not settled. */
    undecided: () => undecided.all(),
    /** Newest first. */
    trips: ({ campaignId = null, limit }: { campaignId?: string | null; limit: number }) =>
      trips.all({ campaignId, limit }).map(toTrip),
    isTripped: (campaignId: string) => openOf.get(campaignId) !== undefined,
    /** Ids of campaigns with an open trip. */
    openTrips: () => openTrips.all(),
  }
}

function toAlertRule({ campaignId, mode, rulesJson, armingId, disarmedMs }: AlertRuleRow): StoredAlertRule {
  return {
    armingId: mode === 'armed' ? armingId : null,
    view: {
      campaignId: campaignId === defaultRule ? null : campaignId,
      mode,
      rules: alertConditionsSchema.parse(JSON.parse(rulesJson)),
      disarmedAt: isoTime(disarmedMs),
      armedBy: null,
    },
  }
}

function toTrip(row: TripRow): TriggeredAlert {
  const { own, firstMs, lastMs, clearedMs, pauseState, decidedMs, settledMs, words, reading, ...rest } = row
  return {
    ...rest,
    reading: saidOf(reading),
    own: own === 1,
    firstAt: isoTime(firstMs),
    lastAt: isoTime(lastMs),
    clearedAt: isoTime(clearedMs),
    pause:
      pauseState === null || decidedMs === null
        ? null
        : {
            state: pauseState,
            decidedAt: isoTime(decidedMs),
            settledAt: isoTime(settledMs),
            words: words === null ? null : saidOf(words),
          },
  }
}

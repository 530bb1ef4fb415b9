import { schemaVersion } from '../database/migrate.ts'
import type { Database } from '../database/open.ts'

/** How far a relay was read. */
export interface RelayPosition {
  relayId: string
  seq: number
}

/** What is known of the relays' listening, for the gap record. */
export interface RelayRecord {
  /** Oldest first. `isNewest`: of the relay used last. */
  periods: { startedMs: number; aliveMs: number; endedMs: number | null; isNewest: boolean }[]
  /** Times of deliveries that were dropped unread. `toMs` is null while unknown. */
  losses: { fromMs: number; toMs: number | null }[]
}

/** Periods kept, of all relays: years of daily restarts. The gap record reads them all. */
export const mostRelayPeriods = 5_000

/** The statements of the journal's writer. */
export function relayStatements(db: Database) {
  return {
    newest: db.prepare<[], RelayPosition & { listeningSinceMs: number }>(
      `SELECT relay_id AS relayId, seq,
         coalesce((SELECT max(alive_ms) FROM relay_periods p WHERE p.relay_id = relay_positions.relay_id), 0) AS listeningSinceMs
       FROM relay_positions WHERE seq >= 0 ORDER BY used_ms DESC, rowid DESC LIMIT 1`,
    ),
    seqOf: db.prepare<[string], number>('SELECT seq FROM relay_positions WHERE relay_id = ?').pluck(),
    use: db.prepare<[string, number, number, number]>(
      `INSERT INTO relay_positions (relay_id, seq, since_ms, used_ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (relay_id) DO UPDATE SET used_ms = excluded.used_ms, seq = iif(seq < 0, excluded.seq, seq)`,
    ),
    moveTo: db.prepare<[number, number, number | null, string]>(
      'UPDATE relay_positions SET seq = ?, since_ms = min(since_ms, ?), last_ms = coalesce(?, last_ms) WHERE relay_id = ?',
    ),
    caughtUp: db.prepare<[number, string]>('UPDATE relay_positions SET caught_up_ms = ? WHERE relay_id = ?'),
    caughtUpMs: db.prepare<[], number | null>('SELECT max(caught_up_ms) FROM relay_positions').pluck(),
    lose: db.prepare<[number, number, number | null, number | null, string]>(
      `INSERT OR REPLACE INTO relay_losses (relay_id, from_seq, to_seq, from_ms, to_ms)
       SELECT relay_id, ?, ?, coalesce(?, last_ms, since_ms), ? FROM relay_positions WHERE relay_id = ?`,
    ),
    endLoss: db.prepare<[number, string, number]>(
      'UPDATE relay_losses SET to_ms = ? WHERE relay_id = ? AND to_seq = ? AND to_ms IS NULL',
    ),
    period: db.prepare<[string, number, number, number, number | null]>(
      'INSERT OR REPLACE INTO relay_periods (relay_id, id, started_ms, alive_ms, ended_ms) VALUES (?, ?, ?, ?, ?)',
    ),
    dropOldPeriods: db.prepare<[number]>(
      'DELETE FROM relay_periods WHERE rowid IN (SELECT rowid FROM relay_periods ORDER BY started_ms DESC LIMIT -1 OFFSET ?)',
    ),
    startOver: db.prepare('UPDATE relay_positions SET seq = -1'),
  }
}

/** For the gap record. */
export function readRelays(db: Database): RelayRecord {
  // The writer has not migrated an older journal yet.
  if (schemaVersion(db) < 2) return { periods: [], losses: [] }
  const periods = db
    .prepare<[], Omit<RelayRecord['periods'][number], 'isNewest'> & { isNewest: number }>(
      `SELECT max(started_ms, since_ms) AS startedMs, alive_ms AS aliveMs, ended_ms AS endedMs,
         relay_id = (SELECT relay_id FROM relay_positions ORDER BY used_ms DESC, rowid DESC LIMIT 1) AS isNewest
       FROM relay_periods JOIN relay_positions USING (relay_id)
       WHERE ended_ms IS NULL OR ended_ms >= since_ms ORDER BY started_ms`,
    )
    .all()
  return {
    periods: periods.map((period) => ({ ...period, isNewest: Boolean(period.isNewest) })),
    losses: db
      .prepare<[], RelayRecord['losses'][number]>(
        'SELECT from_ms AS fromMs, to_ms AS toMs FROM relay_losses ORDER BY from_ms',
      )
      .all(),
  }
}

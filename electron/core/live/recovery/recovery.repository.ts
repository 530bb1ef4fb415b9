import type { RecoveryRun } from '../../../contract/live/recovery.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** A repair of one gap. */
export interface StoredRun {
  id: string
  fromMs: number
  toMs: number
}

/** A message without a final status. */
export interface OpenMessage {
  messageId: string
  /** Arrival of its last report, in milliseconds. */
  sinceMs: number
}

/** The result for a message: final status, still open, unknown to the service, or not readable. */
type ReadOutcome = 'final' | 'open' | 'not-found' | 'unreadable'

/** `status` is the service's word; null if it gave none. */
export interface ReadMessage {
  messageId: string
  outcome: ReadOutcome
  status: string | null
}

/** Most unreadable messages named in a result. */
const namedMax = 20

export type RecoveryRepository = ReturnType<typeof createRecoveryRepository>

/** Repairs and their results in `state.db`. Reads the furthest status of each message from the events. */
export function createRecoveryRepository(db: Database) {
  const insert = db.prepare<[string, number, number, string, number]>(
    'INSERT OR IGNORE INTO recoveries (id, from_ms, to_ms, task_id, started_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const finish = db.prepare<[number, string]>('UPDATE recoveries SET ended_ms = ? WHERE id = ?')
  const findLatest = db.prepare<
    [number],
    { id: string; taskId: string; startedMs: number; endedMs: number | null }
  >(
    `SELECT id, task_id AS taskId, started_ms AS startedMs, ended_ms AS endedMs FROM recoveries
     WHERE from_ms = ? ORDER BY started_ms DESC LIMIT 1`,
  )
  // SQLite takes the other columns from the row that has max(read_ms).
  const sum = db.prepare<[number], { outcome: ReadOutcome; status: string | null; count: number }>(
    `SELECT outcome, status, count(*) AS count FROM (
       SELECT message_id, outcome, status, max(read_ms) FROM recovered
       WHERE recovery_id IN (SELECT id FROM recoveries WHERE from_ms = ?) GROUP BY message_id)
     GROUP BY outcome, status ORDER BY count DESC, status`,
  )
  const findUnreadable = db
    .prepare<[number, number], string>(
      `SELECT DISTINCT message_id FROM recovered
       WHERE outcome = 'unreadable' AND recovery_id IN (SELECT id FROM recoveries WHERE from_ms = ?)
       ORDER BY message_id LIMIT ?`,
    )
    .pluck()
  const sumOfRun = db.prepare<[string], { outcome: ReadOutcome; count: number }>(
    'SELECT outcome, count(*) AS count FROM recovered WHERE recovery_id = ? GROUP BY outcome',
  )
  // A final status stays final; an open one may have changed, so the next run reads it again.
  const openOf = (table: 'messages' | 'kept_messages') =>
    `SELECT message_id AS messageId, since_ms AS sinceMs FROM ${table} INDEXED BY ${table}_open WHERE final = 0 AND since_ms < :toMs
       AND NOT EXISTS (SELECT 1 FROM recovered WHERE recovered.message_id = ${table}.message_id
         AND (recovered.outcome IN ('final', 'not-found') OR recovered.recovery_id = :runId))`
  const isAfter = '(since_ms, message_id) > (:sinceMs, :messageId)'
  const findOpen = db.prepare<
    { toMs: number; runId: string; sinceMs: number; messageId: string; limit: number },
    OpenMessage
  >(
    `${openOf('messages')} AND ${isAfter} UNION ALL ${openOf('kept_messages')} AND ${isAfter}
     ORDER BY sinceMs, messageId LIMIT :limit`,
  )
  const count = db
    .prepare<{ toMs: number; runId: string; most: number }, number>(
      `SELECT count(*) FROM (${openOf('messages')} UNION ALL ${openOf('kept_messages')} LIMIT :most)`,
    )
    .pluck()
  const put = db.prepare<[string, string, ReadOutcome, string | null, number]>(
    'INSERT OR REPLACE INTO recovered (message_id, recovery_id, outcome, status, read_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const dropEarlier = db.prepare<{ messageId: string; runId: string; outcome: ReadOutcome }>(
    `DELETE FROM recovered WHERE message_id = :messageId AND recovery_id <> :runId
       AND (:outcome <> 'unreadable' OR outcome = 'unreadable')
       AND recovery_id IN (SELECT id FROM recoveries WHERE from_ms = (SELECT from_ms FROM recoveries WHERE id = :runId))`,
  )
  const store = db.transaction(
    (runId: string, { messageId, outcome, status }: ReadMessage, nowMs: number) => {
      put.run(messageId, runId, outcome, status, nowMs)
      // Replaces earlier results, except that an unreadable answer doesn't replace a readable one.
      dropEarlier.run({ messageId, runId, outcome })
    },
  )

  return {
    /** Idempotent. */
    begin: ({ id, fromMs, toMs, taskId, nowMs }: StoredRun & { taskId: string; nowMs: number }): void =>
      void insert.run(id, fromMs, toMs, taskId, nowMs),
    /** The latest repair of the gap that began then, with the results of all its repairs, each message counted once. */
    latest(fromMs: number): RecoveryRun | null {
      const run = findLatest.get(fromMs)
      if (!run) return null
      const sums = sum.all(fromMs)
      const countOf = (outcome: ReadOutcome) =>
        sums.reduce((all, row) => all + (row.outcome === outcome ? row.count : 0), 0)
      return {
        id: run.id,
        taskId: run.taskId,
        startedAt: isoTime(run.startedMs),
        endedAt: isoTime(run.endedMs),
        read: sums.reduce((all, row) => all + row.count, 0),
        byStatus: sums.flatMap(({ outcome, status, count }) =>
          outcome === 'final' || outcome === 'open' ? [{ status, final: outcome === 'final', count }] : [],
        ),
        notFound: countOf('not-found'),
        unreadable: countOf('unreadable'),
        unreadableIds: findUnreadable.all(fromMs, namedMax),
      }
    },
    end: (id: string, nowMs: number): void => void finish.run(nowMs, id),
    /**
     * Open messages whose last report came before `toMs` and whose status was not final when last read. Longest
     * silent first, after `after`, without those this run has read.
     */
    open: (toMs: number, after: OpenMessage | null, limit: number, runId: string): OpenMessage[] =>
      findOpen.all({
        toMs,
        runId,
        limit,
        sinceMs: after?.sinceMs ?? -1,
        messageId: after?.messageId ?? '',
      }),
    /** Number of open messages, counted up to `most`, without those this run has read. */
    countOpen: (toMs: number, most: number, runId: string): number => count.get({ toMs, most, runId })!,
    /** Number of messages this run has read, by result. */
    readBy(runId: string): Record<ReadOutcome, number> {
      const counts = { final: 0, open: 0, 'not-found': 0, unreadable: 0 }
      for (const row of sumOfRun.all(runId)) counts[row.outcome] = row.count
      return counts
    },
    /** Stores a result and removes earlier ones of the same gap, so that repeating a repair adds nothing. */
    store: (runId: string, message: ReadMessage, nowMs: number): void =>
      store.immediate(runId, message, nowMs),
  }
}

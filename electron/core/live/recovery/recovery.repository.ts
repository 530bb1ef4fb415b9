import type { RecoveryRun } from '../../../contract/recovery.ts'
import type { Database } from '../../../database/open.ts'
import { isoTime } from '../../../lib/iso-time.ts'

/** A reading for one hole. */
export interface StoredRun {
  id: string
  fromMs: number
  toMs: number
}

/** A message without a final status. */
export interface OpenMessage {
  messageId: string
  /** When the last report of it arrived, milliseconds. */
  sinceMs: number
}

/** What became of reading a message: its status is final or not, the service does not know it, or cannot be asked about it. */
export type ReadOutcome = 'final' | 'open' | 'not-found' | 'unreadable'

/** `status` is the service's own word, null where it gave none. */
export interface ReadMessage {
  messageId: string
  outcome: ReadOutcome
  status: string | null
}

export interface RecoveryRepository {
  /** Twice is as once. */
  begin(run: StoredRun & { taskId: string; nowMs: number }): void
  /** The latest reading for the hole that began then, with what all of its readings found, each message once. */
  latest(fromMs: number): RecoveryRun | null
  end(id: string, nowMs: number): void
  /**
   * Open messages whose last report came before `toMs` and of which the service said nothing final since, from the longest silent on,
   * after `after`. Those that the run has read already are left out.
   */
  open(toMs: number, after: OpenMessage | null, limit: number, runId: string): OpenMessage[]
  /** How many there are, counted up to `most`; those that the run has read are left out. */
  countOpen(toMs: number, most: number, runId: string): number
  /** How many messages the run has read, by what became of them. */
  readBy(runId: string): Record<ReadOutcome, number>
  /** Keeps one answer in place of those of earlier readings for the same hole, so that repeating one adds nothing. */
  keep(runId: string, message: ReadMessage, nowMs: number): void
}

/** Readings and their answers in `state.db`. Of the events it reads the furthest status of each message. */
export function createRecoveryRepository(db: Database): RecoveryRepository {
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
  // Of the rows of a message the one with the latest reading is taken, which is SQLite's own rule for max().
  const sum = db.prepare<[number], { outcome: ReadOutcome; status: string | null; count: number }>(
    `SELECT outcome, status, count(*) AS count FROM (
       SELECT message_id, outcome, status, max(read_ms) FROM recovered
       WHERE recovery_id IN (SELECT id FROM recoveries WHERE from_ms = ?) GROUP BY message_id)
     GROUP BY outcome, status ORDER BY count DESC, status`,
  )
  const sumOfRun = db.prepare<[string], { outcome: ReadOutcome; count: number }>(
    'SELECT outcome, count(*) AS count FROM recovered WHERE recovery_id = ? GROUP BY outcome',
  )
  // What was final at the service once stays so; what was not may have become so, and is read again by the next run.
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
  const keep = db.transaction((runId: string, { messageId, outcome, status }: ReadMessage, nowMs: number) => {
    put.run(messageId, runId, outcome, status, nowMs)
    // A reading that is repeated takes the place of the one before; what was read stays beside what could not be read.
    dropEarlier.run({ messageId, runId, outcome })
  })

  return {
    begin: ({ id, fromMs, toMs, taskId, nowMs }) => void insert.run(id, fromMs, toMs, taskId, nowMs),
    latest(fromMs) {
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
      }
    },
    end: (id, nowMs) => void finish.run(nowMs, id),
    open: (toMs, after, limit, runId) =>
      findOpen.all({
        toMs,
        runId,
        limit,
        sinceMs: after?.sinceMs ?? -1,
        messageId: after?.messageId ?? '',
      }),
    countOpen: (toMs, most, runId) => count.get({ toMs, most, runId })!,
    readBy(runId) {
      const counts = { final: 0, open: 0, 'not-found': 0, unreadable: 0 }
      for (const row of sumOfRun.all(runId)) counts[row.outcome] = row.count
      return counts
    },
    keep: (runId, message, nowMs) => keep.immediate(runId, message, nowMs),
  }
}

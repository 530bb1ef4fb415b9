import type { RecoveryRun } from '../../contract/recovery.ts'
import type { Database } from '../../database/open.ts'
import { isoTime } from '../../lib/iso-time.ts'

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

/** What the service said of a message; `status` null where it does not know it. */
export interface ReadMessage {
  messageId: string
  status: string | null
  isFinal: boolean
}

export interface RecoveryRepository {
  /** Twice is as once. */
  begin(run: StoredRun & { taskId: string; nowMs: number }): void
  /** The latest reading for the hole that began then. */
  latest(fromMs: number): RecoveryRun | null
  end(id: string, nowMs: number): void
  /**
   * Open messages whose last report came before `toMs` and of which the service said nothing final since, from the longest silent on,
   * after `after`. Those that the run has read already are left out.
   */
  open(toMs: number, after: OpenMessage | null, limit: number, runId: string): OpenMessage[]
  /** How many there are, counted up to `most`. */
  countOpen(toMs: number, most: number): number
  /** Keeps one answer. */
  keep(runId: string, message: ReadMessage, nowMs: number): void
  /** What the service last said of a message, where it was read for a hole. */
  of(messageId: string): { status: string | null; readAt: string } | null
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
  const sum = db.prepare<[string], { status: string | null; isFinal: number; count: number }>(
    `SELECT status, final AS isFinal, count(*) AS count FROM recovered WHERE recovery_id = ?
     GROUP BY status, final ORDER BY count DESC, status`,
  )
  // What was final at the service once stays so; what was not may have become so, and is read again by the next run.
  const isOpen = `FROM messages INDEXED BY messages_open WHERE final = 0 AND since_ms < :toMs
    AND NOT EXISTS (SELECT 1 FROM recovered WHERE recovered.message_id = messages.message_id
      AND (recovered.final = 1 OR recovered.status IS NULL OR recovered.recovery_id = :runId))`
  const findOpen = db.prepare<
    { toMs: number; runId: string; sinceMs: number; messageId: string; limit: number },
    OpenMessage
  >(
    `SELECT message_id AS messageId, since_ms AS sinceMs ${isOpen}
       AND (since_ms > :sinceMs OR (since_ms = :sinceMs AND message_id > :messageId))
     ORDER BY since_ms, message_id LIMIT :limit`,
  )
  const count = db
    .prepare<{ toMs: number; runId: string; most: number }, number>(
      `SELECT count(*) FROM (SELECT 1 ${isOpen} LIMIT :most)`,
    )
    .pluck()
  const put = db.prepare<[string, string | null, number, number, string]>(
    `INSERT INTO recovered (message_id, status, final, read_ms, recovery_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (message_id) DO UPDATE SET status = excluded.status, final = excluded.final,
       read_ms = excluded.read_ms, recovery_id = excluded.recovery_id`,
  )
  const find = db.prepare<[string], { status: string | null; readMs: number }>(
    'SELECT status, read_ms AS readMs FROM recovered WHERE message_id = ?',
  )

  return {
    begin: ({ id, fromMs, toMs, taskId, nowMs }) => void insert.run(id, fromMs, toMs, taskId, nowMs),
    latest(fromMs) {
      const run = findLatest.get(fromMs)
      if (!run) return null
      const sums = sum.all(run.id)
      return {
        id: run.id,
        taskId: run.taskId,
        startedAt: isoTime(run.startedMs),
        endedAt: isoTime(run.endedMs),
        read: sums.reduce((all, row) => all + row.count, 0),
        byStatus: sums.flatMap((row) =>
          row.status === null ? [] : [{ status: row.status, final: row.isFinal === 1, count: row.count }],
        ),
        notFound: sums.find(({ status }) => status === null)?.count ?? 0,
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
    countOpen: (toMs, most) => count.get({ toMs, most, runId: '' })!,
    keep: (runId, { messageId, status, isFinal }, nowMs) =>
      void put.run(messageId, status, isFinal ? 1 : 0, nowMs, runId),
    of(messageId) {
      const row = find.get(messageId)
      return row ? { status: row.status, readAt: isoTime(row.readMs) } : null
    },
  }
}

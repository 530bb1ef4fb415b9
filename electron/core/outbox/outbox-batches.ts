import type { OutboxBatch, OutboxState } from '../../contract/outbox.ts'
import type { Database } from '../../database/open.ts'

export const outboxStates: readonly OutboxState[] = [
  'held-back',
  'queued',
  'blocked',
  'in-flight',
  'done',
  'rejected',
  'unknown',
  'cancelled',
]

/** Items in a state. */
export interface StateCount {
  state: OutboxState
  n: number
}

/** Zero for the states that are not named. */
export function toCounts(rows: readonly StateCount[]): Record<OutboxState, number> {
  const counts = Object.fromEntries(outboxStates.map((state) => [state, 0])) as Record<OutboxState, number>
  for (const { state, n } of rows) counts[state] = n
  return counts
}

/** In place of the end of the grace time: while a batch is taken back, and when it was. */
const takingBack = Number.MAX_SAFE_INTEGER
const takenBack = -1
const isTakenBack = (holdUntilMs: number | null) => holdUntilMs === takenBack || holdUntilMs === takingBack

/** What was queued by one action each, and until when it is held back. */
export interface OutboxBatches {
  addBatch(batch: {
    id: string
    kind: OutboxBatch['kind']
    title: string
    createdMs: number
    holdUntilMs: number | null
  }): void
  /** Newest first, from behind the batch of the id `afterId` on. */
  batches(limit: number, afterId: string | undefined, nowMs: number): OutboxBatch[]
  /** Until when its items are held back, null when they are not; and whether it is or was taken back. */
  batch(id: string): { holdUntilMs: number | null; isTakenBack: boolean } | null
  /** Items of a batch by their state. */
  countsOf(batchId: string): Record<OutboxState, number>
  /** True while items of the batch must wait for its grace time. */
  isHeld(batchId: string): boolean
  hold(batchId: string, untilMs: number): void
  /** Lets nothing of the batch go any more. Until `endTakingBack` it is one of `takingBack`, over a restart too. */
  beginTakingBack(batchId: string): void
  endTakingBack(batchId: string): void
  takingBack(): string[]
  /** Batches whose grace time ended by `nowMs`. */
  dueBatches(nowMs: number): string[]
  nextDueMs(): number | null
  endHold(batchId: string): void
}

/** The batches of the outbox in `state.db`. */
export function createOutboxBatches(db: Database): OutboxBatches {
  const addBatch = db.prepare(
    'INSERT INTO outbox_batches (id, kind, title, created_ms, hold_until_ms) VALUES (@id, @kind, @title, @createdMs, @holdUntilMs)',
  )
  const holdOf = (batchId: string) =>
    db.prepare('SELECT hold_until_ms FROM outbox_batches WHERE id = ?').pluck().get(batchId) as
      number | null | undefined
  const setHold = (batchId: string, untilMs: number | null) =>
    void db.prepare('UPDATE outbox_batches SET hold_until_ms = ? WHERE id = ?').run(untilMs, batchId)

  const stateCounts = db.prepare<[string], StateCount>(
    'SELECT state, count(*) AS n FROM outbox WHERE batch_id = ? GROUP BY state',
  )
  const countsOf = (batchId: string) => toCounts(stateCounts.all(batchId))

  // Batches of one millisecond are in the order in which they came.
  const behind = 'WHERE (created_ms, rowid) < (SELECT created_ms, rowid FROM outbox_batches WHERE id = ?)'
  const iso = (ms: number) => new Date(ms).toISOString()

  return {
    addBatch: (batch) => void addBatch.run(batch),
    batches(limit, afterId, nowMs) {
      const rows = db
        .prepare<
          unknown[],
          {
            id: string
            kind: OutboxBatch['kind']
            title: string
            createdMs: number
            holdUntilMs: number | null
          }
        >(
          `SELECT id, kind, title, created_ms AS createdMs, hold_until_ms AS holdUntilMs FROM outbox_batches
           ${afterId === undefined ? '' : behind} ORDER BY created_ms DESC, rowid DESC LIMIT ?`,
        )
        .all(...(afterId === undefined ? [] : [afterId]), limit)
      return rows.map(({ id, kind, title, createdMs, holdUntilMs }) => {
        const counts = countsOf(id)
        const undoable = holdUntilMs !== null && holdUntilMs > nowMs && holdUntilMs < takingBack
        return {
          id,
          kind,
          title,
          createdAt: iso(createdMs),
          counts,
          undoableUntil: undoable ? iso(holdUntilMs) : null,
          takenBack: isTakenBack(holdUntilMs),
        }
      })
    },
    batch(id) {
      const holdUntilMs = holdOf(id)
      if (holdUntilMs === undefined) return null
      return {
        holdUntilMs: holdUntilMs === takenBack ? null : holdUntilMs,
        isTakenBack: isTakenBack(holdUntilMs),
      }
    },
    countsOf,
    isHeld: (id) => (holdOf(id) ?? takenBack) !== takenBack,
    hold: setHold,
    beginTakingBack: (id) => setHold(id, takingBack),
    endTakingBack: (id) => setHold(id, takenBack),
    takingBack: () =>
      db
        .prepare<[number], string>('SELECT id FROM outbox_batches WHERE hold_until_ms = ?')
        .pluck()
        .all(takingBack),
    dueBatches: (nowMs) =>
      db
        .prepare<[number], string>(
          'SELECT id FROM outbox_batches WHERE hold_until_ms >= 0 AND hold_until_ms <= ?',
        )
        .pluck()
        .all(nowMs),
    nextDueMs: () =>
      (db
        .prepare(
          'SELECT min(hold_until_ms) FROM outbox_batches WHERE hold_until_ms >= 0 AND hold_until_ms < ?',
        )
        .pluck()
        .get(takingBack) as number | null) ?? null,
    endHold: (batchId) => setHold(batchId, null),
  }
}

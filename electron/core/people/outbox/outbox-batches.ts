import {
  type OutboxBatch,
  type OutboxStatus,
  outboxStatusSchema,
  type UndoableDeletion,
} from '../../../contract/people/outbox.ts'
import { saidOf, type Said, storedText } from '../../../contract/phrases.ts'
import type { Database } from '../../../database/open.ts'
import type { LocalHours } from '../../../lib/local-hours.ts'
import { isHeld } from '../../../jobs/sends/send-reports.ts'
import { isoTime } from '../../../lib/iso-time.ts'

export const outboxStatuses = outboxStatusSchema.options

/** Counts items by status, with zero for missing ones. `of`: SQL terms about the items, which have the indexes of a batch and of states. */
export function statusCounts(db: Database, of = '') {
  const count = db.prepare<unknown[], { status: OutboxStatus; n: number }>(
    `SELECT state AS status, count(*) AS n FROM outbox WHERE TRUE ${of} GROUP BY state`,
  )
  const resolved = db.prepare<unknown[], { status: 'sent-again' | 'discarded'; n: number }>(
    `SELECT resolution AS status, count(*) AS n FROM outbox INDEXED BY outbox_resolved
     WHERE state = 'cancelled' AND resolution IS NOT NULL ${of} GROUP BY resolution`,
  )
  const notSent = db.prepare<unknown[], { status: 'not-sent' | 'held'; n: number }>(
    `SELECT iif(${isHeld}, 'held', 'not-sent') AS status, count(*) AS n FROM outbox INDEXED BY outbox_not_sent
     WHERE state = 'rejected' AND problem_code = 'ON_DNC' ${of} GROUP BY 1`,
  )
  return (...values: unknown[]): Record<OutboxStatus, number> => {
    const none = outboxStatuses.map((status) => [status, 0])
    const counts = Object.fromEntries(none) as Record<OutboxStatus, number>
    for (const { status, n } of count.all(...values)) counts[status] = n
    for (const { status, n } of resolved.all(...values)) {
      counts[status] = n
      counts.cancelled -= n
    }
    for (const { status, n } of notSent.all(...values)) {
      counts[status] = n
      counts.rejected -= n
    }
    return counts
  }
}

/** Items that left or leave soon, without an outcome yet. Scheduled ones wait for a time. */
export const openItems = (counts: Record<OutboxStatus, number>): number =>
  counts.undoable + counts.queued + counts.blocked + counts['in-flight']

/** `held`: until `hold_until_ms`, the end of its undo window or its start. `missed`: its start passed, so a person decides. */
type BatchState = 'filling' | 'held' | 'missed' | 'ready' | 'undoing' | 'undone'

const isUndone = (state: BatchState) => state === 'undoing' || state === 'undone'

/** The undo window and progress of a batch. */
export interface BatchHold {
  state: BatchState
  createdMs: number
  isUndone: boolean
  /** Null unless `held`. */
  holdUntilMs: number | null
  /** Its chosen start, until it has started. */
  startMs: number | null
  /** Its messages leave although the DNC copy proves nothing, as the operator chose. */
  unchecked: boolean
  kind: OutboxBatch['kind']
  /** Contacts a deletion should mark, and those it has marked; zero for other batches. */
  chosen: number
  marked: number
}

/** Whether the batch keeps its items back. */
export const holdsBack = ({ state, holdUntilMs }: Pick<BatchHold, 'state' | 'holdUntilMs'>, nowMs: number) =>
  state === 'held' ? holdUntilMs! > nowMs : state !== 'ready' && state !== 'undone'

export function createOutboxBatches(db: Database) {
  const addBatch = db.prepare(
    `INSERT INTO outbox_batches (id, kind, title, created_ms, state, chosen, start_ms, unchecked)
     VALUES (@id, @kind, @title, @createdMs, @state, @chosen, @startMs, @unchecked)`,
  )
  const find = db.prepare<
    [string],
    Pick<BatchHold, 'state' | 'createdMs' | 'holdUntilMs' | 'kind' | 'marked' | 'startMs'> & {
      chosen: number | null
      unchecked: 0 | 1
    }
  >(
    `SELECT state, created_ms AS createdMs, hold_until_ms AS holdUntilMs, kind, chosen, marked, start_ms AS startMs, unchecked
     FROM outbox_batches WHERE id = ?`,
  )
  const withHours = `FROM outbox INDEXED BY outbox_with_hours
    WHERE batch_id = ? AND state = 'scheduled' AND hours_json IS NOT NULL`
  const outsideHours = (order: 'ASC' | 'DESC') =>
    db.prepare<[string], { hoursJson: string; notBeforeMs: number }>(
      `SELECT hours_json AS hoursJson, not_before_ms AS notBeforeMs ${withHours}
       AND not_before_ms > 0 ORDER BY not_before_ms ${order} LIMIT 1`,
    )
  const firstOutside = outsideHours('ASC')
  const lastOutside = outsideHours('DESC')
  const anyHours = db.prepare<[string], string>(`SELECT hours_json ${withHours} LIMIT 1`).pluck()
  function hoursOf(id: string): OutboxBatch['hours'] {
    const json = anyHours.get(id)
    return json === undefined ? null : (JSON.parse(json) as LocalHours)
  }
  function waitsFor(id: string): OutboxBatch['waitsFor'] {
    const [first, last] = [firstOutside.get(id), lastOutside.get(id)]
    if (!first || !last) return null
    const hours = JSON.parse(first.hoursJson) as LocalHours
    return { hours, nextAt: isoTime(first.notBeforeMs), lastAt: isoTime(last.notBeforeMs) }
  }
  const setStart = db.prepare<[number, string]>('UPDATE outbox_batches SET start_ms = ? WHERE id = ?')
  const started = db.prepare<[0 | 1, string]>(
    'UPDATE outbox_batches SET started_ms = start_ms, start_ms = NULL, unchecked = max(unchecked, ?) WHERE id = ?',
  )
  const missStart = db.prepare<[string]>(
    `UPDATE outbox_batches SET start_ms = coalesce(start_ms, started_ms), state = 'missed', hold_until_ms = NULL WHERE id = ?`,
  )
  const startedWithUnsent = db
    .prepare<{ dueMs: number }, string>(
      `SELECT id FROM outbox_batches WHERE started_ms IS NOT NULL AND state NOT IN ('undoing', 'undone')
       AND EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_by_batch WHERE batch_id = outbox_batches.id
         AND (state = 'queued' OR state = 'scheduled' AND outbox_batches.state <> 'missed'
           AND max(coalesce(hold_until_ms, 0), coalesce(not_before_ms, 0)) <= @dueMs))`,
    )
    .pluck()
  const update = db.prepare<[BatchState, number | null, string]>(
    'UPDATE outbox_batches SET state = ?, hold_until_ms = ? WHERE id = ?',
  )
  const setState = (batchId: string, state: Exclude<BatchState, 'held'>) =>
    void update.run(state, null, batchId)
  const inState = db.prepare<[BatchState], string>('SELECT id FROM outbox_batches WHERE state = ?').pluck()
  const fillingDeletions = db
    .prepare<[], string>("SELECT id FROM outbox_batches WHERE state = 'filling' AND chosen IS NOT NULL")
    .pluck()
  const due = db
    .prepare<[number], string>("SELECT id FROM outbox_batches WHERE state = 'held' AND hold_until_ms <= ?")
    .pluck()
  const nextHeld = (hasStart: boolean) =>
    db
      .prepare<[], number | null>(
        `SELECT min(hold_until_ms) FROM outbox_batches
         WHERE state = 'held' AND start_ms IS ${hasStart ? 'NOT NULL' : 'NULL'}`,
      )
      .pluck()
  const nextWindow = nextHeld(false)
  const nextStart = nextHeld(true)
  const addMarked = db.prepare(
    'UPDATE outbox_batches SET marked = marked + @marked, requested = requested + @requested WHERE id = @batchId',
  )
  // Each window asks often. Few batches are held, so this index is much faster than the one on time.
  const undoable = db.prepare<
    [number],
    Pick<UndoableDeletion, 'batchId' | 'chosen' | 'marked' | 'requested'> & {
      state: 'filling' | 'held' | 'undoing'
      holdUntilMs: number | null
    }
  >(`
    SELECT id AS batchId, chosen, marked, requested, state, hold_until_ms AS holdUntilMs FROM outbox_batches
    INDEXED BY outbox_batches_by_state WHERE state IN ('filling', 'held', 'undoing') AND coalesce(hold_until_ms > ?, TRUE)
      AND chosen IS NOT NULL ORDER BY created_ms DESC, rowid DESC`)

  const countsOf: (batchId: string) => Record<OutboxStatus, number> = statusCounts(db, 'AND batch_id = ?')

  const erased = db
    .prepare<[string], number>(
      `SELECT count(*) FROM outbox WHERE batch_id = ? AND state = 'cancelled' AND resolution IS NULL AND phone = ''`,
    )
    .pluck()

  // Batches of the same millisecond keep their insertion order.
  const behind = 'AND (created_ms, rowid) < (SELECT created_ms, rowid FROM outbox_batches WHERE id = ?)'
  const waits = `(start_ms IS NOT NULL AND state IN ('filling', 'held', 'missed'))`

  function listed(nowMs: number, which: string, ...values: unknown[]): OutboxBatch[] {
    const rows = db
      .prepare<
        unknown[],
        {
          id: string
          kind: OutboxBatch['kind']
          title: string
          createdMs: number
          state: BatchState
          holdUntilMs: number | null
          startMs: number | null
        }
      >(
        `SELECT id, kind, title, created_ms AS createdMs, state, hold_until_ms AS holdUntilMs, start_ms AS startMs
         FROM outbox_batches ${which}`,
      )
      .all(...values)
    return rows.map(({ id, kind, title, createdMs, state, holdUntilMs, startMs }) => ({
      id,
      kind,
      title: saidOf(title),
      createdAt: isoTime(createdMs),
      counts: countsOf(id),
      undoableUntil: holdUntilMs !== null && holdUntilMs > nowMs ? isoTime(holdUntilMs) : null,
      startAt: isUndone(state) ? null : isoTime(startMs),
      startMissed: state === 'missed',
      waitsFor: waitsFor(id),
      hours: hoursOf(id),
      open: state === 'filling',
      undone: isUndone(state),
    }))
  }

  return {
    addBatch: ({
      open: isOpen,
      chosen,
      startMs,
      unchecked,
      ...batch
    }: {
      id: string
      kind: OutboxBatch['kind']
      title: Said
      createdMs: number
      /** Waits while it is being filled. */
      open?: true
      /** Contacts a deletion should mark. */
      chosen?: number
      /** Its chosen start. */
      startMs?: number | null
      /** See `BatchHold`. */
      unchecked?: boolean
    }): void =>
      void addBatch.run({
        ...batch,
        title: storedText(batch.title),
        chosen: chosen ?? null,
        startMs: startMs ?? null,
        unchecked: unchecked ? 1 : 0,
        state: isOpen ? 'filling' : 'ready',
      }),
    /** Those that don't wait for a start, newest first, after the batch with the id `afterId`. */
    batches: (limit: number, afterId: string | undefined, nowMs: number): OutboxBatch[] =>
      listed(
        nowMs,
        `WHERE NOT ${waits} ${afterId === undefined ? '' : behind} ORDER BY created_ms DESC, rowid DESC LIMIT ?`,
        ...(afterId === undefined ? [] : [afterId]),
        limit,
      ),
    /** Those that wait for their start or missed it, by start. */
    waitingBatches: (nowMs: number): OutboxBatch[] =>
      listed(nowMs, `INDEXED BY outbox_batches_by_state WHERE ${waits} ORDER BY start_ms, rowid LIMIT 200`),
    namedBatch: (id: string, nowMs: number): OutboxBatch[] => listed(nowMs, 'WHERE id = ?', id),
    batch(id: string): BatchHold | null {
      const row = find.get(id)
      if (!row) return null
      const undone = isUndone(row.state)
      return {
        ...row,
        isUndone: undone,
        startMs: undone ? null : row.startMs,
        chosen: row.chosen ?? 0,
        unchecked: row.unchecked === 1,
      }
    },
    countsOf,
    /** Of a batch: items that Switchboard rejected, by list, and those of erased people. */
    notSentIn(batchId: string) {
      const { 'not-sent': dnc, held } = countsOf(batchId)
      return { dnc, held, erased: erased.get(batchId)! }
    },
    /** Items of a batch that left or may have left. */
    leftOf(batchId: string): number {
      const { done, rejected, unknown, discarded, ...counts } = countsOf(batchId)
      return done + rejected + unknown + discarded + counts['sent-again'] + counts['in-flight']
    },
    waitsFor,
    /** State of the batch's items that wait for no other item: `undoable` until its undo window ends, `scheduled` until its start. */
    readyState(id: string, nowMs: number): 'undoable' | 'scheduled' | 'queued' {
      const batch = find.get(id)
      if (!batch || batch.state === 'ready' || batch.state === 'undone') return 'queued'
      if (batch.startMs !== null) return 'scheduled'
      // It may be under release, which passes over items that become undoable now.
      return holdsBack(batch, nowMs) ? 'undoable' : 'queued'
    },
    setStart: (id: string, startMs: number): void => void setStart.run(startMs, id),
    /** The start of a batch has come. `isUnchecked`: by a person, with the DNC copy as it is. */
    started: (id: string, isUnchecked = false): void => void started.run(isUnchecked ? 1 : 0, id),
    /** Batches whose start has come, with items that should have been sent by `dueMs`. */
    startedWithUnsent: (dueMs: number): string[] => startedWithUnsent.all({ dueMs }),
    /** Keeps a batch waiting for a person, because its start passed. */
    missStart: (id: string): void => void missStart.run(id),
    missedStarts: (): number => inState.all('missed').length,
    hold: (id: string, untilMs: number): void => void update.run('held', untilMs, id),
    fill: (id: string): void => setState(id, 'filling'),
    /** Deletions that are still being filled. */
    openDeletions: (): string[] => fillingDeletions.all(),
    /** Adds contacts marked now, and how many of them need a request. */
    addMarked: (batchId: string, count: { marked: number; requested: number }): void =>
      void addMarked.run({ batchId, ...count }),
    /** Deletions that can be undone or are being undone, newest first. */
    undoableDeletions: (nowMs: number): UndoableDeletion[] =>
      undoable.all(nowMs).map(({ state, holdUntilMs, ...deletion }) => ({
        ...deletion,
        state: state === 'filling' ? 'marking' : state,
        until: isoTime(holdUntilMs),
      })),
    /** Stops the batch. It stays in `undoing`, also after a restart, until `endUndo`. */
    beginUndo: (id: string): void => setState(id, 'undoing'),
    endUndo: (id: string): void => setState(id, 'undone'),
    undoing: (): string[] => inState.all('undoing'),
    /** Batches whose undo window ended by `nowMs`. */
    dueBatches: (nowMs: number): string[] => due.all(nowMs),
    /** End of the first undo window. */
    nextWindowMs: (): number | null => nextWindow.get() ?? null,
    nextStartMs: (): number | null => nextStart.get() ?? null,
    endHold: (batchId: string): void => setState(batchId, 'ready'),
  }
}

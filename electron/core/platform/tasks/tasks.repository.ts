import type { ErrorData } from '../../../contract/errors.ts'
import type { Task, TaskKind, TaskState } from '../../../contract/platform/tasks.ts'
import type { Database } from '../../../database/open.ts'

/** A stored task. Times in milliseconds since 1970. */
export interface StoredTask {
  id: string
  kind: TaskKind
  subject: string
  state: TaskState
  done: number
  total: number | null
  unit: Task['progress']['unit']
  counts: Record<string, number>
  refId: string | null
  /** Input of the runner; JSON. */
  payload: unknown
  problem: { code: string; data: ErrorData } | null
  createdMs: number
  startedMs: number | null
  endedMs: number | null
}

interface Row extends Omit<StoredTask, 'counts' | 'payload' | 'problem'> {
  countsJson: string
  payloadJson: string
  problemCode: string | null
  problemJson: string | null
}

/** Ended tasks that are shown. Others can still be resumed or cancelled, so all of them are. */
export const endedShownMax = 200

/** One unreadable row must not hide the whole list. */
function parsed(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return otherwise
  }
}

export type TasksRepository = ReturnType<typeof createTasksRepository>

export function createTasksRepository(db: Database) {
  const upsert = db.prepare<[Row]>(`
    INSERT INTO tasks (id, kind, subject, state, done, total, unit, counts_json, ref_id, payload_json,
      problem_code, problem_json, created_ms, started_ms, ended_ms)
    VALUES (@id, @kind, @subject, @state, @done, @total, @unit, @countsJson, @refId, @payloadJson,
      @problemCode, @problemJson, @createdMs, @startedMs, @endedMs)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, done = excluded.done, total = excluded.total,
      counts_json = excluded.counts_json, ref_id = excluded.ref_id, payload_json = excluded.payload_json,
      problem_code = excluded.problem_code, problem_json = excluded.problem_json,
      started_ms = excluded.started_ms, ended_ms = excluded.ended_ms`)
  const select = db.prepare<[], Row>(`
    SELECT id, kind, subject, state, done, total, unit, counts_json AS countsJson, ref_id AS refId,
      payload_json AS payloadJson, problem_code AS problemCode, problem_json AS problemJson,
      created_ms AS createdMs, started_ms AS startedMs, ended_ms AS endedMs
    FROM tasks WHERE dismissed = 0 AND (ended_ms IS NULL OR rowid IN (
      SELECT rowid FROM tasks WHERE dismissed = 0 AND ended_ms IS NOT NULL ORDER BY created_ms DESC, rowid DESC LIMIT ${endedShownMax}))
    ORDER BY created_ms DESC, rowid DESC`)
  const interrupt = db
    .prepare<[], string>(
      `UPDATE tasks SET state = 'interrupted' WHERE state IN ('waiting', 'running', 'paused') RETURNING id`,
    )
    .pluck()
  const dismiss = db.prepare<[string]>('UPDATE tasks SET dismissed = 1 WHERE id = ?')
  return {
    put({ counts, payload, problem, ...task }: StoredTask) {
      upsert.run({
        ...task,
        countsJson: JSON.stringify(counts),
        payloadJson: JSON.stringify(payload),
        problemCode: problem?.code ?? null,
        problemJson: problem === null ? null : JSON.stringify(problem.data),
      })
    },
    /** Not dismissed, newest first: all that have not ended, and at most 200 others. */
    shown: () =>
      select.all().map(({ countsJson, payloadJson, problemCode, problemJson, ...task }) => ({
        ...task,
        counts: parsed(countsJson, {}) as Record<string, number>,
        payload: parsed(payloadJson, null),
        problem:
          problemCode === null
            ? null
            : { code: problemCode, data: parsed(problemJson ?? '{}', {}) as ErrorData },
      })),
    /** Marks running tasks as interrupted. Returns their ids. */
    interruptRunning: () => interrupt.all(),
    dismiss: db.transaction((ids: readonly string[]) => {
      for (const id of ids) dismiss.run(id)
    }),
  }
}

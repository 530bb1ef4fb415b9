import type { ErrorView } from '../../contract/define.ts'
import type { ImportChoices, ImportCounts, ImportRecord } from '../../contract/imports.ts'
import type { Database } from '../../database/open.ts'

/** An import as it is stored. */
export interface StoredImport {
  id: string
  fileId: string
  fileName: string
  sizeBytes: number
  state: ImportRecord['state']
  choices: ImportChoices | null
  counts: ImportCounts
  taskId: string | null
  problem: ErrorView | null
  undoNote: string | null
  createdMs: number
  endedMs: number | null
}

export interface ImportsRepository {
  put(record: StoredImport): void
  get(id: string): StoredImport | null
  list(limit: number, beforeMs: number): StoredImport[]
  /** Whether there is an import of this id that is more than a look into a file. */
  isStarted(id: string): boolean
  /** Files that unfinished imports still read. */
  neededFiles(): Set<string>
}

type Row = Omit<StoredImport, 'choices' | 'counts' | 'problem'> & {
  choicesJson: string | null
  countsJson: string
  problemJson: string | null
}

const columns = `id, file_id AS fileId, file_name AS fileName, size_bytes AS sizeBytes, state, choices_json AS choicesJson,
  counts_json AS countsJson, task_id AS taskId, problem_json AS problemJson, undo_note AS undoNote, created_ms AS createdMs,
  ended_ms AS endedMs`

const toImport = ({ choicesJson, countsJson, problemJson, ...row }: Row): StoredImport => ({
  ...row,
  choices: choicesJson === null ? null : (JSON.parse(choicesJson) as ImportChoices),
  counts: JSON.parse(countsJson) as ImportCounts,
  problem: problemJson === null ? null : (JSON.parse(problemJson) as ErrorView),
})

export function createImportsRepository(db: Database): ImportsRepository {
  const put = db.prepare(`
    INSERT INTO imports (id, file_id, file_name, size_bytes, state, choices_json, counts_json, task_id, problem_json, undo_note, created_ms, ended_ms)
    VALUES (@id, @fileId, @fileName, @sizeBytes, @state, @choicesJson, @countsJson, @taskId, @problemJson, @undoNote, @createdMs, @endedMs)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, choices_json = excluded.choices_json, counts_json = excluded.counts_json,
      task_id = excluded.task_id, problem_json = excluded.problem_json, undo_note = excluded.undo_note, ended_ms = excluded.ended_ms`)
  const get = db.prepare<[string], Row>(`SELECT ${columns} FROM imports WHERE id = ?`)
  const list = db.prepare<[number, number], Row>(
    `SELECT ${columns} FROM imports WHERE state <> 'prepared' AND created_ms < ? ORDER BY created_ms DESC LIMIT ?`,
  )
  return {
    put: ({ choices, counts, problem, ...record }) =>
      void put.run({
        ...record,
        choicesJson: choices === null ? null : JSON.stringify(choices),
        countsJson: JSON.stringify(counts),
        problemJson: problem === null ? null : JSON.stringify(problem),
      }),
    get(id) {
      const row = get.get(id)
      return row ? toImport(row) : null
    },
    list: (limit, beforeMs) => list.all(beforeMs, limit).map(toImport),
    isStarted: (id) => {
      const row = get.get(id)
      return row !== undefined && row.state !== 'prepared'
    },
    neededFiles: () =>
      new Set(
        db
          .prepare<[], string>(
            // The rejected rows of an import are kept under its own id, as long as its report is.
            `SELECT file_id FROM imports WHERE state IN ('running', 'paused', 'interrupted', 'failed')
             UNION ALL SELECT id FROM imports`,
          )
          .pluck()
          .all(),
      ),
  }
}

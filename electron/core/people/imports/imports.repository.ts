import type { ErrorView } from '../../../contract/define.ts'
import type { ImportChoices, ImportCounts, ImportRecord } from '../../../contract/people/imports.ts'
import type { Database } from '../../../database/open.ts'

/** An import as stored. */
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
  /** Numbers put on hold by what the file says; null before. */
  held: number | null
  createdMs: number
  endedMs: number | null
}

export type ImportsRepository = ReturnType<typeof createImportsRepository>

type Row = Omit<StoredImport, 'choices' | 'counts' | 'problem'> & {
  choicesJson: string | null
  countsJson: string
  problemJson: string | null
}

const columns = `id, file_id AS fileId, file_name AS fileName, size_bytes AS sizeBytes, state, choices_json AS choicesJson,
  counts_json AS countsJson, task_id AS taskId, problem_json AS problemJson, undo_note AS undoNote, created_ms AS createdMs,
  ended_ms AS endedMs, held`

const toImport = ({ choicesJson, countsJson, problemJson, ...row }: Row): StoredImport => ({
  ...row,
  choices: choicesJson === null ? null : (JSON.parse(choicesJson) as ImportChoices),
  counts: JSON.parse(countsJson) as ImportCounts,
  problem: problemJson === null ? null : (JSON.parse(problemJson) as ErrorView),
})

export function createImportsRepository(db: Database) {
  const put = db.prepare(`
    INSERT INTO imports (id, file_id, file_name, size_bytes, state, choices_json, counts_json, task_id, problem_json, undo_note, created_ms, ended_ms, held)
    VALUES (@id, @fileId, @fileName, @sizeBytes, @state, @choicesJson, @countsJson, @taskId, @problemJson, @undoNote, @createdMs, @endedMs, @held)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, created_ms = excluded.created_ms, choices_json = excluded.choices_json, counts_json = excluded.counts_json,
      task_id = excluded.task_id, problem_json = excluded.problem_json, undo_note = excluded.undo_note, ended_ms = excluded.ended_ms, held = excluded.held`)
  const get = db.prepare<[string], Row>(`SELECT ${columns} FROM imports WHERE id = ?`)
  const started = "FROM imports WHERE state <> 'prepared'"
  const newestFirst = 'ORDER BY created_ms DESC, rowid DESC LIMIT ?'
  const list = db.prepare<[number], Row>(`SELECT ${columns} ${started} ${newestFirst}`)
  // Imports of the same millisecond keep their insertion order.
  const listAfter = db.prepare<[string, number], Row>(
    `SELECT ${columns} ${started}
     AND (created_ms, rowid) < (SELECT created_ms, rowid FROM imports WHERE id = ?) ${newestFirst}`,
  )
  const unfinishedOnes = db.prepare<[], Row>(`SELECT ${columns} FROM imports WHERE state = 'running'`)
  const unfinished = "('waiting', 'running', 'paused', 'interrupted', 'failed')"
  const needed = db
    .prepare<{ fileId: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM imports WHERE id = @fileId OR (file_id = @fileId AND state IN ${unfinished}))
       OR EXISTS (SELECT 1 FROM tasks WHERE kind = 'export' AND ref_id = @fileId AND dismissed = 0 AND state IN ${unfinished})
       OR EXISTS (SELECT 1 FROM dnc_checks c JOIN tasks t ON t.id = c.task_id AND t.dismissed = 0 AND t.state IN ${unfinished}
         WHERE c.files_json IS NULL AND c.order_json ->> '$.source.fileId' = @fileId)`,
    )
    .pluck()
  return {
    put: ({ choices, counts, problem, ...record }: StoredImport) =>
      void put.run({
        ...record,
        choicesJson: choices === null ? null : JSON.stringify(choices),
        countsJson: JSON.stringify(counts),
        problemJson: problem === null ? null : JSON.stringify(problem),
      }),
    get(id: string) {
      const row = get.get(id)
      return row ? toImport(row) : null
    },
    /** Newest first, after the import with the id `afterId`. */
    list: (limit: number, afterId: string | undefined) =>
      (afterId === undefined ? list.all(limit) : listAfter.all(afterId, limit)).map(toImport),
    /** Imports that started and did not finish. */
    unfinished: () => unfinishedOnes.all().map(toImport),
    /**
     * Whether a file is still read or written: an import's own file, the file of an unfinished import or check,
     * or the target of an unfinished export. Includes work that began in this session.
     */
    isFileNeeded: (fileId: string) => needed.get({ fileId }) === 1,
  }
}

import type { ErrorView } from '../../../contract/define.ts'
import { AppError } from '../../../contract/errors.ts'
import type { ImportChoices, ImportRecord } from '../../../contract/people/imports.ts'
import type { Database } from '../../../database/open.ts'

/** An import: what was asked, and how it ended. Its progress and counts are in the contact database, committed with its rows. */
export interface StoredImport {
  id: string
  fileId: string
  fileName: string
  sizeBytes: number
  state: ImportRecord['state']
  choices: ImportChoices | null
  taskId: string | null
  problem: ErrorView | null
  undoNote: string | null
  /** Numbers put on hold by what the file says; null before. */
  held: number | null
  createdMs: number
  endedMs: number | null
}

export type ImportsRepository = ReturnType<typeof createImportsRepository>

type Row = Omit<StoredImport, 'choices' | 'problem'> & {
  choicesJson: string | null
  problemJson: string | null
}

const columns = `id, file_id AS fileId, file_name AS fileName, size_bytes AS sizeBytes, state, choices_json AS choicesJson,
  task_id AS taskId, problem_json AS problemJson, undo_note AS undoNote, created_ms AS createdMs,
  ended_ms AS endedMs, held`

const toImport = ({ choicesJson, problemJson, ...row }: Row): StoredImport => ({
  ...row,
  choices: choicesJson === null ? null : (JSON.parse(choicesJson) as ImportChoices),
  problem: problemJson === null ? null : (JSON.parse(problemJson) as ErrorView),
})

export function createImportsRepository(db: Database) {
  const put = db.prepare(`
    INSERT INTO imports (id, file_id, file_name, size_bytes, state, choices_json, task_id, problem_json, undo_note, created_ms, ended_ms, held)
    VALUES (@id, @fileId, @fileName, @sizeBytes, @state, @choicesJson, @taskId, @problemJson, @undoNote, @createdMs, @endedMs, @held)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, created_ms = excluded.created_ms, choices_json = excluded.choices_json,
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
  const running = db.prepare<[], Row>(`SELECT ${columns} FROM imports WHERE state = 'running'`)
  const unfinished = "('waiting', 'running', 'paused', 'interrupted', 'failed')"
  const needed = db
    .prepare<{ fileId: string }, number>(
      `SELECT EXISTS (SELECT 1 FROM imports WHERE id = @fileId OR (file_id = @fileId AND state IN ${unfinished}))
       OR EXISTS (SELECT 1 FROM tasks WHERE kind = 'export' AND ref_id = @fileId AND dismissed = 0 AND state IN ${unfinished})
       OR EXISTS (SELECT 1 FROM dnc_checks c JOIN tasks t ON t.id = c.task_id AND t.dismissed = 0 AND t.state IN ${unfinished}
         WHERE c.files_json IS NULL AND c.order_json ->> '$.source.fileId' = @fileId)`,
    )
    .pluck()
  const repository = {
    put({ choices, problem, ...record }: StoredImport): void {
      put.run({
        ...record,
        choicesJson: choices === null ? null : JSON.stringify(choices),
        problemJson: problem === null ? null : JSON.stringify(problem),
      })
    },
    get(id: string) {
      const row = get.get(id)
      return row ? toImport(row) : null
    },
    /** `NOT_FOUND` */
    find(id: string): StoredImport {
      const found = repository.get(id)
      if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.importRun' } })
      return found
    },
    change(id: string, next: Partial<StoredImport>): StoredImport {
      const changed = { ...repository.find(id), ...next }
      repository.put(changed)
      return changed
    },
    /** Newest first, after the import with the id `afterId`. */
    list: (limit: number, afterId: string | undefined) =>
      (afterId === undefined ? list.all(limit) : listAfter.all(afterId, limit)).map(toImport),
    running: () => running.all().map(toImport),
    /**
     * Whether a file is still read or written: an import's own file, the file of an unfinished import or check,
     * or the target of an unfinished export. Includes work that began in this session.
     */
    isFileNeeded: (fileId: string) => needed.get({ fileId }) === 1,
  }
  return repository
}

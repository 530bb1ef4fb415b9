import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import type {
  ImportChoices,
  ImportCounts,
  ImportRecord,
  ListedReason,
  importsContract,
} from '../../../contract/imports.ts'
import { AppError } from '../../../contract/errors.ts'
import { type Database, openReader } from '../../../database/open.ts'
import { firstTableRows, inspectTable, type TableFormat } from '../../../jobs/table/read-table.ts'
import { committed, sumOf } from '../../../jobs/work/import-progress.ts'
import { noCounts, toShown } from '../../../jobs/work/judge-rows.ts'
import type { JobFiles } from '../../../jobs/work/protocol.ts'
import {
  createLineCount,
  outcomeColumn,
  ownColumns,
  readRejected,
  rejectedRow,
} from '../../../jobs/work/rejected-rows.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import type { Book } from '../book/book-client.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import { runJob, runTaskJob } from '../../platform/tasks/job-runner.ts'
import { type TasksService, TaskStopped } from '../../platform/tasks/tasks.service.ts'
import { guessColumns } from '../tables.ts'
import { guessRegion } from './guess-region.ts'
import { type Undone, undoNote } from './undo-note.ts'
import type { ImportsRepository, StoredImport } from './imports.repository.ts'

type Output<Name extends keyof typeof importsContract> = z.infer<
  NonNullable<(typeof importsContract)[Name]['~orpc']['outputSchema']>
>

/** Rows of each outcome and problem that a preview shows. */
const samples = 50
/** Rows that the region of a file is guessed from. */
const regionRows = 1_000
/** Columns of a file at most; the contract's limit. */
const columnsMax = 500
/** Rows taken back per piece. */
const undoRows = 1_000

export interface ImportsService {
  inspect(fileId: string, format?: Partial<TableFormat>): Output<'inspect'>
  guessRegion(
    importId: string,
    format: TableFormat,
    column: number,
    region: string,
  ): Promise<Output<'guessRegion'>>
  preview(importId: string, choices: ImportChoices): Promise<Output<'preview'>>
  start(importId: string, choices: ImportChoices): { taskId: string }
  list(limit: number, cursor: string | undefined): Output<'list'>
  get(importId: string): ImportRecord
  rejected(page: {
    importId: string
    only?: ListedReason | undefined
    limit: number
    cursor?: string | undefined
  }): Promise<Output<'rejected'>>
  exportRejected(importId: string, rows: 'invalid' | 'all'): { taskId: string }
  undo(importId: string): { taskId: string }
  name(importId: string): string | null
  /** Looks up how far those are that the end of the console interrupted. */
  lookUpInterrupted(): void
}

/** What an export of rejected rows needs. Stored with its task: an earlier version saved less. */
interface RejectedExport {
  source: string
  header: string[]
  headerRows: number
  own?: number[]
  delimiter?: string
  rows?: 'invalid' | 'all'
}

/** Imports of contacts: looks into files, says what they would do, does it, and takes it back. */
export function createImportsService(parts: {
  repository: ImportsRepository
  store: FileStore
  book: Book
  dnc: Pick<DncService, 'cache' | 'listState' | 'sources'>
  tasks: TasksService
  fileTasks: FileTasks
  jobFiles: JobFiles
  /** Whether the book has contacts of an import. */
  isInBook: (importId: string) => boolean
  clock: Clock
  log: Log
}): ImportsService {
  const { repository, store, book, dnc, tasks, fileTasks, jobFiles, clock, log } = parts
  const previews = new Map<string, AbortController>()
  const rejectedCounts = createLineCount()
  store.sweep(repository.isFileNeeded)
  const startExport = fileTasks.define<'rejected', RejectedExport>('rejected', (input) => input)

  function find(importId: string): StoredImport {
    const found = repository.get(importId)
    if (!found) throw new AppError('NOT_FOUND', { what: 'This import' })
    return found
  }

  const headerRowsOf = ({ choices }: StoredImport) => (choices?.format.hasHeader ? 1 : 0)

  const rejectedFile = (importId: string) => `${store.path(importId)}.rejected`
  const headerFile = (importId: string) => `${store.path(importId)}.header`

  /** The names of the file's columns: kept for the rejected rows, which outlive the file. */
  function keepHeader(importId: string, path: string, format: TableFormat): void {
    if (existsSync(headerFile(importId))) return
    writeFileSync(headerFile(importId), JSON.stringify(inspectTable(path, format).header), { mode: 0o600 })
  }

  function headerOf({ id, fileId, choices }: StoredImport): string[] {
    if (existsSync(headerFile(id))) return JSON.parse(readFileSync(headerFile(id), 'utf8')) as string[]
    return inspectTable(store.whole(fileId).path, choices?.format).header
  }

  const isUsed = (choices: ImportChoices | null) => (at: number) =>
    (choices?.columns[at]?.to ?? 'ignore') !== 'ignore'

  function check(choices: ImportChoices): ImportChoices {
    const phones = choices.columns.filter(({ to }) => to === 'phone').length
    if (phones !== 1)
      throw new AppError('INVALID_INPUT', {
        detail: phones === 0 ? 'no column is the phone' : 'more than one column is the phone',
      })
    if (!isPhoneRegion(choices.defaultRegion))
      throw new AppError('INVALID_INPUT', { detail: `"${choices.defaultRegion}" is no region` })
    return choices
  }

  function change(importId: string, next: Partial<StoredImport>): StoredImport {
    const changed = { ...find(importId), ...next }
    repository.put(changed)
    return changed
  }

  /** What the book has of an import; what was known of it where the book cannot be read. */
  function countsInBook(importId: string): ImportCounts {
    try {
      const { db, close } = openReader(jobFiles.bookFile)
      try {
        const { counts, correction } = committed(db, importId)
        return sumOf(counts, correction)
      } finally {
        close()
      }
    } catch (error) {
      log.warn('what the book has of an import could not be read', { error })
      return find(importId).counts
    }
  }

  /** The record, its state in step with the task that works on it. */
  function view(record: StoredImport): ImportRecord {
    const task = record.taskId === null ? undefined : tasks.list().find(({ id }) => id === record.taskId)
    const isUnder = record.state === 'running' || record.state === 'undoing'
    const state =
      isUnder && task && ['paused', 'interrupted', 'failed', 'cancelled'].includes(task.state)
        ? (task.state as ImportRecord['state'])
        : isUnder && !task
          ? 'interrupted'
          : record.state
    // One whose task is gone from the list cannot be gone on with any more.
    const canUndo = ['done', 'cancelled', 'failed'].includes(state) || (isUnder && !task)
    return {
      id: record.id,
      fileName: record.fileName,
      sizeBytes: record.sizeBytes,
      state,
      choices: record.choices,
      counts: record.counts,
      taskId: record.taskId,
      problem: record.problem ?? task?.problem ?? null,
      startedAt: new Date(record.createdMs).toISOString(),
      endedAt: record.endedMs === null ? null : new Date(record.endedMs).toISOString(),
      canUndo: canUndo && record.undoNote === null,
      undoNote: record.undoNote,
      keptAny: state === 'undone' && parts.isInBook(record.id),
    }
  }

  /**
   * Marks what an import stored by what was listed or held while it ran: it judges its rows by the lists of its beginning. `asOf`: the
   * list's age then. A list that was never read whole takes no mark away.
   */
  async function markAnew(asOf: string | null): Promise<void> {
    try {
      const now = dnc.cache().asOf
      if (now !== null && now !== asOf) await book.replaceMarks('dnc', dnc.sources.dnc)
      await book.replaceMarks('held', dnc.sources.held)
    } catch (error) {
      log.warn('what an import stored could not be marked anew; the next start does', { error })
    }
  }

  tasks.define<{ importId: string }>('import', {
    unit: 'bytes',
    canPause: true,
    resumable: true,
    async run(context) {
      const { importId } = context.payload
      const { state } = find(importId)
      if (state === 'undoing' || state === 'undone')
        throw new AppError('IMPORT_NOT_POSSIBLE', { what: 'continue', state })
      const record = change(importId, { state: 'running', taskId: context.id, problem: null })
      const { asOf } = dnc.cache()
      try {
        const { path } = store.whole(record.fileId)
        // A thread that was started again has not opened it yet.
        await book.open()
        keepHeader(importId, path, record.choices!.format)
        const { counts } = await runTaskJob(
          {
            ...jobFiles,
            job: 'import',
            file: path,
            choices: record.choices!,
            importId,
            outcomeAt: outcomeColumn(headerOf(record), isUsed(record.choices)),
            rejectedFile: rejectedFile(importId),
            nowMs: record.createdMs,
          },
          context,
          { bookPort: book.portForJob() },
        )
        await markAnew(asOf)
        change(importId, { state: 'done', counts, endedMs: clock.now() })
      } catch (error) {
        const counts = countsInBook(importId)
        const { aborted, reason } = context.signal
        // The end of the console is no end of the import: it goes on where it stopped.
        if (!(reason instanceof TaskStopped)) await markAnew(asOf)
        if (aborted && reason instanceof TaskStopped) change(importId, { counts })
        else if (aborted) change(importId, { counts, state: 'cancelled', endedMs: clock.now() })
        else change(importId, { counts, state: 'failed', problem: viewOf(toAppError(error, log)) })
        throw error
      } finally {
        // A run cuts off what an earlier one wrote and did not commit, and writes on from there.
        rejectedCounts.forget(rejectedFile(importId))
      }
    },
  })

  tasks.define<{ importId: string }>('import-undo', {
    unit: 'contacts',
    canPause: true,
    resumable: true,
    async run({ payload: { importId }, report, pausePoint }) {
      change(importId, { state: 'undoing' })
      // Of every run: one that was cancelled, failed or was cut off did its part, too.
      const { ahead, removed, restored, left } = await book.undoProgress(importId)
      const before = { removed, restored, left }
      const total = sumOfUndone(before) + ahead
      report({ done: sumOfUndone(before), total, counts: before })
      for (;;) {
        await pausePoint()
        const { more, ...undone } = await book.undoImport(importId, undoRows)
        report({ done: sumOfUndone(undone), counts: undone })
        if (more) continue
        const { atService } = await book.undoProgress(importId)
        return void change(importId, { state: 'undone', undoNote: undoNote(undone, atService) })
      }
    },
  })

  // One that is cancelled while it stands still is at its end, too.
  tasks.onEnd(({ kind, state, refId }) => {
    if (kind !== 'import' || state !== 'cancelled' || refId === null) return
    if (repository.get(refId)?.state === 'running') change(refId, { state, endedMs: clock.now() })
  })

  /** What the book has of an import that was interrupted: what its task stored last may be behind that. */
  function lookUp({ id, taskId }: StoredImport, bookDb: Database): void {
    const { counts: judged, correction, doneBytes } = committed(bookDb, id)
    const counts = sumOf(judged, correction)
    change(id, { counts })
    if (!tasks.list().some((task) => task.id === taskId)) return
    const { problems: _, ...shown } = counts
    tasks.correct(taskId!, { ...(doneBytes === undefined ? {} : { done: doneBytes }), counts: shown })
  }

  return {
    lookUpInterrupted() {
      const interrupted = repository.unfinished()
      if (interrupted.length === 0) return
      try {
        const { db, close } = openReader(jobFiles.bookFile)
        try {
          for (const record of interrupted) lookUp(record, db)
        } finally {
          close()
        }
      } catch (error) {
        log.warn('how far interrupted imports are could not be looked up', { error })
      }
    },
    inspect(fileId, wanted) {
      const { path, name, sizeBytes } = store.whole(fileId)
      if (sizeBytes === 0) throw new AppError('IMPORT_FILE_EMPTY', { name })
      const found = inspectTable(path, wanted)
      if (found.binary)
        throw new AppError('IMPORT_FILE_NOT_TEXT', {
          name,
          detail: 'it is a picture, an archive or a program’s own format',
        })
      if (found.header.length === 0 || (found.sample.length === 0 && !found.format.hasHeader))
        throw new AppError('IMPORT_FILE_EMPTY', { name })
      if (found.header.length > columnsMax)
        throw new AppError('IMPORT_TOO_WIDE', { name, columns: found.header.length, max: columnsMax })
      const importId = randomUUID()
      repository.put({
        id: importId,
        fileId,
        fileName: name,
        sizeBytes,
        state: 'prepared',
        choices: null,
        counts: noCounts(),
        taskId: null,
        problem: null,
        undoNote: null,
        createdMs: clock.now(),
        endedMs: null,
      })
      const { format, header, sample, warnings } = found
      return {
        importId,
        format,
        header,
        guesses: guessColumns(header, sample, format.hasHeader),
        sample,
        warnings,
        sizeBytes,
      }
    },
    guessRegion(importId, format, column, region) {
      const { path } = store.whole(find(importId).fileId)
      const cells = firstTableRows(path, format, regionRows).map((row) => row[column] ?? '')
      return guessRegion(cells, isPhoneRegion(region) ? region : 'US')
    },
    async preview(importId, choices) {
      const record = find(importId)
      const { path } = store.whole(record.fileId)
      previews
        .get(importId)
        ?.abort(new AppError('IMPORT_NOT_POSSIBLE', { what: 'be checked', state: 'being checked again' }))
      const controller = new AbortController()
      previews.set(importId, controller)
      try {
        const result = await runJob(
          {
            ...jobFiles,
            job: 'import-preview',
            file: path,
            choices: check(choices),
            outcomeAt: outcomeColumn(inspectTable(path, choices.format).header, isUsed(choices)),
            samples,
          },
          { signal: controller.signal },
        )
        return { ...result, dncList: dnc.listState(), asOf: new Date(clock.now()).toISOString() }
      } finally {
        if (previews.get(importId) === controller) previews.delete(importId)
      }
    },
    start(importId, choices) {
      const record = find(importId)
      if (record.state !== 'prepared')
        throw new AppError('IMPORT_NOT_POSSIBLE', { what: 'be started', state: record.state })
      // The file may have been uploaded long ago.
      change(importId, { choices: check(choices), state: 'running', createdMs: clock.now() })
      const task = tasks.start('import', {
        subject: record.fileName,
        payload: { importId },
        refId: importId,
        total: record.sizeBytes,
      })
      change(importId, { taskId: task.id })
      return { taskId: task.id }
    },
    list(limit, cursor) {
      const items = repository.list(
        limit,
        cursor === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(cursor),
      )
      return {
        items: items.map(view),
        nextCursor: items.length < limit ? null : new Date(items.at(-1)!.createdMs).toISOString(),
      }
    },
    get: (importId) => view(find(importId)),
    async rejected({ importId, only, limit, cursor = '0' }) {
      const headerRows = headerRowsOf(find(importId))
      if (!/^\d{1,15}$/.test(cursor))
        throw new AppError('INVALID_INPUT', { detail: 'the cursor is malformed' })
      const file = rejectedFile(importId)
      const { lines, nextByte } = await readRejected(file, Number(cursor), limit, only)
      return {
        items: lines.map((line) => toShown(rejectedRow(line, headerRows))),
        nextCursor: nextByte === null ? null : String(nextByte),
        total: await rejectedCounts.of(file),
      }
    },
    exportRejected(importId, rows) {
      const record = find(importId)
      const header = headerOf(record)
      const name = `${rows === 'invalid' ? 'invalid' : 'rejected'}-${record.fileName.replace(/\.[^.]*$/, '')}.csv`
      return startExport(name, {
        source: rejectedFile(importId),
        header,
        own: ownColumns(header, isUsed(record.choices)),
        headerRows: headerRowsOf(record),
        delimiter: record.choices?.format.delimiter ?? ',',
        rows,
      })
    },
    undo(importId) {
      const record = view(find(importId))
      if (!record.canUndo)
        throw new AppError('IMPORT_NOT_POSSIBLE', { what: 'be undone', state: record.state })
      const task = tasks.start('import-undo', {
        subject: record.fileName,
        payload: { importId },
        refId: importId,
      })
      change(importId, { taskId: task.id })
      return { taskId: task.id }
    },
    name: (importId) => repository.get(importId)?.fileName ?? null,
  }
}

const sumOfUndone = ({ removed, restored, left }: Undone): number => removed + restored + left

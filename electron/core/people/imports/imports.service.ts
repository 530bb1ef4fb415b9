import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { saidOf, storedText } from '../../../contract/phrases.ts'
import { existsSync, readFileSync, truncateSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type {
  ImportChoices,
  ImportCounts,
  ImportRecord,
  importsContract,
} from '../../../contract/people/imports.ts'
import { AppError } from '../../../contract/errors.ts'
import { type Database, openReader } from '../../../database/open.ts'
import { type GivenFormat, readHeader } from '../../../jobs/table/inspect-table.ts'
import type { TableFormat } from '../../../jobs/table/read-table.ts'
import { consentColumns } from '../../../jobs/table/consent-words.ts'
import { noRefusals } from '../../../jobs/imports/find-consent.ts'
import { committed, sumOf } from '../../../jobs/imports/import-progress.ts'
import type { RejectedOrder } from '../../../jobs/imports/rejected-export.ts'
import { noCounts, toDisplayRow } from '../../../jobs/imports/judge-rows.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import { createTarget, jsonLine } from '../../../jobs/run/target-file.ts'
import {
  createLineCount,
  outcomeColumn,
  ownColumns,
  readRejected,
  rejectedRow,
} from '../../../jobs/table/rejected-rows.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import type { Log } from '../../../lib/log.ts'
import { isPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import { runJob, runTaskJob } from '../../platform/tasks/job-runner.ts'
import { type TaskContext, type TasksService, TaskStopped } from '../../platform/tasks/tasks.service.ts'
import { inspectFile } from '../tables.ts'
import { formerColumns } from './former-columns.ts'
import { type Undone, undoNote } from './undo-note.ts'
import type { ImportsRepository, StoredImport } from './imports.repository.ts'

type Contract = typeof importsContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Rows of each outcome and problem shown in a preview. */
const samples = 50
/** Most columns in a file (the contract's limit). */
const columnsMax = 500
/** Imports whose rows a list of rejected rows may hold. */
const earlierMax = 50
/** Rows undone per step. */
const undoRows = 1_000

/** Input of an export of rejected rows, stored with its task. */
type RejectedExport = Omit<RejectedOrder, 'target' | 'language'>

/** Imports of contacts: inspect, preview, run and undo. */
export function createImportsService(parts: {
  repository: ImportsRepository
  store: FileStore
  contactStore: ContactStore
  dnc: Pick<DncService, 'cache' | 'listState' | 'sources' | 'holdImported'>
  tasks: TasksService
  fileTasks: FileTasks
  jobFiles: JobFiles
  /** Whether any contact came from an import. */
  isInContacts: (importId: string) => boolean
  clock: Clock
  log: Log
}) {
  const { repository, store, contactStore, dnc, tasks, fileTasks, jobFiles, clock, log } = parts
  const previews = new Map<string, AbortController>()
  /** The columns about consent that the last check found, so that the import needn't look for them. */
  const consentFound = new Map<string, { of: string; columns: readonly number[] }>()
  const rejectedCounts = createLineCount()
  store.sweep(repository.isFileNeeded)
  const startExport = fileTasks.define<'rejected', RejectedExport>('rejected', (input) => input)

  function find(importId: string): StoredImport {
    const found = repository.get(importId)
    if (!found) throw new AppError('NOT_FOUND', { what: { key: 'what.importRun' } })
    return found
  }

  const rejectedFile = (importId: string) => `${store.path(importId)}.rejected`
  const headerFile = (importId: string) => `${store.path(importId)}.header`

  /** Stores the column titles with the rejected rows, which outlive the file. */
  function storeHeader(importId: string, path: string, format: TableFormat): void {
    if (existsSync(headerFile(importId))) return
    const target = createTarget(headerFile(importId))
    try {
      target.line(jsonLine(readHeader(path, format, jobFiles.language)))
      target.finish()
    } finally {
      target.abandon()
    }
  }

  function headerOf({ id, fileId, choices }: StoredImport): string[] {
    if (existsSync(headerFile(id))) return JSON.parse(readFileSync(headerFile(id), 'utf8')) as string[]
    return choices ? readHeader(store.complete(fileId).path, choices.format, jobFiles.language) : []
  }

  /** The newest imports, with their columns. */
  function* earlier() {
    for (const record of repository.list(earlierMax, undefined))
      if (record.choices && existsSync(headerFile(record.id)))
        yield { header: headerOf(record), columns: record.choices.columns }
  }

  const isUsed = (choices: ImportChoices | null) => (at: number) =>
    (choices?.columns[at]?.to ?? 'ignore') !== 'ignore'

  function check(choices: ImportChoices): ImportChoices {
    if (!choices.columns.some(({ to }) => to === 'phone'))
      throw new AppError('INVALID_INPUT', { detail: { key: 'input.noPhoneColumn' } })
    if (!isPhoneRegion(choices.defaultRegion))
      throw new AppError('INVALID_INPUT', {
        detail: { key: 'input.notRegion', region: choices.defaultRegion },
      })
    return choices
  }

  function change(importId: string, next: Partial<StoredImport>): StoredImport {
    const changed = { ...find(importId), ...next }
    repository.put(changed)
    return changed
  }

  function readContacts<T>(read: (contactsDb: Database) => T): T {
    const { db, close } = openReader(jobFiles.contactsFile)
    try {
      return read(db)
    } finally {
      close()
    }
  }

  /** Counts committed in the contact database; falls back to the last known counts. */
  function committedCounts(importId: string): ImportCounts {
    try {
      const { counts, correction } = readContacts((db) => committed(db, importId))
      return sumOf(counts, correction)
    } catch (error) {
      log.warn('Could not read the counts of an import', { error })
      return find(importId).counts
    }
  }

  /** The record, with its state updated from its task. */
  function view(record: StoredImport): ImportRecord {
    const task = tasks.find(record.taskId)
    const isUnderWay = record.state === 'running' || record.state === 'undoing'
    const state =
      isUnderWay && task && ['paused', 'interrupted', 'failed', 'cancelled'].includes(task.state)
        ? (task.state as ImportRecord['state'])
        : isUnderWay && !task
          ? 'interrupted'
          : record.state
    // An import whose task was removed can't be resumed, only undone.
    const canUndo = ['done', 'cancelled', 'failed'].includes(state) || (isUnderWay && !task)
    return {
      id: record.id,
      fileName: record.fileName,
      sizeBytes: record.sizeBytes,
      state,
      choices: record.choices,
      counts: record.counts,
      held: record.held ?? 0,
      taskId: record.taskId,
      problem: record.problem ?? task?.problem ?? null,
      startedAt: isoTime(record.createdMs),
      endedAt: isoTime(record.endedMs),
      canUndo: canUndo && record.undoNote === null,
      undoNote: record.undoNote === null ? null : saidOf(record.undoNote),
      keptAny: state === 'undone' && parts.isInContacts(record.id),
    }
  }

  /**
   * Marks imported contacts that were listed or held while the import ran, since it checks rows against the lists at its start, and stored
   * ones with further numbers from it. An incomplete copy of the DNC list removes no marks.
   */
  async function markImported(): Promise<void> {
    try {
      if (dnc.cache().asOf !== null) await contactStore.replaceMarks('dnc', dnc.sources.dnc)
      await contactStore.replaceMarks('held', dnc.sources.held)
    } catch (error) {
      log.warn('Could not mark imported contacts; the next start marks them', { error })
    }
  }

  const tableOf = ({ format, columns }: ImportChoices) => JSON.stringify([format, columns])

  /**
   * Puts numbers on hold whose rows say no, before the first row is stored. A resumed import doesn't repeat it: a person may have
   * removed a hold.
   */
  async function holdRefused(record: StoredImport, path: string, context: TaskContext<unknown>) {
    const choices = record.choices!
    const header = headerOf(record)
    const known = consentFound.get(record.id)
    const isChecked = known?.of === tableOf(choices)
    const consent = consentColumns(header).filter(
      ({ column }) => !isChecked || known.columns.includes(column),
    )
    const refusals = await runTaskJob(
      { job: 'import-consent', file: path, choices, consent, header },
      context,
    )
    if (record.held === null) {
      const { digits, because, evidence } = refusals.holds
      const shared = new Set(refusals.shared)
      const entries = digits.map((one, at) => ({
        digits: one,
        evidence: `${record.fileName} · ${evidence[because[at]!]}`,
        isShared: shared.has(one),
      }))
      change(record.id, { held: await dnc.holdImported(entries, record.createdMs) })
    }
    return { ...noRefusals(), skips: refusals.skips, shared: refusals.shared }
  }

  tasks.define<{ importId: string; choices: ImportChoices }>('import', {
    unit: 'bytes',
    canPause: true,
    resumable: true,
    async run(context) {
      const { importId, choices } = context.payload
      const { state, taskId } = find(importId)
      // Another task may have imported the file or undone the import.
      if (taskId !== null && taskId !== context.id)
        throw new AppError('IMPORT_NOT_POSSIBLE', { state: { key: `state.${state}` } })
      // The file may have been uploaded long ago.
      const begun = taskId === null ? { choices, createdMs: clock.now() } : {}
      const record = change(importId, { ...begun, state: 'running', taskId: context.id, problem: null })
      try {
        const { path } = store.complete(record.fileId)
        // A restarted thread has not opened the database yet.
        await contactStore.open()
        storeHeader(importId, path, record.choices!.format)
        const refusals = await holdRefused(record, path, context)
        const { counts } = await runTaskJob(
          {
            ...jobFiles,
            job: 'import',
            file: path,
            choices: record.choices!,
            importId,
            refusals,
            header: headerOf(record),
            outcomeAt: outcomeColumn(headerOf(record), isUsed(record.choices)),
            rejectedFile: rejectedFile(importId),
            nowMs: record.createdMs,
          },
          context,
          { contactsPort: contactStore.portForJob() },
        )
        await markImported()
        change(importId, { state: 'done', counts, endedMs: clock.now() })
        consentFound.delete(importId)
      } catch (error) {
        const counts = committedCounts(importId)
        const { aborted, reason } = context.signal
        // Shutting down only interrupts the import; it resumes at the next start.
        if (!(reason instanceof TaskStopped)) await markImported()
        if (aborted && reason instanceof TaskStopped) change(importId, { counts })
        else if (aborted) change(importId, { counts, state: 'cancelled', endedMs: clock.now() })
        else change(importId, { counts, state: 'failed', problem: viewOf(toAppError(error, log)) })
        throw error
      } finally {
        // The next run truncates what this one wrote but did not commit.
        rejectedCounts.forget(rejectedFile(importId))
      }
    },
  })

  tasks.define<{ importId: string }>('import-undo', {
    unit: 'contacts',
    canPause: true,
    resumable: true,
    async run({ id, payload: { importId }, report, pausePoint }) {
      change(importId, { state: 'undoing', taskId: id })
      // Includes what earlier, unfinished runs undid.
      const { ahead, removed, restored, left } = await contactStore.undoProgress(importId)
      const before = { removed, restored, left }
      const total = sumOfUndone(before) + ahead
      report({ done: sumOfUndone(before), total, counts: before })
      for (;;) {
        await pausePoint()
        const { more, ...undone } = await contactStore.undoImport(importId, undoRows)
        report({ done: sumOfUndone(undone), counts: undone })
        if (more) continue
        const { atService } = await contactStore.undoProgress(importId)
        const held = find(importId).held ?? 0
        return void change(importId, {
          state: 'undone',
          undoNote: storedText(undoNote(undone, atService, held)),
        })
      }
    },
  })

  // An import that is cancelled while paused ends here.
  tasks.onEnd(({ kind, state, refId }) => {
    if (kind !== 'import' || state !== 'cancelled' || refId === null) return
    if (repository.get(refId)?.state === 'running') change(refId, { state, endedMs: clock.now() })
  })

  /** Updates an interrupted import from the contact database, since its task may have stored less. */
  function syncFromContacts({ id, taskId }: StoredImport, contactsDb: Database): void {
    const { counts: judged, correction, doneBytes, rejectedBytes } = committed(contactsDb, id)
    // The file of rejected rows may be ahead of the contact database.
    if (existsSync(rejectedFile(id))) truncateSync(rejectedFile(id), rejectedBytes)
    const counts = sumOf(judged, correction)
    change(id, { counts })
    if (!tasks.find(taskId)) return
    const { problems: _, ...shown } = counts
    tasks.correct(taskId!, { ...(doneBytes === undefined ? {} : { done: doneBytes }), counts: shown })
  }

  return {
    /** Reads the progress of interrupted imports. */
    syncInterrupted(): void {
      const interrupted = repository.unfinished()
      if (interrupted.length === 0) return
      try {
        readContacts((db) => interrupted.forEach((record) => syncFromContacts(record, db)))
      } catch (error) {
        log.warn('Could not read the progress of interrupted imports', { error })
      }
    },
    async inspect(fileId: string, format?: GivenFormat): Promise<Output<'inspect'>> {
      const { name, sizeBytes, found, guess } = await inspectFile(store, fileId, jobFiles.language, format)
      if (found.header.length === 0 || (found.sample.length === 0 && found.format.headerRow === 0))
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
        held: null,
        createdMs: clock.now(),
        endedMs: null,
      })
      const { header, sample, warnings } = found
      return {
        importId,
        format: found.format,
        header,
        guesses: formerColumns(header, earlier()) ?? guess(),
        sample,
        warnings,
        sizeBytes,
      }
    },
    guessReading({ source, region }: Input<'guessReading'>): Promise<Output<'guessReading'>> {
      return runJob({
        job: 'guess-numbers',
        source:
          'text' in source
            ? source
            : {
                file: store.complete(source.fileId).path,
                given: source.format ?? {},
                columns: source.columns,
                countryColumn: source.countryColumn,
              },
        region: isPhoneRegion(region) ? region : 'US',
      })
    },
    async preview(importId: string, choices: ImportChoices): Promise<Output<'preview'>> {
      const record = find(importId)
      const { path } = store.complete(record.fileId)
      const header = readHeader(path, choices.format)
      previews
        .get(importId)
        ?.abort(new AppError('IMPORT_NOT_POSSIBLE', { state: { key: 'state.beingChecked' } }))
      const controller = new AbortController()
      previews.set(importId, controller)
      try {
        const result = await runJob(
          {
            ...jobFiles,
            job: 'import-preview',
            file: path,
            choices: check(choices),
            consent: consentColumns(header),
            header,
            outcomeAt: outcomeColumn(header, isUsed(choices)),
            samples,
          },
          { signal: controller.signal },
        )
        const columns = result.consent.map(({ column }) => column)
        consentFound.set(importId, { of: tableOf(choices), columns })
        return { ...result, dncList: dnc.listState(), asOf: isoTime(clock.now()) }
      } finally {
        if (previews.get(importId) === controller) previews.delete(importId)
      }
    },
    start(importId: string, choices: ImportChoices): { taskId: string } {
      const record = find(importId)
      if (record.state !== 'prepared')
        throw new AppError('IMPORT_NOT_POSSIBLE', { state: { key: `state.${record.state}` } })
      // The task says that it runs: until then it can be started again.
      const { id } = tasks.start('import', {
        subject: record.fileName,
        payload: { importId, choices: check(choices) },
        refId: importId,
        total: record.sizeBytes,
      })
      return { taskId: id }
    },
    list(limit: number, cursor: string | undefined): Output<'list'> {
      const items = repository.list(limit, cursor)
      return {
        items: items.map(view),
        nextCursor: items.length < limit ? null : items.at(-1)!.id,
      }
    },
    get: (importId: string): ImportRecord => view(find(importId)),
    async rejected(query: Input<'rejected'>): Promise<Output<'rejected'>> {
      const { importId, only, limit, cursor = '0' } = query
      find(importId)
      if (!/^\d{1,15}$/.test(cursor)) throw new AppError('INVALID_INPUT', { detail: { key: 'input.cursor' } })
      const file = rejectedFile(importId)
      const { lines, nextByte } = await readRejected(file, Number(cursor), limit, only)
      return {
        items: lines.map((line) => toDisplayRow(rejectedRow(line))),
        nextCursor: nextByte === null ? null : String(nextByte),
        total: await rejectedCounts.of(file),
      }
    },
    exportRejected(importId: string, rows: 'invalid' | 'all'): { taskId: string } {
      const record = find(importId)
      const header = headerOf(record)
      const name = `${rows === 'invalid' ? 'rejected' : 'not-imported'}-${record.fileName.replace(/\.[^.]*$/, '')}.csv`
      return startExport(name, {
        source: rejectedFile(importId),
        header,
        own: ownColumns(header, isUsed(record.choices)),
        delimiter: record.choices?.format.delimiter ?? ',',
        rows,
      })
    },
    undo(importId: string): { taskId: string } {
      const record = view(find(importId))
      if (!record.canUndo)
        throw new AppError('IMPORT_NOT_POSSIBLE', { state: { key: `state.${record.state}` } })
      const { id } = tasks.start('import-undo', {
        subject: record.fileName,
        payload: { importId },
        refId: importId,
      })
      return { taskId: id }
    },
    name: (importId: string): string | null => repository.get(importId)?.fileName ?? null,
  }
}

const sumOfUndone = ({ removed, restored, left }: Undone): number => removed + restored + left

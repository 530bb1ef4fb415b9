import type { InputOf, OutputOf } from '../../../contract/define.ts'
import { saidOf } from '../../../contract/phrases.ts'
import { randomUUID } from 'node:crypto'
import type { Connection } from '../../../contract/connection/connections.ts'
import type { ImportChoices, ImportRecord, importsContract } from '../../../contract/people/imports.ts'
import { AppError } from '../../../contract/errors.ts'
import { readHeader } from '../../../jobs/table/inspect-table.ts'
import { type ConsentKind, consentColumns } from '../../../jobs/table/consent-words.ts'
import type { RejectedOrder } from '../../../jobs/imports/rejected-export.ts'
import { createRowDisplay } from '../../../jobs/imports/judge-rows.ts'
import {
  createLineCount,
  outcomeColumn,
  ownColumns,
  readRejected,
  rejectedRow,
} from '../../../jobs/table/rejected-rows.ts'
import { isoTime } from '../../../lib/iso-time.ts'
import { isPhoneRegion, toPhoneRegion } from '../../../lib/phone/parse-phone.ts'
import { checkConfirmed } from '../../platform/confirm.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import { runJob } from '../../platform/tasks/job-runner.ts'
import { consentIn, inspectFile, numberTable } from '../tables.ts'
import { isUsed } from './import-files.ts'
import { createImportTasks, type ImportParts } from './import-tasks.ts'
import type { StoredImport } from './imports.repository.ts'

type Contract = typeof importsContract
type Input<Name extends keyof Contract> = InputOf<Contract, Name>
type Output<Name extends keyof Contract> = OutputOf<Contract, Name>

/** Rows of each outcome and problem shown in a preview. */
const samples = 50
/** Most columns in a file (the contract's limit). */
const columnsMax = 500
/** Latest imports whose choices a file with the same titles can get. */
const earlierMax = 50
/** What a title alone can tell about consent. */
const consentKinds: ReadonlySet<string> = new Set(['agrees', 'refuses', 'status'] satisfies ConsentKind[])

/** Input of an export of rejected rows, stored with its task. */
type RejectedExport = Omit<RejectedOrder, 'target' | 'language'>

export function createImportsService(
  parts: ImportParts & { connection: () => Connection; fileTasks: FileTasks },
) {
  const { repository, store, files, contactList, dnc, tasks, fileTasks, jobFiles, clock } = parts
  const { find } = repository
  const previews = new Map<string, AbortController>()
  /** The columns about consent that the last check found, so that the import needn't look for them. */
  const consentFound = new Map<string, { of: string; columns: readonly number[] }>()
  const rejectedCounts = createLineCount()
  store.sweep(repository.isFileNeeded)
  const startExport = fileTasks.define<'rejected', RejectedExport>('rejected', (input) => input)

  function check(choices: ImportChoices): ImportChoices {
    if (!choices.columns.some(({ to }) => to === 'phone'))
      throw new AppError('INVALID_INPUT', { detail: { key: 'input.noPhoneColumn' } })
    if (!isPhoneRegion(choices.defaultRegion))
      throw new AppError('INVALID_INPUT', {
        detail: { key: 'input.notRegion', region: choices.defaultRegion },
      })
    return choices
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
      counts: contactList.importProgress(record.id).stored,
      held: record.held ?? 0,
      taskId: record.taskId,
      problem: record.problem ?? task?.problem ?? null,
      startedAt: isoTime(record.createdMs),
      endedAt: isoTime(record.endedMs),
      canUndo: canUndo && record.undoNote === null,
      undoNote: record.undoNote === null ? null : saidOf(record.undoNote),
      keptAny: state === 'undone' && contactList.hasImported(record.id),
    }
  }

  const { syncInterrupted } = createImportTasks({
    ...parts,
    consentFound(importId, choices) {
      const found = consentFound.get(importId)
      return found?.of === tableOf(choices) ? found.columns : null
    },
    rejectedChanged: (importId) => rejectedCounts.forget(files.rejected(importId)),
  })

  const tableOf = ({ format, columns }: ImportChoices) => JSON.stringify([format, columns])

  return {
    syncInterrupted,
    async inspect({ fileId, format }: Input<'inspect'>): Promise<Output<'inspect'>> {
      const { name, sizeBytes, found, guess, parentsNumbers } = await inspectFile(
        store,
        fileId,
        jobFiles.language,
        format,
      )
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
        taskId: null,
        problem: null,
        undoNote: null,
        held: null,
        createdMs: clock.now(),
        endedMs: null,
      })
      const { header, sample, warnings } = found
      const guesses = guess()
      const former = files.formerChoices(header, repository.list(earlierMax, undefined))
      const parents = parentsNumbers(former?.columns ?? guesses).join(', ')
      return {
        importId,
        format: found.format,
        header,
        guesses,
        former,
        consent: consentColumns(header).flatMap(({ kind, column }) =>
          consentKinds.has(kind) ? [column] : [],
        ),
        sample,
        warnings:
          parents === '' ? warnings : [...warnings, { key: 'table.parentsNumbers', columns: parents }],
        sizeBytes,
      }
    },
    guessReading({ source, region, usual }: Input<'guessReading'>): Promise<Output<'guessReading'>> {
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
        region: toPhoneRegion(region ?? parts.connection().country),
        usual: toPhoneRegion(usual),
      })
    },
    async consent(
      {
        phoneColumn: phone,
        numberColumns: more,
        countryColumn: country,
        region,
        ...source
      }: Input<'consent'>,
      signal: AbortSignal,
    ): Promise<Output<'consent'>> {
      const {
        format,
        columns: targets,
        ...table
      } = await numberTable(store, { ...source, phone, more, country }, jobFiles.language)
      const choices = { ...source, format, columns: targets, defaultRegion: region, consent: [] }
      const { columns } = await runJob({ job: 'import-consent', ...table, choices }, { signal })
      return { items: columns }
    },
    async preview({ importId, choices }: Input<'preview'>): Promise<Output<'preview'>> {
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
            consent: consentIn({ path, name: record.fileName }, choices.format, header),
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
    start({ importId, choices }: Input<'start'>): { taskId: string } {
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
    list({ limit, cursor }: Input<'list'>): Output<'list'> {
      const items = repository.list(limit, cursor)
      return {
        items: items.map(view),
        nextCursor: items.length < limit ? null : items.at(-1)!.id,
      }
    },
    get: ({ importId }: Input<'get'>): ImportRecord => view(find(importId)),
    async rejected(query: Input<'rejected'>): Promise<Output<'rejected'>> {
      const { importId, only, limit, cursor = '0' } = query
      const record = find(importId)
      if (!/^\d{1,15}$/.test(cursor)) throw new AppError('INVALID_INPUT', { detail: { key: 'input.cursor' } })
      const file = files.rejected(importId)
      const { lines, nextByte } = await readRejected(file, Number(cursor), limit, only)
      const toDisplayRow = createRowDisplay(record.choices?.columns ?? [], files.keptHeader(importId) ?? [])
      return {
        items: lines.map((line) => toDisplayRow(rejectedRow(line))),
        nextCursor: nextByte === null ? null : String(nextByte),
        total: await rejectedCounts.of(file),
      }
    },
    exportRejected({ importId, rows }: Input<'exportRejected'>): { taskId: string } {
      const record = find(importId)
      const header = files.headerOf(record)
      const name = `${rows === 'invalid' ? 'rejected' : 'not-imported'}-${record.fileName.replace(/\.[^.]*$/, '')}.csv`
      return startExport(name, {
        source: files.rejected(importId),
        header,
        own: ownColumns(header, isUsed(record.choices)),
        delimiter: record.choices?.format.delimiter ?? ',',
        rows,
      })
    },
    undo({ importId, confirmName }: Input<'undo'>): { taskId: string } {
      checkConfirmed(parts.connection(), confirmName)
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

import { AppError } from '../../../contract/errors.ts'
import type { ImportChoices } from '../../../contract/people/imports.ts'
import { type Phrase, storedText } from '../../../contract/phrases.ts'
import { checkDecided, noRefusals } from '../../../jobs/table/find-consent.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import { consentIn } from '../tables.ts'
import { outcomeColumn } from '../../../jobs/table/rejected-rows.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { toAppError, viewOf } from '../../platform/rpc/errors.ts'
import { runTaskJob } from '../../platform/tasks/job-runner.ts'
import { type TaskContext, type TasksService, TaskStopped } from '../../platform/tasks/tasks.service.ts'
import type { ContactStore } from '../contact-store/contact-store-client.ts'
import type { ContactList } from '../contact-store/contact-list.ts'
import type { DncService } from '../dnc/dnc.service.ts'
import { type ImportFiles, isUsed } from './import-files.ts'
import type { ImportsRepository, StoredImport } from './imports.repository.ts'

/** Rows undone per step. */
const undoRows = 1_000

export interface ImportParts {
  repository: ImportsRepository
  store: FileStore
  files: ImportFiles
  contactStore: ContactStore
  contactList: Pick<ContactList, 'hasImported' | 'importProgress'>
  dnc: DncService
  tasks: TasksService
  jobFiles: JobFiles
  clock: Clock
  log: Log
}

/** The tasks that run an import and its undo, and what an interrupted one has stored. */
export function createImportTasks(
  parts: ImportParts & {
    /** The columns about consent that the last check found, if it was with these choices. */
    consentFound: (importId: string, choices: ImportChoices) => readonly number[] | null
    /** The rejected rows changed. */
    rejectedChanged: (importId: string) => void
  },
) {
  const { repository, store, files, contactStore, dnc, tasks, jobFiles, clock, log } = parts
  const { find, change } = repository

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

  /**
   * Puts numbers on hold whose rows say no, before the first row is stored. A resumed import doesn't repeat it: a person may have
   * removed a hold.
   */
  async function holdRefused(record: StoredImport, path: string, context: TaskContext<unknown>) {
    const choices = record.choices!
    const header = files.headerOf(record)
    const known = parts.consentFound(record.id, choices)
    const consent = consentIn({ path, name: record.fileName }, choices.format, header).filter(
      ({ column }) => known?.includes(column) ?? true,
    )
    const refusals = await runTaskJob(
      { ...jobFiles, job: 'import-consent', file: path, choices, consent, header },
      context,
    )
    checkDecided(refusals.columns, choices, header)
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
        files.storeHeader(record)
        const refusals = await holdRefused(record, path, context)
        const header = files.headerOf(record)
        await runTaskJob(
          {
            ...jobFiles,
            job: 'import',
            file: path,
            choices: record.choices!,
            importId,
            refusals,
            header,
            outcomeAt: outcomeColumn(header, isUsed(record.choices)),
            rejectedFile: files.rejected(importId),
            nowMs: record.createdMs,
          },
          context,
          { contactsPort: contactStore.portForJob() },
        )
        await markImported()
        change(importId, { state: 'done', endedMs: clock.now() })
      } catch (error) {
        const { aborted, reason } = context.signal
        // Shutting down only interrupts the import; it resumes at the next start.
        if (reason instanceof TaskStopped) throw error
        await markImported()
        if (aborted) change(importId, { state: 'cancelled', endedMs: clock.now() })
        else change(importId, { state: 'failed', problem: viewOf(toAppError(error, log)) })
        throw error
      } finally {
        // The next run truncates what this one wrote but did not commit.
        parts.rejectedChanged(importId)
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

  return {
    /** Shows what interrupted imports have committed, since their tasks may know more or less. */
    syncInterrupted(): void {
      for (const { id, taskId } of repository.running())
        try {
          const { stored, doneBytes, rejectedBytes } = parts.contactList.importProgress(id)
          files.truncateRejected(id, rejectedBytes)
          const { problems: _, ...counts } = stored
          if (tasks.find(taskId)) tasks.correct(taskId!, { done: doneBytes, counts })
        } catch (error) {
          log.warn('Could not read the progress of an interrupted import', { error })
        }
    },
  }
}

const sumOfUndone = ({ removed, restored, left }: Undone): number => removed + restored + left

/** Contacts processed by the undo of an import. */
export interface Undone {
  removed: number
  restored: number
  left: number
}

/**
 * Describes the result of an undo. `atService`: how many of the kept contacts are on the service or queued for
 * it; the others were changed since the import. `held`: numbers that the import put on hold.
 */
export function undoNote(undone: Undone, atService: number, held = 0): Phrase {
  const first = contactsNote(undone, atService)
  return held === 0 ? first : { key: 'text.two', first, second: { key: 'undo.holds', held } }
}

function contactsNote({ removed, restored, left }: Undone, atService: number): Phrase {
  if (removed + restored + left === 0) return { key: 'undo.none' }
  if (left === 0) return { key: 'undo.done', removed, restored, left }
  const there = Math.min(atService, left)
  return { key: 'undo.kept', removed, restored, left, there, changed: left - there }
}

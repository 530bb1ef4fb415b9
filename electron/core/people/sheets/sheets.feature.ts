import type { InputOf } from '../../../contract/define.ts'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { type OpenedTable, sheetsContract } from '../../../contract/people/sheets.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import { isOfRefusals } from '../../../jobs/table/consent-words.ts'
import { kindOfFile, plainTable } from '../../../jobs/sheets/file-kind.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { type ReadingStep, readInSteps } from '../../platform/tasks/job-runner.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const sheetsHandlers = handlersOf(sheetsContract, ({ sheets }: { sheets: SheetsService }) => sheets)

type SheetsService = ReturnType<typeof createSheetsFeature>['service']

export function createSheetsFeature({ files, jobFiles }: { files: FileStore; jobFiles: JobFiles }) {
  return {
    service: {
      async *open(
        { fileId, sheet, isTogether }: InputOf<typeof sheetsContract, 'open'>,
        signal: AbortSignal,
      ): AsyncGenerator<ReadingStep | ({ kind: 'table' } & OpenedTable)> {
        const { path: file, name, sizeBytes } = files.complete(fileId)
        const kind = kindOfFile(file)
        if (kind === 'text' || (kind === 'people' && isTogether)) {
          const people = kind === 'text' ? ('one' as const) : ('together' as const)
          yield { kind: 'table', fileId, isConverted: false, ...plainTable, people }
          return
        }
        const table = files.create(name)
        let isDone = false
        try {
          const opened = yield* readInSteps(
            {
              job: 'open-table',
              file,
              target: table.path,
              sheet: sheet ?? null,
              isTogether,
              language: jobFiles.language,
            },
            signal,
          )
          if (opened === null) return
          const title = opened.sheets[opened.sheet]?.name ?? ''
          files.finish(table.fileId, sizeBytes, isOfRefusals(title) ? `${name} · ${title}` : name)
          isDone = true
          yield { kind: 'table', fileId: table.fileId, isConverted: true, ...opened }
        } catch (error) {
          throw isAppError(error) && error.code === 'IMPORT_FILE_UNREADABLE'
            ? new AppError(error.code, { ...error.data, name })
            : error
        } finally {
          if (!isDone) files.discard(table.fileId)
        }
      },
    },
  }
}

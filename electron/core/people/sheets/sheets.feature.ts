import { implement } from '@orpc/server'
import { AppError, isAppError } from '../../../contract/errors.ts'
import { type OpenedTable, sheetsContract } from '../../../contract/people/sheets.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import { isOfRefusals } from '../../../jobs/table/consent-words.ts'
import { kindOfFile } from '../../../jobs/sheets/file-kind.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { type ReadingStep, readInSteps } from '../../platform/tasks/job-runner.ts'

const os = implement(sheetsContract).$context<{ sheets: SheetsService }>()

export const sheetsHandlers = {
  open: os.open.handler(({ context, input, signal }) =>
    context.sheets.open(input.fileId, input.sheet, signal!),
  ),
}

type SheetsService = ReturnType<typeof createSheetsFeature>['service']

export function createSheetsFeature({ files, jobFiles }: { files: FileStore; jobFiles: JobFiles }) {
  return {
    service: {
      async *open(
        fileId: string,
        number: number | undefined,
        signal: AbortSignal,
      ): AsyncGenerator<ReadingStep | ({ kind: 'table' } & OpenedTable)> {
        const { path: file, name, sizeBytes } = files.complete(fileId)
        if (kindOfFile(file) === 'text') {
          yield { kind: 'table', fileId, isConverted: false, ...notSheets }
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
              sheet: number ?? null,
              language: jobFiles.language,
            },
            signal,
          )
          if (opened === null) return
          const sheet = opened.sheets[opened.sheet]?.name ?? ''
          files.finish(table.fileId, sizeBytes, isOfRefusals(sheet) ? `${name} · ${sheet}` : name)
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

const notSheets = { sheets: [], sheet: 0, refusing: [], hiddenRows: 0, uncalculated: 0 }

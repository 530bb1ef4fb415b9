import { implement } from '@orpc/server'
import type { Connection } from '../../../contract/connection/connections.ts'
import { importsContract } from '../../../contract/people/imports.ts'
import type { Database } from '../../../database/open.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { createImportFiles } from './import-files.ts'
import type { ImportParts } from './import-tasks.ts'
import { createImportsRepository } from './imports.repository.ts'
import { createImportsService } from './imports.service.ts'

const os = implement(importsContract).$context<{ imports: ImportsFeature }>()

export const importsHandlers = {
  inspect: os.inspect.handler(({ context, input }) => context.imports.inspect(input.fileId, input.format)),
  guessReading: os.guessReading.handler(({ context, input }) => context.imports.guessReading(input)),
  consent: os.consent.handler(({ context, input, signal }) => context.imports.consent(input, signal)),
  preview: os.preview.handler(({ context, input }) => context.imports.preview(input.importId, input.choices)),
  start: os.start.handler(({ context, input }) => context.imports.start(input.importId, input.choices)),
  list: os.list.handler(({ context, input }) => context.imports.list(input.limit, input.cursor)),
  get: os.get.handler(({ context, input }) => context.imports.get(input.importId)),
  rejected: os.rejected.handler(({ context, input }) => context.imports.rejected(input)),
  exportRejected: os.exportRejected.handler(({ context, input }) =>
    context.imports.exportRejected(input.importId, input.rows),
  ),
  undo: os.undo.handler(({ context, input }) => context.imports.undo(input)),
}

type ImportsFeature = ReturnType<typeof createImportsFeature>['service']

export function createImportsFeature(
  parts: Omit<ImportParts, 'repository' | 'store' | 'files'> & {
    stateDb: Database
    connection: () => Connection
    files: FileStore
    fileTasks: FileTasks
  },
) {
  const repository = createImportsRepository(parts.stateDb)
  const imports = createImportsService({
    ...parts,
    repository,
    store: parts.files,
    files: createImportFiles(parts.files, parts.jobFiles),
  })
  return { service: { ...imports, isFileNeeded: repository.isFileNeeded }, start: imports.syncInterrupted }
}

import type { Connection } from '../../../contract/connection/connections.ts'
import { importsContract } from '../../../contract/people/imports.ts'
import type { Database } from '../../../database/open.ts'
import type { FileTasks } from '../../platform/file-tasks/file-tasks.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import { createImportFiles } from './import-files.ts'
import type { ImportParts } from './import-tasks.ts'
import { createImportsRepository } from './imports.repository.ts'
import { createImportsService } from './imports.service.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

export const importsHandlers = handlersOf(
  importsContract,
  ({ imports }: { imports: ImportsFeature }) => imports,
)

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

import { implement } from '@orpc/server'
import { backupsContract } from '../../../contract/connection/backups.ts'
import type { Connection } from '../../../contract/connection/connections.ts'
import type { JobFiles } from '../../../jobs/run/job-control.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { FileStore } from '../../platform/files/file-store.ts'
import type { SettingsRepository } from '../../platform/settings/settings.repository.ts'
import type { TasksService } from '../../platform/tasks/tasks.service.ts'
import { type BackupService, createBackupService } from './backup.service.ts'
import type { RestoreService } from './restore.service.ts'

const os = implement(backupsContract).$context<{
  backups: BackupService
  restore: RestoreService
  about(): { version: string }
}>()

export const backupsHandlers = {
  begin: os.begin.handler(({ context, input }) => context.restore.files.begin(input)),
  append: os.append.handler(({ context, input }) => context.restore.files.append(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.restore.files.discard(input.fileId)
    return {}
  }),
  read: os.read.handler(({ context, input }) => context.restore.files.read(input.fileId, input.offset)),
  start: os.start.handler(({ context }) => context.backups.start(context.about().version)),
  restore: os.restore.handler(({ context, input, signal }) => context.restore.restore(input.fileId, signal!)),
}

/** Backups of the open connection. Restoring needs no open connection, so its service belongs to the app. */
export function createBackupsFeature(parts: {
  dir: string
  connection: () => Connection
  settings: SettingsRepository
  tasks: TasksService
  files: FileStore
  jobFiles: JobFiles
  clock: Clock
}) {
  return { service: createBackupService({ ...parts, store: parts.files }) }
}

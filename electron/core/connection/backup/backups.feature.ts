import { implement } from '@orpc/server'
import { backupsContract } from '../../../contract/connection/backups.ts'
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
  discard: os.discard.handler(({ context, input }) => context.restore.files.discard(input.fileId)),
  read: os.read.handler(({ context, input }) => context.restore.files.read(input.fileId, input.offset)),
  start: os.start.handler(({ context }) => context.backups.start(context.about().version)),
  restore: os.restore.handler(({ context, input, signal }) => context.restore.restore(input.fileId, signal!)),
}

/** Backups of the open connection. Restoring needs no open connection, so its service belongs to the app. */
export function createBackupsFeature(parts: Parameters<typeof createBackupService>[0]) {
  return { service: createBackupService(parts) }
}

import { backupsContract } from '../../../contract/connection/backups.ts'
import { type BackupService, createBackupService } from './backup.service.ts'
import type { RestoreService } from './restore.service.ts'
import { handlersOf } from '../../platform/rpc/handlers.ts'

interface Slice {
  backups: BackupService
  restore: RestoreService
  about(): { version: string }
}

// Only a backup needs an open connection, so only its call may read `backups`.
export const backupsHandlers = handlersOf(backupsContract, (context: Slice) => ({
  ...context.restore,
  start: () => context.backups.start(context.about().version),
}))

/** Backups of the open connection. Restoring needs no open connection, so its service belongs to the app. */
export function createBackupsFeature(parts: Parameters<typeof createBackupService>[0]) {
  return { service: createBackupService(parts) }
}

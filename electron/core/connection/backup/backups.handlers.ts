import { implement } from '@orpc/server'
import { backupsContract } from '../../../contract/backups.ts'
import type { BackupService } from './backup.service.ts'
import type { RestoreService } from './restore.service.ts'

/** What the handlers use of a call. A getter throws NO_CONNECTION while no connection is open. */
interface Slice {
  about(): { version: string }
  backup: BackupService
  restore: RestoreService
}

const os = implement(backupsContract).$context<Slice>()

export const backupsHandlers = {
  begin: os.begin.handler(({ context, input }) => context.restore.files.begin(input)),
  append: os.append.handler(({ context, input }) => context.restore.files.append(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.restore.files.discard(input.fileId)
    return {}
  }),
  read: os.read.handler(({ context, input }) => context.restore.files.read(input.fileId, input.offset)),
  start: os.start.handler(({ context }) => context.backup.start(context.about().version)),
  restore: os.restore.handler(({ context, input, signal }) =>
    context.restore.restore(input.fileId, signal ?? new AbortController().signal),
  ),
}

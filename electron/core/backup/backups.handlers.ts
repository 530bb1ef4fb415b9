import { implement } from '@orpc/server'
import { backupsContract } from '../../contract/backups.ts'
import type { CoreContext } from '../context.ts'

const os = implement(backupsContract).$context<CoreContext>()

export const backupsHandlers = {
  begin: os.begin.handler(({ context, input }) => context.restore.files.begin(input)),
  append: os.append.handler(({ context, input }) => context.restore.files.append(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.restore.files.discard(input.fileId)
    return {}
  }),
  read: os.read.handler(({ context, input }) => context.restore.files.read(input.fileId, input.offset)),
  start: os.start.handler(({ context }) => context.workspace().backup.start(context.about().version)),
  restore: os.restore.handler(({ context, input, signal }) =>
    context.restore.restore(input.fileId, signal ?? new AbortController().signal),
  ),
}

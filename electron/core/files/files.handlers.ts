import { implement } from '@orpc/server'
import { filesContract } from '../../contract/files.ts'
import type { CoreContext } from '../context.ts'

const os = implement(filesContract).$context<CoreContext>()

export const filesHandlers = {
  begin: os.begin.handler(({ context, input }) => context.workspace().files.begin(input)),
  append: os.append.handler(({ context, input }) => context.workspace().files.append(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.workspace().files.discard(input.fileId)
    return {}
  }),
  read: os.read.handler(({ context, input }) => context.workspace().files.read(input.fileId, input.offset)),
}

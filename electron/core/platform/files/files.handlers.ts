import { implement } from '@orpc/server'
import { filesContract } from '../../../contract/files.ts'
import type { FileStore } from './file-store.ts'

const os = implement(filesContract).$context<{ files: FileStore }>()

export const filesHandlers = {
  begin: os.begin.handler(({ context, input }) => context.files.begin(input)),
  append: os.append.handler(({ context, input }) => context.files.append(input)),
  discard: os.discard.handler(({ context, input }) => {
    context.files.discard(input.fileId)
    return {}
  }),
  read: os.read.handler(({ context, input }) => context.files.read(input.fileId, input.offset)),
}

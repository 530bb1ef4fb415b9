import { implement } from '@orpc/server'
import { join } from 'node:path'
import { filesContract } from '../../../contract/platform/files.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createFileStore, type FileStore } from './file-store.ts'

const os = implement(filesContract).$context<{ files: FileStore }>()

export const filesHandlers = {
  begin: os.begin.handler(({ context, input }) => context.files.begin(input)),
  append: os.append.handler(({ context, input }) => context.files.append(input)),
  discard: os.discard.handler(({ context, input }) => context.files.discard(input.fileId)),
  read: os.read.handler(({ context, input }) => context.files.read(input.fileId, input.offset)),
}

export function createFilesFeature({ dir, clock }: { dir: string; clock: Clock }) {
  return { service: createFileStore(join(dir, 'files'), clock) }
}

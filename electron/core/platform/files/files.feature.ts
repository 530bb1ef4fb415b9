import { join } from 'node:path'
import { filesContract } from '../../../contract/platform/files.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createFileStore, type FileStore } from './file-store.ts'
import { type CallsOf, handlersOf } from '../rpc/handlers.ts'

/** What a page may do with files: those of a connection, or those to restore one from. */
export const fileCalls = (files: FileStore): CallsOf<typeof filesContract> => ({
  ...files,
  discard: ({ fileId }) => files.discard(fileId),
  read: ({ fileId, offset }) => files.read(fileId, offset),
})

export const filesHandlers = handlersOf(filesContract, ({ files }: { files: FileStore }) => fileCalls(files))

export function createFilesFeature({ dir, clock }: { dir: string; clock: Clock }) {
  return { service: createFileStore(join(dir, 'files'), clock) }
}

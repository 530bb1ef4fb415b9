import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { connectionSchema } from './connections.ts'
import { isoTime, procedure } from '../define.ts'
import { filesContract } from '../platform/files.ts'

/** Backups of connections: one file each, without secrets. */
export const backupsContract = {
  /** Uploads a backup in pieces. Unlike `files`, needs no open connection. */
  ...filesContract,
  /** Backs up the open connection. The task's `refId` is the file; read it through `files`. UNSUPPORTED for the sandbox. */
  start: procedure.output(z.object({ taskId: z.string() })),
  /**
   * Makes a new connection from an uploaded backup. Yields progress, then the connection, which is not opened.
   * Ending the call cancels the restore. BACKUP_UNKNOWN, BACKUP_FROM_FUTURE, BACKUP_DAMAGED, FILE_GONE, DISK_FULL.
   */
  restore: procedure
    .input(z.object({ fileId: z.string() }))
    .output(
      eventIterator(
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('reading'), doneBytes: z.number(), totalBytes: z.number() }),
          z.object({ kind: z.literal('restored'), connection: connectionSchema, createdAt: isoTime }),
        ]),
      ),
    ),
}

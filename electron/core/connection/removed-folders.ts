import { rm } from 'node:fs/promises'
import { AppError } from '../../contract/errors.ts'
import type { Log } from '../../lib/log.ts'
import { connectionDir } from './connection-files.ts'
import type { ConnectionsRepository } from './connections.repository.ts'

export type RemovedFolders = ReturnType<typeof createRemovedFolders>

/**
 * Deletes the folders of removed connections. A crash, or Windows while a program uses a file, leaves one: its tombstone remains until
 * it is gone.
 */
export function createRemovedFolders(dataDir: string, repository: ConnectionsRepository, log: Log) {
  /** Returns the error of a folder that could not be deleted. */
  async function remove(connectionId: string): Promise<AppError | null> {
    const folder = connectionDir(dataDir, connectionId)
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      repository.removeFolderTombstone(connectionId)
      return null
    } catch (error) {
      log.error('Could not delete the folder of a removed connection', { folder, error })
      return new AppError('FOLDER_NOT_DELETED', { folder }, { cause: error })
    }
  }

  return {
    remove,
    /** Deletes what a removed connection with this id left, before it is used again. Throws FOLDER_NOT_DELETED. */
    async makeRoom(connectionId: string): Promise<void> {
      const problem = repository.folderTombstones().includes(connectionId) ? await remove(connectionId) : null
      if (problem) throw problem
    },
    /** Retries the tombstones. Returns the last error. */
    async sweep(): Promise<AppError | null> {
      let problem: AppError | null = null
      for (const id of repository.folderTombstones()) problem = (await remove(id)) ?? problem
      return problem
    },
  }
}

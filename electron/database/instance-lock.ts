import Sqlite from 'better-sqlite3'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { isBusy, mapSqliteError } from './errors.ts'
import { prepareFile, prepareFolder } from './files.ts'

export type InstanceLock = ReturnType<typeof lockProfile>

/** Keeps locked connections alive: a collected one would release its lock. */
const holding = new Set<Sqlite.Database>()

function readOwner(file: string): number | null {
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: unknown }
    return typeof pid === 'number' ? pid : null
  } catch {
    return null
  }
}

/**
 * Makes this process the only user of the profile in `dataDir`. SQLite's lock on `owner.db` is the operating
 * system's, so it ends with its owner; `owner.json` only names it. Throws `OTHER_INSTANCE` with the owner's
 * `pid` (null when unknown; the former owner's for a moment after a start), or the folder's `STORAGE_*` errors.
 */
export function lockProfile(dataDir: string) {
  const lockFile = join(dataDir, 'owner.db')
  const ownerFile = join(dataDir, 'owner.json')
  prepareFolder(lockFile)
  prepareFile(lockFile)
  const db = new Sqlite(lockFile, { timeout: 0 })
  try {
    // Not WAL: its lock is on a second file, and another process could still read.
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!isBusy(error)) throw mapSqliteError(error, { file: lockFile })
    throw new AppError('OTHER_INSTANCE', { pid: readOwner(ownerFile) }, { cause: error })
  }
  try {
    const draft = `${ownerFile}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ pid: process.pid }), { mode: 0o600 })
    renameSync(draft, ownerFile)
  } catch (error) {
    db.close()
    throw mapSqliteError(error, { file: ownerFile })
  }
  holding.add(db)
  return {
    /** Frees the profile. Safe to call twice. */
    release(): void {
      holding.delete(db)
      if (db.open) db.close()
    },
  }
}

import Sqlite from 'better-sqlite3'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../contract/errors.ts'
import { isBusy, mapSqliteError } from './errors.ts'
import { prepareFile, prepareFolder } from './files.ts'

export interface InstanceLock {
  /** Gives the profile free. Safe to call twice. */
  release(): void
}

/** Connections that hold a lock: one that nothing refers to would be collected, and its lock given free. */
const holding = new Set<Sqlite.Database>()

/** A new owner writes its name just after it got the lock: until then the name of the one before is read. */
const nameWaitMs = 20
const nameAttempts = 10

interface Owner {
  pid: number
}

function readOwner(file: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>
    return typeof owner.pid === 'number' ? { pid: owner.pid } : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function waitForOwner(file: string): Owner | null {
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    const owner = readOwner(file)
    if (owner && isAlive(owner.pid)) return owner
    pause(nameWaitMs)
  }
  return readOwner(file)
}

/**
 * Makes this process the only one that uses the profile in `dataDir`. The lock is one of the operating system (SQLite's own,
 * on a file of its own), so it is free the moment its owner dies, however it dies; `owner.json` only says who that is.
 *
 * Throws `OTHER_INSTANCE` with the owner's `pid` (null when unknown), or the `STORAGE_*` errors of the folder.
 */
export function lockProfile(dataDir: string): InstanceLock {
  const lockFile = join(dataDir, 'owner.db')
  const ownerFile = join(dataDir, 'owner.json')
  prepareFolder(lockFile)
  prepareFile(lockFile)
  const db = new Sqlite(lockFile, { timeout: 0 })
  try {
    // Not WAL: there the lock would be on a second file, and the first writer could be a reader as well.
    db.pragma('journal_mode = DELETE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!isBusy(error)) throw mapSqliteError(error, { file: lockFile })
    throw new AppError('OTHER_INSTANCE', { pid: waitForOwner(ownerFile)?.pid ?? null }, { cause: error })
  }
  try {
    const draft = `${ownerFile}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ pid: process.pid } satisfies Owner), { mode: 0o600 })
    renameSync(draft, ownerFile)
  } catch (error) {
    db.close()
    throw mapSqliteError(error, { file: ownerFile })
  }
  holding.add(db)
  return {
    release() {
      holding.delete(db)
      if (db.open) db.close()
    },
  }
}

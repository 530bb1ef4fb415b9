import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { mapSqliteError, storageErrorCode } from './errors.ts'

/** The files SQLite keeps beside a database in WAL mode. A database moves only together with them. */
const companions = ['-wal', '-shm'] as const

const worldBits = 0o077

function tighten(path: string, mode: number): void {
  if (process.platform !== 'win32' && (statSync(path).mode & worldBits) !== 0) chmodSync(path, mode)
}

/**
 * Makes sure that the folder of `file` exists with mode 0700 and can be written. Only the last folder of the path is
 * created: a missing data folder is more likely a disk that is not mounted than a wish to start anew.
 * Throws `STORAGE_MISSING` or `STORAGE_READ_ONLY`.
 */
export function prepareFolder(file: string): void {
  const folder = dirname(file)
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    tighten(folder, 0o700)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw mapSqliteError(error, { file: folder })
  }
}

/**
 * Creates `file` empty with mode 0600, or tightens the one that is there. SQLite gives `-wal` and `-shm` the mode of
 * the database, so all three stay private.
 */
export function prepareFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (storageErrorCode(error) !== 'EEXIST') throw mapSqliteError(error, { file })
    // Only by path: closing a descriptor of a database that is open elsewhere in this process drops its POSIX locks.
    tighten(file, 0o600)
    for (const suffix of companions) if (existsSync(file + suffix)) tighten(file + suffix, 0o600)
    try {
      accessSync(file, constants.R_OK | constants.W_OK)
    } catch (denied) {
      throw mapSqliteError(denied, { file })
    }
  }
}

/** A name for a damaged file that does not exist yet: `<file>.corrupt-20261120T232627Z`, with `-2`… when taken. */
function asideName(file: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')
  const name = `${file}.corrupt-${stamp}`
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? name : `${name}-${attempt}`
    if (!existsSync(candidate)) return candidate
  }
}

/**
 * Moves a database that nobody has open, with its log, out of the way. Nothing is deleted.
 *
 * @returns the new path of the database; its log keeps belonging to it by name.
 */
export function setFileAside(file: string, nowMs: number): string {
  const aside = asideName(file, nowMs)
  try {
    renameSync(file, aside)
    for (const suffix of companions) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  } catch (error) {
    throw mapSqliteError(error, { file })
  }
  return aside
}

/** Bytes of the database and its log, 0 when neither exists. */
export function sizeOnDisk(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

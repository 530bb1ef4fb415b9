import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
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

/** Makes names changed in the folder of `file` durable, in this order before any later change. Windows has no such call. */
function syncFolder(file: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(dirname(file), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Where the file that takes the place of a damaged one is filled. */
export const replacementFile = (file: string): string => `${file}.new`

/** Removes a replacement that was not finished. The damaged file that it was read from is still in its place. */
export function dropReplacement(file: string): void {
  for (const suffix of ['', ...companions]) rmSync(replacementFile(file) + suffix, { force: true })
}

/**
 * Sets the damaged `file` aside and puts its closed, complete replacement in its place. Killed anywhere in between, there is
 * no `file`, and `finishReplacement` goes on.
 *
 * @returns where the damaged file went.
 */
export function putReplacement(file: string, nowMs: number): string {
  try {
    syncFolder(file)
    const aside = setFileAside(file, nowMs)
    syncFolder(file)
    renameSync(replacementFile(file), file)
    syncFolder(file)
    return aside
  } catch (error) {
    throw mapSqliteError(error, { file })
  }
}

/** The newest file that `file` was set aside as, or null. */
function newestAside(file: string): string | null {
  const names = readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.corrupt-`) && !/-(wal|shm)$/.test(name))
    .sort()
  const newest = names.at(-1)
  return newest === undefined ? null : join(dirname(file), newest)
}

/**
 * Completes what `putReplacement` was killed in. A replacement beside a `file` that still exists was not complete: it is
 * removed, to be made again.
 *
 * @returns where the damaged file went, or undefined when there was nothing to complete.
 */
export function finishReplacement(file: string): string | null | undefined {
  try {
    if (!existsSync(replacementFile(file))) return undefined
    if (existsSync(file)) {
      dropReplacement(file)
      return undefined
    }
    const aside = newestAside(file)
    for (const suffix of companions) {
      // A log left behind belongs to the damaged file: SQLite would take it for that of the new one.
      if (existsSync(file + suffix)) renameSync(file + suffix, (aside ?? `${file}.corrupt`) + suffix)
      if (existsSync(replacementFile(file) + suffix))
        renameSync(replacementFile(file) + suffix, file + suffix)
    }
    renameSync(replacementFile(file), file)
    syncFolder(file)
    return aside
  } catch (error) {
    throw mapSqliteError(error, { file })
  }
}

/** Bytes of the database and its log, 0 when neither exists. */
export function sizeOnDisk(file: string): number {
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

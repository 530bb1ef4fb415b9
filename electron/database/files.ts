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

/** SQLite's companion files in WAL mode. A database moves only together with them. */
const companions = ['-wal', '-shm'] as const

const worldBits = 0o077

function tighten(path: string, mode: number): void {
  if (process.platform !== 'win32' && (statSync(path).mode & worldBits) !== 0) chmodSync(path, mode)
}

/**
 * Makes the folder of `file` private (0700) and checks that it is writable. Creates only the last folder: a
 * missing data folder usually means an unmounted disk. Throws `STORAGE_MISSING` or `STORAGE_READ_ONLY`.
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

/** Creates `file` empty with mode 0600, or tightens an existing one. SQLite gives its log the same mode. */
export function prepareFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (storageErrorCode(error) !== 'EEXIST') throw mapSqliteError(error, { file })
    // By path only: closing a descriptor of a database open elsewhere in this process drops its POSIX locks.
    tighten(file, 0o600)
    for (const suffix of companions) if (existsSync(file + suffix)) tighten(file + suffix, 0o600)
    try {
      accessSync(file, constants.R_OK | constants.W_OK)
    } catch (denied) {
      throw mapSqliteError(denied, { file })
    }
  }
}

/** An unused name for a damaged file: `<file>.corrupt-20261120T232627Z`, then `-2`… */
function asideName(file: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')
  const name = `${file}.corrupt-${stamp}`
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? name : `${name}-${attempt}`
    if (!existsSync(candidate)) return candidate
  }
}

/** Renames a closed database and its log. Deletes nothing. Returns the database's new path. */
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

/** Makes renames in the folder durable before later changes. Windows has no such call. */
function syncFolder(file: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(dirname(file), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Where the replacement of a damaged file is filled. */
export const replacementFile = (file: string): string => `${file}.new`

/** Removes an unfinished replacement. The damaged file is still in place. */
export function dropReplacement(file: string): void {
  for (const suffix of ['', ...companions]) rmSync(replacementFile(file) + suffix, { force: true })
}

/**
 * Replaces the damaged `file` by its complete, closed replacement. After a kill in between there is no
 * `file`, and `finishReplacement` continues. Returns where the damaged file went.
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
 * Completes an interrupted `putReplacement`. A replacement beside an existing `file` is incomplete and
 * removed. Returns where the damaged file went, undefined if there was nothing to complete.
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
      // SQLite would take the damaged file's log for the new one's.
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

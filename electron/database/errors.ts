import { AppError } from '../contract/errors.ts'

/** SQLite's words for a statement that needs other tables than the file has. A build before the first release changes them in place. */
const otherSchema = /^no such (?:table|column|index)|has no column named/

/** The file's bytes are not what SQLite wrote (sqlite.org/rescode.html). */
const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** Result code of a better-sqlite3 or Node file error, undefined for anything else. */
export function storageErrorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return typeof code === 'string' && /^(E[A-Z0-9]+|SQLITE_\w+)$/.test(code) ? code : undefined
}

const startsWithOneOf = (code: string | undefined, prefixes: string[]) =>
  code !== undefined && prefixes.some((prefix) => code === prefix || code.startsWith(`${prefix}_`))

export function isDamage(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), damageCodes)
}

/** Runs `work`, or `otherwise` on damage. Other errors (a full disk) pass. */
export function unlessDamaged<T>(work: () => T, otherwise: (error: Error) => T): T {
  try {
    return work()
  } catch (error) {
    if (isDamage(error)) return otherwise(error as Error)
    throw error
  }
}

/** One row was refused for its content; the next may fit. */
export function isRowRefused(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'])
}

export function isMissing(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['ENOENT', 'ENOTDIR'])
}

export function isDiskFull(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
}

/** Another connection holds the lock; a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['SQLITE_BUSY', 'SQLITE_LOCKED'])
}

/**
 * Maps SQLite and file system errors to `AppError`, here only: `DISK_FULL`, `STORAGE_BUSY`,
 * `STORAGE_READ_ONLY`, `STORAGE_MISSING`, `STORAGE_DAMAGED_IN_USE`, `STORAGE_OTHER_BUILD`, else `STORAGE_FAILED`.
 * An `AppError` passes unchanged.
 */
export function mapSqliteError(error: unknown, { file }: { file: string }): AppError {
  if (error instanceof AppError) return error
  const code = storageErrorCode(error)
  const options = { cause: error }
  if (isDiskFull(error)) return new AppError('DISK_FULL', {}, options)
  if (isBusy(error)) return new AppError('STORAGE_BUSY', {}, options)
  if (isDamage(error))
    return new AppError('STORAGE_DAMAGED_IN_USE', { file, detail: (error as Error).message }, options)
  if (startsWithOneOf(code, ['SQLITE_READONLY', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS']))
    return new AppError('STORAGE_READ_ONLY', { path: file }, options)
  if (isMissing(error)) return new AppError('STORAGE_MISSING', { path: file }, options)
  const detail = error instanceof Error ? error.message : String(error)
  if (code === 'SQLITE_ERROR' && otherSchema.test(detail))
    return new AppError('STORAGE_OTHER_BUILD', {}, options)
  return new AppError('STORAGE_FAILED', { detail: code ? `${detail} (${code})` : detail }, options)
}

import Database from 'better-sqlite3'
import { AppError } from '../contract/errors.ts'

/** What was being done when SQLite refused, for the operator's sentence and the log. */
export interface SqliteErrorContext {
  /** The database file, absolute. */
  file: string
}

/** SQLite's result codes that mean: the bytes of the file are not what SQLite wrote (sqlite.org/rescode.html). */
const damageCodes = ['SQLITE_CORRUPT', 'SQLITE_NOTADB']

/** The result code of an error of better-sqlite3 or of Node's file functions, or undefined for any other value. */
export function storageErrorCode(error: unknown): string | undefined {
  if (error instanceof Database.SqliteError) return error.code
  const code = (error as NodeJS.ErrnoException | null)?.code
  return typeof code === 'string' && /^(E[A-Z0-9]+|SQLITE_\w+)$/.test(code) ? code : undefined
}

const startsWithOneOf = (code: string | undefined, prefixes: string[]) =>
  code !== undefined && prefixes.some((prefix) => code === prefix || code.startsWith(`${prefix}_`))

/** True when the error says that the file itself is damaged or is no database. */
export function isDamage(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), damageCodes)
}

/** True when one row was refused for what it holds: the next may fit. */
export function isRowRefused(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH'])
}

/** True when another connection holds the lock: the same statement may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  return startsWithOneOf(storageErrorCode(error), ['SQLITE_BUSY', 'SQLITE_LOCKED'])
}

/**
 * The one place where SQLite's errors (and the file system's, around a database) become errors of the table:
 * `DISK_FULL`, `STORAGE_BUSY`, `STORAGE_READ_ONLY`, `STORAGE_MISSING`, `STORAGE_DAMAGED`, else `STORAGE_FAILED`.
 * An `AppError` passes through unchanged.
 */
export function mapSqliteError(error: unknown, context: SqliteErrorContext): AppError {
  if (error instanceof AppError) return error
  const code = storageErrorCode(error)
  const options = { cause: error }
  if (startsWithOneOf(code, ['SQLITE_FULL', 'ENOSPC', 'EDQUOT']))
    return new AppError('DISK_FULL', {}, options)
  if (isBusy(error)) return new AppError('STORAGE_BUSY', {}, options)
  if (isDamage(error)) {
    return new AppError(
      'STORAGE_DAMAGED_IN_USE',
      { file: context.file, detail: (error as Error).message },
      options,
    )
  }
  if (startsWithOneOf(code, ['SQLITE_READONLY', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS']))
    return new AppError('STORAGE_READ_ONLY', { path: context.file }, options)
  if (startsWithOneOf(code, ['ENOENT', 'ENOTDIR']))
    return new AppError('STORAGE_MISSING', { path: context.file }, options)
  const detail = error instanceof Error ? error.message : String(error)
  return new AppError('STORAGE_FAILED', { detail: code ? `${detail} (${code})` : detail }, options)
}

/** Runs `work` and throws what SQLite throws as an error of the table. */
export function withSqliteErrors<T>(context: SqliteErrorContext, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw mapSqliteError(error, context)
  }
}

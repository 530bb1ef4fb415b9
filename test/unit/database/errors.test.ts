import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { isBusy, isDamage, mapSqliteError } from '#electron/database/errors.ts'

const sqlite = (code: string) => new Sqlite.SqliteError('text of SQLite', code)
const file = '/data/state.db'

describe('mapSqliteError', () => {
  it.each([
    ['SQLITE_FULL', 'DISK_FULL'],
    ['SQLITE_BUSY', 'STORAGE_BUSY'],
    ['SQLITE_BUSY_SNAPSHOT', 'STORAGE_BUSY'],
    ['SQLITE_READONLY', 'STORAGE_READ_ONLY'],
    ['SQLITE_CORRUPT', 'STORAGE_DAMAGED_IN_USE'],
    ['SQLITE_CORRUPT_INDEX', 'STORAGE_DAMAGED_IN_USE'],
    ['SQLITE_NOTADB', 'STORAGE_DAMAGED_IN_USE'],
    ['SQLITE_IOERR_WRITE', 'STORAGE_FAILED'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'STORAGE_FAILED'],
  ])('%s becomes %s', (code, expected) => {
    const error = mapSqliteError(sqlite(code), { file })
    expect(error.code).toBe(expected)
    expect(error.cause).toBeInstanceOf(Sqlite.SqliteError)
    expect(error.message).not.toMatch(/\{\w+\}|undefined/)
  })

  it.each([
    ['ENOSPC', 'DISK_FULL'],
    ['EROFS', 'STORAGE_READ_ONLY'],
    ['ENOENT', 'STORAGE_MISSING'],
    ['EIO', 'STORAGE_FAILED'],
  ])('the file system’s %s becomes %s', (code, expected) => {
    expect(mapSqliteError(Object.assign(new Error('x'), { code }), { file }).code).toBe(expected)
  })

  it.each(['no such column: without_inbound', 'no such index: a', 'table a has no column named b'])(
    '%s is data of another build',
    (message) => {
      const error = mapSqliteError(new Sqlite.SqliteError(message, 'SQLITE_ERROR'), { file })
      expect(error.code).toBe('STORAGE_OTHER_BUILD')
    },
  )

  it('passes an AppError through, and maps anything else to STORAGE_FAILED with its message', () => {
    const known = new AppError('NO_CONNECTION')
    expect(mapSqliteError(known, { file })).toBe(known)
    expect(mapSqliteError(new Error('odd'), { file })).toMatchObject({
      code: 'STORAGE_FAILED',
      data: { detail: 'odd' },
    })
  })
})

it('distinguishes busy from damaged', () => {
  expect(isBusy(sqlite('SQLITE_BUSY'))).toBe(true)
  expect(isDamage(sqlite('SQLITE_BUSY'))).toBe(false)
  expect(isDamage(sqlite('SQLITE_CORRUPT_VTAB'))).toBe(true)
  expect(isDamage(undefined)).toBe(false)
})

import Sqlite from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase, openReader } from '#electron/database/open.ts'
import { applyPragmas } from '#electron/database/pragmas.ts'
import { type SchemaName, schemas } from '#electron/database/schemas.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { canMount, moveToSmallDisk } from '../../helpers/small-disk.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

/** Opens a database until the test ends or closes it. */
function open(file: string, schema: SchemaName = 'console') {
  const opened = openDatabase({ file, schema, log: quietLog })
  onTestFinished(opened.close)
  return opened
}
/** Opens it and fails with an error like this. */
const expectFailure = (file: string, error: object) =>
  expect(() => open(file)).toThrow(expect.objectContaining(error))
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
const putSetting = (db: Sqlite.Database, key: string) =>
  db.prepare('INSERT INTO settings VALUES (?, ?, 1)').run(key, '"x"')

describe('opening a database', () => {
  it.each(Object.keys(schemas) as SchemaName[])('%s: applies every setting', (schema) => {
    const { db } = open(join(tempFolder(), 'profile', `${schema}.db`), schema)
    for (const [name, value] of Object.entries({
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      trusted_schema: 0,
      cell_size_check: 1,
      secure_delete: 1,
      busy_timeout: schemas[schema].busyTimeoutMs,
    }))
      expect(db.pragma(name, { simple: true }), name).toBe(value)
  })

  it('restores synchronous=FULL after a reopen, which the library alone would not', () => {
    const file = join(tempFolder(), 'a.db')
    open(file).close()
    const plain = new Sqlite(file)
    expect(plain.pragma('synchronous', { simple: true })).toBe(1)
    plain.close()
    expect(open(file).db.pragma('synchronous', { simple: true })).toBe(2)
  })

  it('makes folder, database, log and index private for any umask and earlier modes', () => {
    const folder = join(tempFolder(), 'profile')
    mkdirSync(folder, { mode: 0o755 })
    const file = join(folder, 'a.db')
    writeFileSync(file, '', { mode: 0o644 })
    chmodSync(file, 0o644)
    putSetting(open(file).db, 'a')
    expect(mode(folder)).toBe('700')
    expect([file, `${file}-wal`, `${file}-shm`].map(mode)).toEqual(['600', '600', '600'])
  })

  it('removes deleted values from the file', () => {
    const file = join(tempFolder(), 'a.db')
    const { db, close } = open(file)
    putSetting(db, 'number +14155550123 of a person')
    db.pragma('wal_checkpoint(TRUNCATE)')
    expect(readFileSync(file).includes('+14155550123')).toBe(true)
    db.prepare('DELETE FROM settings').run()
    close()
    expect(readFileSync(file).includes('+14155550123')).toBe(false)
  })

  it('leaves one file when closed, even twice', () => {
    const folder = tempFolder()
    const { db, close } = open(join(folder, 'a.db'), 'cache')
    db.prepare('INSERT INTO answers VALUES (?, ?, 1)').run('a', '{}')
    close()
    close()
    expect(readdirSync(folder)).toEqual(['a.db'])
  })

  it('works under a path with spaces, umlauts and quotes', () => {
    const file = join(tempFolder(), `Ärger "mit' Leerzeichen %20 ?#`, 'a.db')
    const first = open(file)
    putSetting(first.db, 'a')
    first.close()
    expect(open(file).db.prepare('SELECT key FROM settings').pluck().all()).toEqual(['a'])
  })

  it('takes an empty file for a new database, but reports one with data that became empty', () => {
    const file = join(tempFolder(), 'a.db')
    writeFileSync(file, '')
    const fresh = open(file)
    expect(fresh.setAside).toBeUndefined()
    fresh.close()
    truncateSync(file, 0)
    expect(open(file).setAside).toMatchObject({ asideFile: null, lost: { key: 'salvage.missing' } })
  })

  it('gives readers the latest commits and no write access', () => {
    const file = join(tempFolder(), 'a.db')
    const writer = open(file)
    const reader = openReader(file)
    putSetting(writer.db, 'a')
    expect(reader.db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1)
    expect(() => putSetting(reader.db, 'b')).toThrow(/readonly/)
    reader.close()
  })
})

it.each([
  ['closed cleanly', false],
  ['with its log', true],
])('a database of a newer version, %s, is refused with both versions and not touched', (_name, withLog) => {
  const folder = tempFolder()
  const file = join(folder, 'a.db')
  const first = open(file)
  putSetting(first.db, 'a')
  first.close()
  const future = new Sqlite(file)
  future.pragma('user_version = 99')
  future.prepare('DELETE FROM settings').run()
  if (withLog) {
    // A killed process leaves its log behind.
    const bytes = [file, `${file}-wal`, `${file}-shm`].map((path) => readFileSync(path))
    future.close()
    ;[file, `${file}-wal`, `${file}-shm`].forEach((path, index) => writeFileSync(path, bytes[index]!))
  } else future.close()
  const snapshot = () =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')])
  const before = snapshot()
  const data = { file: 'a.db', found: 99, known: schemas.console.migrations.length }
  expectFailure(file, { code: 'STORAGE_FROM_FUTURE', data })
  expect(snapshot()).toEqual(before)
})

describe('an unusable folder', () => {
  it('names a missing data folder and does not create it, and a file or folder in its place', () => {
    const folder = join(tempFolder(), 'unmounted')
    const path = join(folder, 'profile')
    expectFailure(join(path, 'a.db'), { code: 'STORAGE_MISSING', data: { path } })
    expect(existsSync(folder)).toBe(false)
    writeFileSync(folder, '')
    expectFailure(join(folder, 'a.db'), { code: 'STORAGE_MISSING' })
    expectFailure(tempFolder(), { code: expect.stringMatching(/^STORAGE_/) as string })
  })

  it.runIf(canMount)('names a folder mounted read-only', () => {
    const path = tempFolder()
    if (!moveToSmallDisk(path, '64k')) return
    expect(spawnSync('mount', ['-o', 'remount,ro', path]).status).toBe(0)
    expectFailure(join(path, 'a.db'), { code: 'STORAGE_READ_ONLY', data: { path } })
  })

  it('calls a database held by another program busy, not damaged', () => {
    const file = join(tempFolder(), 'a.db')
    open(file).close()
    const other = new Sqlite(file)
    other.pragma('locking_mode = EXCLUSIVE')
    other.exec('BEGIN EXCLUSIVE; DELETE FROM settings')
    expectFailure(file, { code: 'STORAGE_BUSY' })
    other.exec('ROLLBACK')
    other.close()
    open(file)
  })
})

describe('applyPragmas', () => {
  it('refuses a database that ignores a setting', () => {
    // A database in memory has no log: WAL stays off, as on a network share.
    expect(() =>
      applyPragmas(new Sqlite(':memory:'), { busyTimeoutMs: 1, walAutocheckpointPages: 1 }),
    ).toThrow(
      expect.objectContaining({
        code: 'STORAGE_FAILED',
        data: { detail: expect.stringMatching(/journal_mode stayed at memory/) },
      }),
    )
  })

  it('asks macOS for F_FULLFSYNC', () => {
    const { db } = open(join(tempFolder(), 'a.db'))
    applyPragmas(db, { busyTimeoutMs: 1, walAutocheckpointPages: 1 }, 'darwin')
    expect(db.pragma('fullfsync', { simple: true })).toBe(1)
    expect(db.pragma('checkpoint_fullfsync', { simple: true })).toBe(1)
  })
})

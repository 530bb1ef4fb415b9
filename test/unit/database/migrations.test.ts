import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { migrate, type Migration, schemaVersion } from '#electron/database/migrate.ts'
import { type SchemaName, schemas } from '#electron/database/schemas.ts'

const names = Object.keys(schemas) as SchemaName[]

const step = (
  id: number,
  up: Migration['up'] = (db) => db.exec(`CREATE TABLE t${id} (a INTEGER) STRICT`),
) => ({
  id,
  name: `step-${id}`,
  up,
})

/** Tables and columns of a database, as `table.column type`, sorted. */
function columnsOf(db: Sqlite.Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT t.name || '.' || c.name || ' ' || c.type FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1`,
    )
    .pluck()
    .all()
}

const created = (name: SchemaName) => {
  const db = new Sqlite(':memory:')
  migrate(db, schemas[name].migrations)
  return db
}

it.each(names)('%s has strict tables only, and times as integers of milliseconds', (name) => {
  const db = created(name)
  const loose = db.prepare(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
  )
  expect(loose.all()).toEqual([])
  for (const column of columnsOf(db)) {
    if (/_ms /.test(column)) expect(column).toMatch(/ INTEGER$/)
    expect(column).not.toMatch(/_at |_date /)
  }
})

it('refuses connections with a repeated name or of an unknown kind or credential', () => {
  const db = created('console')
  const insert = (id: string, name: string, kind = 'service', credential = 'password') =>
    db
      .prepare(
        `INSERT INTO connections (id, name, base_url, kind, colour, credential_kind, created_ms)
         VALUES (?, ?, 'https://a.test/v1', ?, 'teal', ?, 1)`,
      )
      .run(id, name, kind, credential)
  insert('c1', 'Live')
  expect(() => insert('c2', 'Live')).toThrow(/UNIQUE.*name/)
  expect(() => insert('c3', 'A', 'other')).toThrow(/CHECK/)
  expect(() => insert('c4', 'B', 'service', 'cookie')).toThrow(/CHECK/)
})

describe('migrate', () => {
  it('keeps the version and tables of the last good step when a step fails midway', () => {
    const db = new Sqlite(':memory:')
    const failing = step(2, (at) => {
      at.exec('CREATE TABLE half (a INTEGER) STRICT')
      throw new Error('no')
    })
    expect(() => migrate(db, [step(1), failing])).toThrow('no')
    expect(schemaVersion(db)).toBe(1)
    expect(columnsOf(db)).toEqual(['t1.a INTEGER'])
    migrate(db, [step(1), step(2)])
    expect(schemaVersion(db)).toBe(2)
  })

  it('does nothing when run twice', () => {
    const db = new Sqlite(':memory:')
    migrate(db, [step(1)])
    expect(migrate(db, [step(1)])).toEqual({ from: 1, to: 1 })
  })

  it('refuses a database of a newer version', () => {
    const db = new Sqlite(':memory:')
    db.pragma('user_version = 3')
    expect(() => migrate(db, [step(1)])).toThrow(
      expect.objectContaining({
        code: 'STORAGE_FROM_FUTURE',
        data: expect.objectContaining({ found: 3, known: 1 }),
      }),
    )
  })

  it('refuses a list of steps with a gap', () => {
    expect(() => migrate(new Sqlite(':memory:'), [step(1), step(3)])).toThrow(/is at position 2/)
  })

  it('rolls back a step that leaves a row without its parent, and enforces foreign keys afterwards', () => {
    const db = new Sqlite(':memory:')
    const tables = step(1, (at) =>
      at.exec(
        'CREATE TABLE p (id INTEGER PRIMARY KEY) STRICT; CREATE TABLE c (p INTEGER REFERENCES p) STRICT; INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)',
      ),
    )
    const orphaning = step(2, (at) => at.exec('DELETE FROM p'))
    expect(() => migrate(db, [tables, orphaning])).toThrow(/1 orphans/)
    expect(db.prepare('SELECT count(*) FROM p').pluck().get()).toBe(1)
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
  })
})

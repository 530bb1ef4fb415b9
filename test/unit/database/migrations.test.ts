import Sqlite from 'better-sqlite3'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { migrate, type Migration, schemaVersion } from '#electron/database/migrate.ts'
import { type SchemaName, schemas } from '#electron/database/schemas.ts'
import { beforeMigration, columnsOf } from '../../helpers/migration.ts'

const root = resolve(import.meta.dirname, '../../../electron/database/migrations')
const names = Object.keys(schemas) as SchemaName[]

const step = (
  id: number,
  up: Migration['up'] = (db) => db.exec(`CREATE TABLE t${id} (a INTEGER) STRICT`),
) => ({
  id,
  name: `step-${id}`,
  up,
})

describe('the migrations of every schema', () => {
  it.each(names)('%s: every file is in its index, in the order of its number', (name) => {
    const files = readdirSync(resolve(root, name)).sort()
    const listed = schemas[name].migrations.map((one) => `${String(one.id).padStart(4, '0')}-${one.name}.ts`)
    expect(listed).toEqual(files)
  })

  it.each(names)(
    '%s: each step leads from the version before to its own, and all tables are strict',
    (name) => {
      for (const { id } of schemas[name].migrations) {
        const { db, apply } = beforeMigration(schemas[name].migrations, id)
        expect(schemaVersion(db)).toBe(id - 1)
        expect(apply()).toEqual({ from: id - 1, to: id })
        const loose = db
          .prepare(
            `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
          )
          .all()
        expect(loose).toEqual([])
      }
    },
  )

  it.each(names)('%s: times are integers of milliseconds', (name) => {
    const { db, apply } = beforeMigration(schemas[name].migrations, 1)
    apply()
    migrate(db, schemas[name].migrations)
    for (const column of columnsOf(db)) {
      if (/_ms /.test(column)) expect(column).toMatch(/ INTEGER$/)
      expect(column).not.toMatch(/_at |_date /)
    }
  })
})

describe('console 0001', () => {
  const open = () => {
    const { db, apply } = beforeMigration(schemas.console.migrations, 1)
    apply()
    return db
  }
  const insert = (db: Sqlite.Database, values: Record<string, unknown>) =>
    db
      .prepare(
        `INSERT INTO connections (id, name, base_url, kind, colour, credential_kind, created_ms)
         VALUES (@id, @name, 'https://a.test/v1', @kind, 'teal', @credential, 1)`,
      )
      .run({ id: 'c1', name: 'Live', kind: 'service', credential: 'password', ...values })

  it('keeps a connection once per name', () => {
    const db = open()
    insert(db, {})
    expect(() => insert(db, { id: 'c2' })).toThrow(/UNIQUE.*name/)
  })

  it('takes only known kinds of service and of credential', () => {
    const db = open()
    expect(() => insert(db, { kind: 'other' })).toThrow(/CHECK/)
    expect(() => insert(db, { credential: 'cookie' })).toThrow(/CHECK/)
  })
})

describe('cache 0001', () => {
  it('keeps one answer per key', () => {
    const { db, apply } = beforeMigration(schemas.cache.migrations, 1)
    apply()
    const put = db.prepare('INSERT INTO answers VALUES (?, ?, ?)')
    put.run('dashboard', '{}', 1)
    expect(() => put.run('dashboard', '{}', 2)).toThrow(/UNIQUE/)
  })
})

describe('journal 0001', () => {
  it('keeps bodies as bytes and has no index but the order of arrival', () => {
    const { db, apply } = beforeMigration(schemas.journal.migrations, 1)
    apply()
    db.prepare(`INSERT INTO deliveries VALUES (1, 2, 'signed', 's', '127.0.0.1', '[]', ?)`).run(
      Buffer.from([0, 255]),
    )
    expect(db.prepare('SELECT body FROM deliveries').pluck().get()).toEqual(Buffer.from([0, 255]))
    expect(db.prepare(`SELECT * FROM sqlite_master WHERE type = 'index'`).all()).toEqual([])
  })
})

describe('search 0004', () => {
  it('has the index made again from the first contact on', () => {
    const { db, apply } = beforeMigration(schemas.search.migrations, 4)
    db.exec('UPDATE progress SET touched = 7, last_id = 9')
    apply()
    expect(db.prepare('SELECT touched, last_id FROM progress').all()).toEqual([{ touched: 0, last_id: 0 }])
  })
})

describe('state 0015', () => {
  const { db, apply } = beforeMigration(schemas.state.migrations, 15)
  const add = (id: string, state: string, payloadJson: string) =>
    db
      .prepare(
        "INSERT INTO tasks (id, kind, subject, state, unit, payload_json, created_ms) VALUES (?, 'bulk-delete', '', ?, 'contacts', ?, 1)",
      )
      .run(id, state, payloadJson)
  const selectionOf = (text?: string) => ({
    filter: { dnc: false, ...(text === undefined ? {} : { text }) },
    exceptIds: [],
  })
  const chosen = (text?: string) => JSON.stringify({ selection: selectionOf(text) })

  it('has interrupted work look for the text that was typed, not for its words', () => {
    add('words', 'interrupted', chosen(' ann smith '))
    add('quote', 'failed', chosen('ann "x" smith'))
    add('number', 'interrupted', chosen('(07911) 123-456'))
    add('none', 'interrupted', chosen())
    add('ids', 'interrupted', '{"selection":{"ids":[1]}}')
    add('broken', 'interrupted', '{')
    add('over', 'done', chosen('ann smith'))
    db.prepare(
      `INSERT INTO ott_sends (id, template_key, template_id, template_name, channel_id, subject, order_json, created_ms)
       VALUES ('send', 1, 't', '', 'c', '', ?, 1)`,
    ).run(JSON.stringify({ source: { contacts: selectionOf('ann smith') } }))
    apply()
    const payloads = db.prepare('SELECT id, payload_json AS json FROM tasks').all() as Record<
      'id' | 'json',
      string
    >[]
    expect(Object.fromEntries(payloads.map(({ id, json }) => [id, json]))).toEqual({
      words: chosen('"ann smith"'),
      quote: chosen('“ann "x" smith”'),
      number: chosen('7911123456'),
      none: chosen(),
      ids: '{"selection":{"ids":[1]}}',
      broken: '{',
      over: chosen('ann smith'),
    })
    expect(
      db.prepare("SELECT order_json ->> '$.source.contacts.filter.text' FROM ott_sends").pluck().get(),
    ).toBe('"ann smith"')
  })
})

describe('migrate', () => {
  it('keeps the version and the tables of the last good step when a step fails in its middle', () => {
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

  it('does nothing a second time', () => {
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

  it('rolls back a step that leaves a row without its parent, and enforces again afterwards', () => {
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

describe('book 0007', () => {
  it('merges tags that differ only by case into the first spelling', () => {
    const { db, apply } = beforeMigration(schemas.book.migrations, 7)
    const json = (tagSet: number) => JSON.stringify({ tagSet })
    db.exec(`
      INSERT INTO tag_sets (id, json) VALUES (2, '{"City":"Bonn"}'), (3, '{"city":"Bonn"}'), (4, '{"CITY":"Ulm","x":""}'), (5, 'no');
      INSERT INTO contacts (id, digits, name, email, tag_set, created_ms, updated_ms, touched)
        VALUES (1, 1, '', '', 2, 0, 0, 1), (2, 2, '', '', 3, 0, 0, 2), (3, 3, '', '', 4, 0, 0, 3), (4, 4, '', '', 5, 0, 0, 4);
      INSERT INTO trash (contact_id, batch_id, contact_json) VALUES (9, 'b', '${json(3)}');
      INSERT INTO import_changes (import_id, contact_id, before_json, after_touched) VALUES ('i', 1, '${json(3)}', 1);`)
    apply()
    const all = (sql: string) => db.prepare(sql).pluck().all()
    expect(all('SELECT t.json FROM contacts c JOIN tag_sets t ON t.id = c.tag_set ORDER BY c.id')).toEqual([
      '{"City":"Bonn"}',
      '{"City":"Bonn"}',
      '{"City":"Ulm","x":""}',
      'no',
    ])
    expect(all('SELECT contact_json FROM trash')).toEqual([json(2)])
    expect(all('SELECT before_json FROM import_changes')).toEqual([json(2)])
  })
})

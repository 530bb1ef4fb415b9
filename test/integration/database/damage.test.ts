import { englishText } from '#electron/contract/phrases.ts'
import Sqlite from 'better-sqlite3'
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkAtStart, checkFile } from '#electron/database/check.ts'
import { isNamed, salvagePhrase } from '#electron/database/salvage-words.ts'
import { openDatabase } from '#electron/database/open.ts'
import { salvageInto } from '#electron/database/salvage.ts'
import type { SchemaName } from '#electron/database/schemas.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { canMount, moveToSmallDisk } from '../../helpers/small-disk.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const pageBytes = 4096
const rowCount = 2_000
const now = () => Date.UTC(2026, 10, 20, 23, 26, 27)

/** Opens a database until the test ends or closes it. */
function open(file: string, schema: SchemaName = 'journal') {
  const opened = openDatabase({ file, schema, log: quietLog, now })
  onTestFinished(opened.close)
  return opened
}

/** A journal with deliveries 1…rows, each body with its number. */
function filledJournal(rows = rowCount): string {
  const file = join(tempFolder(), 'journal.db')
  const { db, close } = open(file)
  const insert = db.prepare(`INSERT INTO deliveries VALUES (?, ?, 'signed', 's1', '127.0.0.1', '[]', ?)`)
  db.transaction(() => {
    for (let seq = 1; seq <= rows; seq++) insert.run(seq, 1_000 + seq, body(seq))
  })()
  close()
  return file
}

const body = (seq: number) => Buffer.from(`delivery ${seq} ${'x'.repeat(180)}`)

/** Fills pages of a file, the first of which is 1. */
function overwrite(file: string, pages: number[], byte = 0): void {
  const fd = openSync(file, 'r+')
  for (const page of pages) writeSync(fd, Buffer.alloc(pageBytes, byte), 0, pageBytes, (page - 1) * pageBytes)
  closeSync(fd)
}

/** The pages at these shares of a file. */
const pagesAt = (file: string, ...shares: number[]) =>
  shares.map((share) => 1 + Math.floor((statSync(file).size / pageBytes) * share))

/** Every row found must be one that was written. */
function keptRows(db: Sqlite.Database): number {
  const rows = db.prepare<[], { seq: number; body: Buffer }>('SELECT seq, body FROM deliveries').all()
  expect(rows.filter((row) => !row.body.equals(body(row.seq)))).toEqual([])
  return rows.length
}

describe('a damaged journal', () => {
  it('is set aside with a time stamp, and rows of intact pages are recovered', () => {
    const file = filledJournal()
    overwrite(file, pagesAt(file, 0.5))
    const { db, setAside, salvage, close } = open(file)
    const kept = keptRows(db)
    expect(kept).toBeGreaterThan(rowCount - 60)
    expect(kept).toBeLessThan(rowCount)
    expect(setAside?.asideFile).toBe(`${file}.corrupt-20261120T232627Z`)
    expect(salvage).toContainEqual({ table: 'deliveries', kept, lost: null })
    expect(englishText(setAside!.lost)).toBe(
      `Recovered: deliveries: ${kept.toLocaleString('en')}. Lost: deliveries: unknown number.`,
    )
    expect(existsSync(setAside!.asideFile!)).toBe(true)
    close()
    const again = open(file)
    expect(again.setAside).toBeUndefined()
    expect(keptRows(again.db)).toBe(kept)
  })

  const halfOf = (file: string) => (pagesAt(file, 0.5)[0]! - 1) * pageBytes
  const otherText = 'this is not a database, but it is quite long'.repeat(500)
  it.each<[string, number, (file: string) => void]>([
    [
      'with a few bad pages',
      rowCount - 4 * 30,
      (file) => overwrite(file, pagesAt(file, 0.2, 0.21, 0.5, 0.8), 0xa5),
    ],
    ['that was truncated', rowCount * 0.4, (file) => truncateSync(file, halfOf(file))],
    ['that was overwritten', 0, (file) => writeFileSync(file, otherText)],
  ])('%s is set aside as it is, and keeps what can be read', (_what, atLeast, damage) => {
    const file = filledJournal()
    damage(file)
    const damaged = readFileSync(file)
    const { db, setAside } = open(file)
    const kept = keptRows(db)
    expect(kept).toBeGreaterThanOrEqual(atLeast)
    expect(kept).toBeLessThan(rowCount)
    expect(readFileSync(setAside!.asideFile!).equals(damaged)).toBe(true)
    if (atLeast > 0) return
    expect(kept).toBe(0)
    expect(englishText(setAside!.lost)).toMatch(/^Nothing was recovered\. Lost: deliveries: unknown number/)
  })

  it('is set aside with its log, and rows only in the log are recovered', () => {
    const file = filledJournal()
    const { db } = open(file)
    db.prepare(`INSERT INTO deliveries VALUES (?, 1, 'signed', 's1', '127.0.0.1', '[]', ?)`).run(
      rowCount + 1,
      body(rowCount + 1),
    )
    const log = readFileSync(`${file}-wal`)
    db.close()
    writeFileSync(`${file}-wal`, log)
    overwrite(file, [21])
    const opened = open(file)
    expect(opened.db.prepare('SELECT max(seq) FROM deliveries').pluck().get()).toBe(rowCount + 1)
    expect(existsSync(`${opened.setAside!.asideFile!}-wal`)).toBe(true)
  })

  it('returns intact rows or reports them lost, for damage of any kind on any page', () => {
    const file = filledJournal()
    const intact = readFileSync(file)
    const random = seededRandom(11)
    let noticed = 0
    const tries = 24
    for (let attempt = 0; attempt < tries; attempt++) {
      for (const name of readdirSync(join(file, '..'))) rmSync(join(file, '..', name))
      const bytes = Buffer.from(intact)
      const begin = (1 + Math.floor(random() * (intact.length / pageBytes - 1))) * pageBytes
      // Zeros; anything; or only another header of the page: type, cell count, cell offsets.
      const length = [pageBytes, pageBytes, 16][attempt % 3]!
      for (let at = begin; at < begin + length; at++)
        bytes[at] = attempt % 3 === 0 ? 0 : Math.floor(random() * 256)
      writeFileSync(file, bytes)
      const { db, setAside, close } = open(file)
      const kept = keptRows(db)
      if (setAside) noticed++
      else expect(kept).toBe(rowCount)
      expect(kept).toBeGreaterThan(0)
      close()
    }
    expect(noticed).toBeGreaterThan(tries * 0.9)
  })
})

describe('an interrupted salvage', () => {
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

  it('is repeated from the same file after a kill', async () => {
    const rows = 60_000
    const file = filledJournal(rows)
    overwrite(file, pagesAt(file, 0.5))
    const child = fork(join(import.meta.dirname, 'open-process.ts'), [file])
    const ended = once(child, 'exit')
    // Some but not all rows are in the new file, at either name.
    const written = () => Math.max(size(`${file}-wal`), size(`${file}.new-wal`))
    while (written() < 2_000_000 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])

    const opened = open(file)
    expect(opened.setAside).toBeDefined()
    expect(keptRows(opened.db)).toBeGreaterThan(rows - 60)
    opened.close()
    expect(readdirSync(join(file, '..')).filter((name) => name.includes('.new'))).toEqual([])
  })

  it('is completed and reported after a kill between the two renames', () => {
    const file = filledJournal()
    overwrite(file, pagesAt(file, 0.5))
    const first = open(file)
    const kept = keptRows(first.db)
    first.close()
    renameSync(file, `${file}.new`)
    // The log of the damaged file had not been renamed yet.
    writeFileSync(`${file}-wal`, 'of the damaged file')
    const aside = first.setAside!.asideFile!
    rmSync(`${aside}-wal`, { force: true })
    const opened = open(file)
    expect(keptRows(opened.db)).toBe(kept)
    expect(opened.setAside).toMatchObject({ asideFile: aside, lost: { key: 'salvage.earlier' } })
    expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('of the damaged file')
  })

  it('reports missing space instead of dropping rows', () => {
    const file = filledJournal()
    overwrite(file, pagesAt(file, 0.5))
    const target = open(join(tempFolder(), 'journal.db'), 'journal')
    target.db.pragma('max_page_count = 40')
    expect(() => salvageInto(target.db, file)).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }))
  })

  it.runIf(canMount)('keeps the damaged file on a full disk, and the next start recovers its rows', () => {
    const folder = tempFolder()
    const file = join(folder, 'journal.db')
    copyFileSync(filledJournal(), file)
    if (!moveToSmallDisk(folder, '900k')) return
    overwrite(file, pagesAt(file, 0.5))
    expect(() => open(file)).toThrow(expect.objectContaining({ code: 'DISK_FULL' }))
    expect(readdirSync(folder).filter((name) => /corrupt|new/.test(name))).toEqual([])
    expect(spawnSync('mount', ['-o', 'remount,size=4m', folder]).status).toBe(0)
    expect(keptRows(open(file).db)).toBeGreaterThan(rowCount - 60)
  })
})

it('a damaged cache is set aside and starts empty', () => {
  const file = join(tempFolder(), 'cache.db')
  const first = open(file, 'cache')
  first.db.prepare('INSERT INTO answers VALUES (?, ?, 1)').run('a', 'x'.repeat(30_000))
  first.close()
  overwrite(file, [2], 7)
  const opened = open(file, 'cache')
  expect(englishText(opened.setAside!.lost)).toMatch(/fetched again/)
  expect(opened.salvage).toBeUndefined()
  expect(opened.db.prepare('SELECT count(*) FROM answers').pluck().get()).toBe(0)
})

it.each<[SchemaName, string, index: string, change: string, read: string, found: unknown]>([
  [
    'console',
    'keeps its connections',
    'sqlite_autoindex_connections_2',
    `INSERT INTO connections (id, name, base_url, kind, colour, credential_kind, created_ms)
      VALUES ('c', 'A', 'https://a.test/v1', 'service', 'teal', 'password', 1)`,
    'SELECT name FROM connections',
    'A',
  ],
  [
    'contacts',
    'keeps its contacts and does not count its change counter',
    'contacts_by_name',
    `INSERT INTO contacts (digits, name, name_folded, email, tag_set, created_ms, updated_ms, touched)
      VALUES (491711234567, 'Ada', 'ada', '', 1, 0, 0, 1);
    UPDATE store SET touched = 1, version = 1`,
    'SELECT name FROM contacts',
    'Ada',
  ],
  [
    'state',
    'keeps a paused outbox paused',
    'outbox_by_state',
    'UPDATE outbox_control SET paused = 1',
    'SELECT paused FROM outbox_control',
    1,
  ],
])('a database with a broken index, %s, %s', (schema, _what, index, change, read, found) => {
  const file = join(tempFolder(), `${schema}.db`)
  const { db, close } = open(file, schema)
  db.exec(change)
  const root = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = ?`).pluck().get(index) as number
  close()
  overwrite(file, [root], 0xff)
  const opened = open(file, schema)
  expect(englishText(opened.setAside!.lost)).toMatch(/^Everything was recovered\./)
  expect(opened.db.prepare(read).pluck().all()).toEqual([found])
})

describe('the message about lost rows', () => {
  it.each(['console', 'state', 'contacts', 'journal'] as const)('names every table of %s.db', (schema) => {
    const { db } = open(join(tempFolder(), `${schema}.db`), schema)
    const tables = db
      .prepare<[], string>(
        `SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name NOT LIKE 'sqlite_%'`,
      )
      .pluck()
      .all()
    expect(tables.filter((table) => !isNamed(table))).toEqual([])
  })

  it('counts rows and omits rebuilt tables', () => {
    const tables = [
      { table: 'contacts', kept: 12_345, lost: null },
      { table: 'tag_sets', kept: 1, lost: 1 },
      { table: 'store', kept: 0, lost: null },
      { table: 'outbox_control', kept: 0, lost: null },
    ]
    expect(englishText(salvagePhrase(tables))).toBe(
      'Recovered: contacts: 12,345, tag sets: 1. Lost: contacts: unknown number, tag sets: 1, whether the outbox was paused (check it).',
    )
    const all = [
      'outbox',
      'tasks',
      'holds',
      'alert_rules',
      'events',
      'imports',
      'templates',
      'sends',
      'a',
      'b',
    ]
    expect(englishText(salvagePhrase(all.map((table) => ({ table, kept: 0, lost: null }))))).toBe(
      'Nothing was recovered: the outbox, tasks, holds, alert rules and notes are lost.',
    )
    expect(englishText(salvagePhrase([{ table: 'changes', kept: 0, lost: null }]))).toMatch(
      /rebuilt automatically/,
    )
  })
})

describe('a file too large for a full check at start', () => {
  const check = (file: string) => {
    const db = new Sqlite(file)
    onTestFinished(() => void db.close())
    return checkAtStart(db, 0)
  }

  it('has its latest rows checked', () => {
    const file = filledJournal()
    expect(check(file)).toEqual({ problems: [], whole: false })
    overwrite(file, [statSync(file).size / pageBytes - 1])
    expect(check(file).problems).toHaveLength(1)
  })

  it('is damaged when its schema or header is broken', () => {
    const file = filledJournal()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x55, 100, pageBytes))
    expect(check(file).problems).toHaveLength(1)
  })
})

it('checkFile finds damage beside a running writer without disturbing it', () => {
  const file = filledJournal()
  expect(checkFile(file)).toEqual([])
  overwrite(file, [31])
  expect(checkFile(file).length).toBeGreaterThan(0)
})

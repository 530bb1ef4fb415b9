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
import { describe, expect, it } from 'vitest'
import { checkAtStart, checkFile } from '#electron/database/check.ts'
import { isNamed, salvagePhrase } from '#electron/database/salvage-words.ts'
import { openDatabase } from '#electron/database/open.ts'
import { salvageInto } from '#electron/database/salvage.ts'
import type { SchemaName } from '#electron/database/schemas.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { tempFolder } from '../../helpers/temp-folder.ts'

const pageBytes = 4096
const rowCount = 2_000
const now = () => Date.UTC(2026, 10, 20, 23, 26, 27)

const open = (file: string, schema: SchemaName) => openDatabase({ file, schema, log: quietLog, now })

/** A journal with deliveries 1…rows, each body with its number. */
function filledJournal(rows = rowCount): string {
  const file = join(tempFolder(), 'journal.db')
  const { db, close } = open(file, 'journal')
  const insert = db.prepare(`INSERT INTO deliveries VALUES (?, ?, 'signed', 's1', '127.0.0.1', '[]', ?)`)
  db.transaction(() => {
    for (let seq = 1; seq <= rows; seq++) insert.run(seq, 1_000 + seq, body(seq))
  })()
  close()
  return file
}

const body = (seq: number) => Buffer.from(`delivery ${seq} ${'x'.repeat(180)}`)

function overwrite(file: string, offset: number, bytes: Buffer): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, bytes, 0, bytes.length, offset)
  closeSync(fd)
}

/** Every row found must be one that was written. */
function keptRows(db: Sqlite.Database): number {
  const rows = db.prepare<[], { seq: number; body: Buffer }>('SELECT seq, body FROM deliveries').all()
  expect(rows.filter((row) => !row.body.equals(body(row.seq)))).toEqual([])
  return rows.length
}

describe('a damaged journal', () => {
  it('is set aside with a time stamp, and rows of intact pages are recovered', () => {
    const file = filledJournal()
    const pages = statSync(file).size / pageBytes
    overwrite(file, Math.floor(pages / 2) * pageBytes, Buffer.alloc(pageBytes))
    const opened = open(file, 'journal')
    const kept = keptRows(opened.db)
    expect(kept).toBeGreaterThan(rowCount - 60)
    expect(kept).toBeLessThan(rowCount)
    expect(opened.setAside?.asideFile).toBe(`${file}.corrupt-20261120T232627Z`)
    expect(opened.salvage).toContainEqual({ table: 'deliveries', kept, lost: null })
    expect(englishText(opened.setAside!.lost)).toBe(
      `Recovered: deliveries: ${kept.toLocaleString('en')}. Lost: deliveries: unknown number.`,
    )
    expect(existsSync(opened.setAside!.asideFile!)).toBe(true)
    opened.close()
    const again = open(file, 'journal')
    expect(again.setAside).toBeUndefined()
    expect(keptRows(again.db)).toBe(kept)
    again.close()
  })

  it('loses only the rows of its bad pages', () => {
    const file = filledJournal()
    const pages = statSync(file).size / pageBytes
    for (const share of [0.2, 0.21, 0.5, 0.8])
      overwrite(file, Math.floor(pages * share) * pageBytes, Buffer.alloc(pageBytes, 0xa5))
    const opened = open(file, 'journal')
    expect(keptRows(opened.db)).toBeGreaterThan(rowCount - 4 * 30)
    opened.close()
  })

  it('keeps the rows before a truncation', () => {
    const file = filledJournal()
    truncateSync(file, Math.floor(statSync(file).size / 2 / pageBytes) * pageBytes)
    const opened = open(file, 'journal')
    expect(keptRows(opened.db)).toBeGreaterThan(rowCount * 0.4)
    expect(opened.setAside?.asideFile).not.toBeNull()
    opened.close()
  })

  it('is set aside and replaced by an empty one after it was overwritten', () => {
    const file = filledJournal()
    writeFileSync(file, 'this is not a database, but it is quite long'.repeat(500))
    const opened = open(file, 'journal')
    expect(keptRows(opened.db)).toBe(0)
    expect(englishText(opened.setAside!.lost)).toMatch(
      /^Nothing was recovered\. Lost: deliveries: unknown number/,
    )
    expect(readFileSync(opened.setAside!.asideFile!, 'utf8')).toMatch(/^this is not a database/)
    opened.close()
  })

  it('is set aside with its log, and rows only in the log are recovered', () => {
    const file = filledJournal()
    const { db } = open(file, 'journal')
    db.prepare(`INSERT INTO deliveries VALUES (?, 1, 'signed', 's1', '127.0.0.1', '[]', ?)`).run(
      rowCount + 1,
      body(rowCount + 1),
    )
    const log = readFileSync(`${file}-wal`)
    db.close()
    writeFileSync(`${file}-wal`, log)
    overwrite(file, 20 * pageBytes, Buffer.alloc(pageBytes))
    const opened = open(file, 'journal')
    expect(opened.db.prepare('SELECT max(seq) FROM deliveries').pluck().get()).toBe(rowCount + 1)
    expect(existsSync(`${opened.setAside!.asideFile!}-wal`)).toBe(true)
    opened.close()
  })

  it('returns intact rows or reports them lost, for damage of any kind on any page', () => {
    const file = filledJournal()
    const intact = readFileSync(file)
    const pages = intact.length / pageBytes
    const random = seededRandom(11)
    let noticed = 0
    const tries = 45
    for (let attempt = 0; attempt < tries; attempt++) {
      for (const name of readdirSync(join(file, '..'))) rmSync(join(file, '..', name))
      const bytes = Buffer.from(intact)
      const page = 1 + Math.floor(random() * (pages - 1))
      const kind = attempt % 3
      if (kind === 0) bytes.fill(0, page * pageBytes, (page + 1) * pageBytes)
      else if (kind === 1)
        for (let index = 0; index < pageBytes; index++)
          bytes[page * pageBytes + index] = Math.floor(random() * 256)
      // Only the page's own header: type, cell count, cell offsets.
      else
        for (let index = 0; index < 16; index++) bytes[page * pageBytes + index] = Math.floor(random() * 256)
      writeFileSync(file, bytes)
      const opened = open(file, 'journal')
      const kept = keptRows(opened.db)
      if (opened.setAside) noticed++
      expect(kept === rowCount || opened.setAside !== undefined).toBe(true)
      expect(kept).toBeGreaterThan(0)
      opened.close()
    }
    expect(noticed).toBeGreaterThan(tries * 0.9)
  })
})

describe('an interrupted salvage', () => {
  const half = (file: string) => Math.floor(statSync(file).size / pageBytes / 2) * pageBytes
  const size = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

  it('is repeated from the same file after a kill', async () => {
    const rows = 60_000
    const file = filledJournal(rows)
    overwrite(file, half(file), Buffer.alloc(pageBytes))
    const child = fork(join(import.meta.dirname, 'open-process.ts'), [file])
    const ended = once(child, 'exit')
    // Some but not all rows are in the new file, at either name.
    const written = () => Math.max(size(`${file}-wal`), size(`${file}.new-wal`))
    while (written() < 2_000_000 && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])

    const opened = open(file, 'journal')
    expect(opened.setAside).toBeDefined()
    expect(keptRows(opened.db)).toBeGreaterThan(rows - 60)
    opened.close()
    expect(readdirSync(join(file, '..')).filter((name) => name.includes('.new'))).toEqual([])
  })

  it('is completed and reported after a kill between the two renames', () => {
    const file = filledJournal()
    overwrite(file, half(file), Buffer.alloc(pageBytes))
    const first = open(file, 'journal')
    const kept = keptRows(first.db)
    first.close()
    renameSync(file, `${file}.new`)
    // The log of the damaged file had not been renamed yet.
    writeFileSync(`${file}-wal`, 'of the damaged file')
    const aside = first.setAside!.asideFile!
    rmSync(`${aside}-wal`, { force: true })
    const opened = open(file, 'journal')
    expect(keptRows(opened.db)).toBe(kept)
    expect(opened.setAside).toMatchObject({ asideFile: aside, lost: { key: 'salvage.earlier' } })
    expect(readFileSync(`${aside}-wal`, 'utf8')).toBe('of the damaged file')
    opened.close()
  })

  it('reports missing space instead of dropping rows', () => {
    const file = filledJournal()
    overwrite(file, half(file), Buffer.alloc(pageBytes))
    const target = open(join(tempFolder(), 'journal.db'), 'journal')
    target.db.pragma('max_page_count = 40')
    expect(() => salvageInto(target.db, file)).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }))
    target.close()
  })

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
    'keeps the damaged file on a full disk, and the next start recovers its rows',
    () => {
      const folder = tempFolder()
      const mount = (options: string) =>
        spawnSync('mount', ['-t', 'tmpfs', '-o', `${options},mode=700`, 'tmpfs', folder]).status === 0
      if (!mount('size=900k')) {
        console.log('not run: this machine lets nobody mount')
        return
      }
      try {
        const file = join(folder, 'journal.db')
        copyFileSync(filledJournal(), file)
        overwrite(file, half(file), Buffer.alloc(pageBytes))
        expect(() => open(file, 'journal')).toThrow(expect.objectContaining({ code: 'DISK_FULL' }))
        expect(readdirSync(folder).filter((name) => /corrupt|new/.test(name))).toEqual([])
        expect(mount('remount,size=4m')).toBe(true)
        const opened = open(file, 'journal')
        expect(keptRows(opened.db)).toBeGreaterThan(rowCount - 60)
        opened.close()
      } finally {
        spawnSync('umount', ['--lazy', folder])
      }
    },
  )
})

describe('a damaged cache', () => {
  it('is set aside and starts empty', () => {
    const file = join(tempFolder(), 'cache.db')
    const first = open(file, 'cache')
    first.db.prepare('INSERT INTO answers VALUES (?, ?, 1)').run('a', 'x'.repeat(30_000))
    first.close()
    overwrite(file, pageBytes, Buffer.alloc(pageBytes, 7))
    const opened = open(file, 'cache')
    expect(englishText(opened.setAside!.lost)).toMatch(/fetched again/)
    expect(opened.salvage).toBeUndefined()
    expect(opened.db.prepare('SELECT count(*) FROM answers').pluck().get()).toBe(0)
    opened.close()
  })
})

describe('a damaged profile', () => {
  it('keeps its connections when only an index is broken', () => {
    const file = join(tempFolder(), 'console.db')
    const first = open(file, 'console')
    const insert = first.db.prepare(
      `INSERT INTO connections (id, name, base_url, kind, colour, credential_kind, created_ms) VALUES (?, ?, 'https://a.test/v1', 'service', 'teal', 'password', 1)`,
    )
    for (let index = 0; index < 20; index++) insert.run(`c${index}`, `Connection ${index}`)
    const root = first.db
      .prepare(`SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_connections_2'`)
      .pluck()
      .get() as number
    first.close()
    overwrite(file, (root - 1) * pageBytes, Buffer.alloc(pageBytes))
    const opened = open(file, 'console')
    expect(opened.db.prepare('SELECT count(*) FROM connections').pluck().get()).toBe(20)
    expect(englishText(opened.setAside!.lost)).toBe('Everything was recovered.')
    opened.close()
  })
})

describe('the message about lost rows', () => {
  /** Fills the pages of an index: the file is set aside, but every row can be read. */
  function damageIndex(file: string, db: Sqlite.Database, index: string): void {
    const root = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = ?`).pluck().get(index) as number
    db.close()
    overwrite(file, (root - 1) * pageBytes, Buffer.alloc(pageBytes, 0xff))
  }

  it('does not count the change counter of the contact store', () => {
    const file = join(tempFolder(), 'book.db')
    const { db } = open(file, 'book')
    db.exec(`INSERT INTO contacts (digits, name, email, tag_set, created_ms, updated_ms, touched)
      VALUES (491711234567, 'Ada', '', 1, 0, 0, 1)`)
    db.exec('UPDATE book SET touched = 1, version = 1')
    damageIndex(file, db, 'contacts_by_name')
    const opened = open(file, 'book')
    expect(englishText(opened.setAside!.lost)).toMatch(/^Everything was recovered\./)
    expect(opened.db.prepare('SELECT name FROM contacts').pluck().all()).toEqual(['Ada'])
    opened.close()
  })

  it('keeps a paused outbox paused', () => {
    const file = join(tempFolder(), 'state.db')
    const { db } = open(file, 'state')
    db.exec('UPDATE outbox_control SET paused = 1')
    damageIndex(file, db, 'outbox_by_state')
    const opened = open(file, 'state')
    expect(opened.setAside?.asideFile).not.toBeNull()
    expect(opened.db.prepare('SELECT paused FROM outbox_control').pluck().get()).toBe(1)
    opened.close()
  })

  it.each(['console', 'state', 'book', 'journal'] as const)('names every table of %s.db', (schema) => {
    const { db, close } = open(join(tempFolder(), `${schema}.db`), schema)
    const tables = db
      .prepare<[], string>(
        `SELECT name FROM pragma_table_list
         WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name NOT LIKE 'sqlite_%'`,
      )
      .pluck()
      .all()
    expect(tables.filter((table) => !isNamed(table))).toEqual([])
    close()
  })

  it('counts rows and omits rebuilt tables', () => {
    const tables = [
      { table: 'contacts', kept: 12_345, lost: null },
      { table: 'tag_sets', kept: 1, lost: 1 },
      { table: 'book', kept: 0, lost: null },
      { table: 'outbox_control', kept: 0, lost: null },
    ]
    expect(englishText(salvagePhrase(tables))).toBe(
      'Recovered: contacts: 12,345, tag sets: 1. Lost: contacts: unknown number, tag sets: 1, whether the outbox was paused (check it).',
    )
    const all = ['outbox', 'tasks', 'holds', 'guards', 'events', 'imports', 'templates', 'sends', 'a', 'b']
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
    const result = checkAtStart(db, 0)
    db.close()
    return result
  }

  it('has its latest rows checked', () => {
    const file = filledJournal()
    expect(check(file)).toEqual({ problems: [], whole: false })
    const pages = statSync(file).size / pageBytes
    overwrite(file, (pages - 2) * pageBytes, Buffer.alloc(pageBytes))
    expect(check(file).problems).toHaveLength(1)
  })

  it('is damaged when its schema or header is broken', () => {
    const file = filledJournal()
    overwrite(file, 100, Buffer.alloc(pageBytes - 100, 0x55))
    expect(check(file).problems).toHaveLength(1)
  })
})

describe('checkFile', () => {
  it('finds damage beside a running writer without disturbing it', () => {
    const file = filledJournal()
    expect(checkFile(file)).toEqual([])
    overwrite(file, 30 * pageBytes, Buffer.alloc(pageBytes))
    expect(checkFile(file).length).toBeGreaterThan(0)
  })
})

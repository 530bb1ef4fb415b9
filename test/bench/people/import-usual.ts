import Sqlite from 'better-sqlite3'
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { createReadStream } from 'node:fs'
import Papa from 'papaparse'
import { filesIn } from './prepare.ts'
import type { ImportRun } from './runs.ts'

/**
 * `import-usual.ts <connection's folder> <table> <database>`: the usual way. One library reads the table, another each number; each row
 * is inserted or ignored, a trigger keeps the search index, a thousand rows per transaction.
 */
const [folder, file, target] = process.argv.slice(2) as [string, string, string]
const db = new Sqlite(target)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.exec(`
  ATTACH '${filesIn(folder).cacheFile}' AS cache;
  CREATE TABLE contacts (id INTEGER PRIMARY KEY, phone TEXT UNIQUE, name TEXT, email TEXT, city TEXT, dnc INTEGER);
  CREATE INDEX by_name ON contacts (name);
  CREATE VIRTUAL TABLE search USING fts5(name, phone, email, city, content='contacts', content_rowid='id', tokenize='trigram');
  CREATE TRIGGER added AFTER INSERT ON contacts BEGIN
    INSERT INTO search (rowid, name, phone, email, city) VALUES (new.id, new.name, new.phone, new.email, new.city);
  END;
`)
const insert = db.prepare(
  'INSERT OR IGNORE INTO contacts (phone, name, email, city, dnc) VALUES (?, ?, ?, ?, ?)',
)
const listed = db
  .prepare<[number], number>('SELECT 1 FROM cache.dnc_entries WHERE digits = ? AND gone_ms IS NULL')
  .pluck()
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const began = performance.now()
let [stored, invalid, marked, inBatch] = [0, 0, 0, 0]
db.exec('BEGIN')
await new Promise<void>((resolve, reject) => {
  Papa.parse<string[]>(createReadStream(file), {
    skipFirstNLines: 1,
    step({ data: [name = '', phone = '', email = '', city = ''] }) {
      if (name === '' && phone === '') return
      const number = parsePhoneNumberFromString(phone.replace(/^00(?=[1-9])/, '+'), 'US' as CountryCode)
      if (!number?.isValid() || (email !== '' && !emailShape.test(email))) return void invalid++
      const dnc = listed.get(Number(number.number.slice(1))) ?? 0
      const { changes } = insert.run(number.number, name, email, city, dnc)
      stored += changes
      if (changes > 0) marked += dnc
      if (++inBatch % 1_000 === 0) db.exec('COMMIT; BEGIN')
    },
    complete: () => resolve(),
    error: reject,
  })
})
db.exec('COMMIT')
const ms = performance.now() - began
const { user, system } = process.cpuUsage()
const found = db.prepare<[], number>("SELECT count(*) FROM search WHERE search MATCH 'hansen'").pluck().get()!
db.close()
process.send!({
  ms,
  openMs: 0,
  openRssMiB: 0,
  cpuMs: (user + system) / 1_000,
  stored,
  invalid,
  marked,
  found,
  pageMaxMs: 0,
  longestStallMs: 0,
  coreHeapMiB: 0,
  rssMiB: process.resourceUsage().maxRSS / 1024,
} satisfies ImportRun)

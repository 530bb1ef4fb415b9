import { consentColumns } from '#electron/jobs/table/consent-words.ts'
import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import { numbersSql } from '#electron/jobs/table/entry-readings.ts'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { numbersFrom } from '#electron/jobs/table/number-set.ts'
import { readTable } from '#electron/jobs/table/read-table.ts'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'
import { possibleNumbers } from '#electron/lib/phone/possible-numbers.ts'
import { choices, filesIn } from './prepare.ts'

/** The measurements of one check. */
export interface CheckRun {
  readMs: number
  checkMs: number
  loadMs: number
  matchMs: number
  joinMs: number
  blocked: number
  unparsable: number
  /** Rows that the join found. */
  joined: number
  /** Further rows that are listed as written, or with their missing plus. */
  asWritten: number
}

const timed = async <T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> => {
  const began = performance.now()
  const result = await work()
  return { ms: performance.now() - began, result }
}

/** `check-ours.ts <connection's folder> <table>` */
const [folder, file] = process.argv.slice(2) as [string, string]
const files = filesIn(folder)
const region = 'US'
const column = choices.columns.findIndex(({ to }) => to === 'phone')

const read = await timed(async () => {
  const numbers: number[] = []
  await readTable(
    file,
    choices.format,
    ({ cells }) => {
      const parsed = parsePhone(cells[column] ?? '', { region })
      if (parsed.ok) numbers.push(parsed.digits)
    },
    () => Promise.resolve(),
  )
  return numbers
})

const header = ['Name', 'Phone', 'E-mail', 'City']
const targets = {
  clear: join(folder, 'clear'),
  blocked: join(folder, 'blocked'),
  unknown: join(folder, 'unknown'),
  unparsable: join(folder, 'bad'),
}
const check = await timed(() =>
  runJob({
    ...files,
    job: 'dnc-check',
    source: {
      file,
      format: choices.format,
      columns: choices.columns,
      header,
      consent: consentColumns(header),
    },
    reading: { hasCountryCodes: false, region },
    isFresh: true,
    targets,
  }),
)

// Creating the join’s tables doesn’t count either.
const cache = new Sqlite(files.cacheFile, { readonly: true })
const { ms: loadMs, result: listed } = await timed(() => numbersFrom(cache, numbersSql('dnc')))
const match = await timed(() =>
  read.result.reduce((count, digits) => count + (listed.has(digits) ? 1 : 0), 0),
)

// Listed numbers without a country or a plus: the join, which compares parsed numbers, misses them.
let asWritten = 0
await readTable(
  file,
  choices.format,
  ({ cells }) => {
    const cell = cells[column] ?? ''
    const parsed = parsePhone(cell, { region })
    if (parsed.ok && listed.has(parsed.digits)) return
    if (possibleNumbers(cell, region).all.some((digits) => listed.has(digits))) asWritten++
  },
  () => Promise.resolve(),
)

const db = new Sqlite(':memory:')
db.exec(
  'CREATE TABLE listed (phone TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE bound (phone TEXT NOT NULL)',
)
db.exec(`ATTACH '${files.cacheFile}' AS cache; INSERT INTO listed SELECT phone_number FROM cache.dnc_entries`)
const insert = db.prepare<[string]>('INSERT INTO bound VALUES (?)')
db.transaction(() => {
  for (const digits of read.result) insert.run(`+${digits}`)
})()
const joined = await timed(() =>
  db.prepare<[], number>('SELECT count(*) FROM bound w JOIN listed l ON l.phone = w.phone').pluck().get()!,
)
if (joined.result !== match.result)
  throw new Error(`${match.result} found by us, ${joined.result} by the join`)

process.send!({
  readMs: read.ms,
  checkMs: check.ms,
  loadMs,
  matchMs: match.ms,
  joinMs: joined.ms,
  blocked: check.result.blocked,
  unparsable: check.result.unparsable,
  joined: joined.result,
  asWritten,
} satisfies CheckRun)

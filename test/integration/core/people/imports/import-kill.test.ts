import Database from 'better-sqlite3'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ImportRecord } from '#contract/people/imports.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { checkFile } from '#electron/database/check.ts'
import { bundledProgram } from '../../../../helpers/bundled-program.ts'
import { changeFile, endless, isWriting } from '../../../../helpers/held-write.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import type { ImportReport } from './import-process.ts'

const entry = bundledProgram('import-process')
const contactsFileOf = (dataDir: string) => join(dataDir, 'connections', 'sandbox', 'contacts.db')

function start(args: [dataDir: string, action: string, file: string]): ChildProcess {
  const child = fork(entry, args)
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** The next message, or an error when the process ends. */
async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const ending = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', { signal: ending.signal }).then(([message]) => message as T),
      once(child, 'exit', { signal: ending.signal }).then(([code, signal]) => {
        throw new Error(`it ended with ${code ?? signal}`)
      }),
    ])
  } finally {
    ending.abort()
  }
}

/** How many rows of the file are stored; the import is the second, after that of a seed. */
function rowsBehind(dataDir: string, importNo = 2): number {
  if (!existsSync(contactsFileOf(dataDir))) return 0
  const contactsDb = new Database(contactsFileOf(dataDir), { readonly: true })
  try {
    const cursor = contactsDb
      .prepare<[number], string>('SELECT cursor FROM imports WHERE no = ?')
      .pluck()
      .get(importNo)
    return cursor ? (JSON.parse(cursor) as { row: number }).row : 0
  } finally {
    contactsDb.close()
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** Makes lines long: files are read by the megabyte, and the progress of an interrupted import is checked against that. */
const padding = 'x'.repeat(100)

/** New contacts, some known ones, repeated numbers and invalid rows. */
function people(rows: number, from: number): string {
  const lines = ['Name;Telefon;E-Mail;tag.city;Bemerkung;Ignored']
  for (let at = 0; at < rows; at++) {
    // A repeated number was the row before, or one that an import stored before it was killed.
    const repeated = at % 50 === 3 ? at - 1 : 2
    const phone = at % 20 === 7 ? 'none' : `0171 ${2_000_000 + from + (at % 25 === 3 ? repeated : at)}`
    const note = at % 50 ? '' : 'a note'
    lines.push(`Person ${at};${phone};${at % 3 ? '' : `p${at}@x.example`};Town ${at % 40};${note};${padding}`)
  }
  return lines.join('\r\n')
}

function peopleFile(folder: string, rows: number): string {
  const file = join(folder, 'people.csv')
  writeFileSync(file, people(rows, 0))
  return file
}

/** A data folder in which two of three people of the file are known. */
async function seeded(folder: string, rows: number): Promise<string> {
  const dataDir = join(folder, 'seeded')
  mkdirSync(dataDir)
  const file = join(folder, 'seed.csv')
  writeFileSync(file, people(rows, -Math.floor(rows / 2)))
  expect(await once(start([dataDir, 'seed', file]), 'exit')).toEqual([0, null])
  return dataDir
}

/** The report of an import that nothing or a kill interrupted, and its console. */
async function finish(args: [dataDir: string, action: 'start' | 'resume', file: string]) {
  const child = start(args)
  expect(await nextMessage(child)).toBe('running')
  return { child, done: await nextMessage<ImportReport>(child) }
}

async function undo(child: ChildProcess): Promise<ImportReport> {
  child.send('undo')
  return nextMessage<ImportReport>(child)
}

const spin = (limit: string) =>
  `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n ${limit}) SELECT count(*) FROM n)`

/** More than the store’s cache, which is then written to the log before the commit. */
const fillerBytes = 40 * 2 ** 20

/**
 * Holds the import inside its transaction from the batch that passes `row`. Earlier batches take so long that the import commits
 * between them. Both are done by a trigger, because the import runs in a thread of another process.
 */
function holdImport(dataDir: string, row: number): void {
  changeFile(
    contactsFileOf(dataDir),
    `CREATE TRIGGER held BEFORE UPDATE OF cursor ON imports BEGIN
       SELECT iif(json_extract(new.cursor, '$.row') > ${row}, ${spin('')}, ${spin('LIMIT 1500000')});
     END`,
  )
}

/** Holds the import once it stores rows without the name index. The log then grows past `fillerBytes`. Earlier batches take long. */
function holdWithoutIndexes(dataDir: string): void {
  changeFile(
    contactsFileOf(dataDir),
    `CREATE TABLE filler (bytes BLOB);
     CREATE TRIGGER held BEFORE UPDATE OF cursor ON imports
     WHEN NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'contacts_by_name') BEGIN
       INSERT INTO filler VALUES (zeroblob(${2 * fillerBytes}));
       SELECT (${endless});
     END;
     CREATE TRIGGER slow BEFORE UPDATE OF cursor ON imports BEGIN SELECT ${spin('LIMIT 3000000')}; END`,
  )
}

const isHeldWithoutIndexes = (dataDir: string) =>
  (statSync(`${contactsFileOf(dataDir)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > fillerBytes

const releaseImport = (dataDir: string) =>
  changeFile(
    contactsFileOf(dataDir),
    'DROP TRIGGER held; DROP TRIGGER IF EXISTS slow; DROP TABLE IF EXISTS filler',
  )

/** Kills a console whose import is held, once `isThere`. */
async function killHeld(child: ChildProcess, dataDir: string, isThere: () => boolean): Promise<void> {
  expect(await nextMessage(child)).toBe('running')
  await expect.poll(isThere, { timeout: 60_000 }).toBe(true)
  await kill(child)
  releaseImport(dataDir)
  expect(checkFile(contactsFileOf(dataDir))).toEqual([])
}

/** Several consoles, started one after another. */
const timeout = 240_000

describe('kill -9 during an import', { timeout }, () => {
  test('resumes where it was, ends like an undisturbed import, and is undone whole', async () => {
    const folder = tempFolder()
    const rows = 20_000
    // Two rows of three update contacts: this is stored in stretches, where bulk additions are one stretch.
    const file = peopleFile(folder, rows)
    const seed = await seeded(folder, 28_000)
    const undisturbedDir = join(folder, 'undisturbed')
    cpSync(seed, undisturbedDir, { recursive: true })
    const expected = await finish([undisturbedDir, 'start', file])
    expect(expected.done).toMatchObject({ state: 'done', counts: { rows } })
    const undone = await undo(expected.child)

    const dataDir = join(folder, 'killed')
    cpSync(seed, dataDir, { recursive: true })
    holdImport(dataDir, 8_000)
    await killHeld(start([dataDir, 'start', file]), dataDir, () => rowsBehind(dataDir) > 0)
    const firstPlace = rowsBehind(dataDir)
    expect(firstPlace).toBeLessThan(rows)
    const child = start([dataDir, 'look', file])
    const { record, task, listed } = await nextMessage<{ record: ImportRecord; task: Task; listed: number }>(
      child,
    )
    expect(record).toMatchObject({ state: 'interrupted', counts: { rows: firstPlace } })
    expect(record.counts.new + record.counts.update).toBeGreaterThan(0)
    const { problems, ...counted } = record.counts
    const { invalid, duplicateInFile, duplicateInContacts, dnc, partial } = record.counts
    expect(listed).toBe(invalid + duplicateInFile + duplicateInContacts + dnc + partial)
    expect(problems['number-none']).toBe(record.counts.invalid)
    expect(task).toMatchObject({ state: 'interrupted', counts: counted })
    // The file is read a megabyte at a time.
    expect(task.progress.done).toBeGreaterThanOrEqual((firstPlace / rows) * record.sizeBytes * 0.95)
    expect(task.progress.done).toBeLessThan((firstPlace / rows) * record.sizeBytes + 1.1 * 2 ** 20)

    holdImport(dataDir, 16_000)
    child.send('resume')
    await killHeld(child, dataDir, () => rowsBehind(dataDir) > firstPlace)
    const resumed = await finish([dataDir, 'resume', file])
    expect(resumed.done).toEqual(expected.done)
    expect(await undo(resumed.child)).toEqual(undone)
  })

  test('gives the same result in an empty store, stored without indexes', async () => {
    const folder = tempFolder()
    // Enough that all batches but the first are stored without indexes.
    const file = peopleFile(folder, 26_000)
    const undisturbedDir = join(folder, 'undisturbed')
    mkdirSync(undisturbedDir)
    const expected = await finish([undisturbedDir, 'start', file])
    await kill(expected.child)
    expect(expected.done.total).toBeGreaterThan(20_000)
    expect(expected.done.found).toBe(expected.done.total)

    const dataDir = join(folder, 'killed')
    mkdirSync(dataDir)
    expect(await once(start([dataDir, 'open', file]), 'exit')).toEqual([0, null])
    holdWithoutIndexes(dataDir)
    await killHeld(start([dataDir, 'start', file]), dataDir, () => isHeldWithoutIndexes(dataDir))
    expect(rowsBehind(dataDir, 1)).toBeGreaterThan(0)
    const { child, done } = await finish([dataDir, 'resume', file])
    expect(done).toEqual(expected.done)
    expect(await undo(child)).toMatchObject({ state: 'done', total: 0, found: 0 })
  })

  test.each(['before they are counted', 'before the first row'])(
    'keeps what a file refuses on hold, once, after a kill %s',
    async (place) => {
      const folder = tempFolder()
      const file = join(folder, 'people.csv')
      const lines = Array.from(
        { length: 600 },
        (_, at) => `P ${at};0171 ${3_000_000 + at};${at % 2 ? 'yes' : 'no'}`,
      )
      writeFileSync(file, ['Name;Telefon;SMS consent', ...lines].join('\n'))
      const dataDir = join(folder, 'killed')
      mkdirSync(dataDir)
      expect(await once(start([dataDir, 'open', file]), 'exit')).toEqual([0, null])
      const holdsFile = join(dataDir, 'connections', 'sandbox', 'state.db')
      const held = () => {
        const db = new Database(holdsFile, { readonly: true })
        const count = db.prepare<[], number>('SELECT count(*) FROM holds').pluck().get()!
        db.close()
        return count
      }
      const isEarly = place === 'before they are counted'
      if (isEarly)
        changeFile(
          holdsFile,
          `CREATE TRIGGER counting BEFORE UPDATE OF held ON imports WHEN new.held IS NOT NULL BEGIN ${endless}; END`,
        )
      else holdImport(dataDir, 0)
      const child = start([dataDir, 'start', file])
      expect(await nextMessage(child)).toBe('running')
      await expect
        .poll(() => held() === 300 && (isEarly || isWriting(contactsFileOf(dataDir))), { timeout: 60_000 })
        .toBe(true)
      await kill(child)
      if (isEarly) changeFile(holdsFile, 'DROP TRIGGER counting')
      else releaseImport(dataDir)
      expect(rowsBehind(dataDir)).toBe(0)

      const { done } = await finish([dataDir, 'resume', file])
      expect(done).toMatchObject({ state: 'done', total: 600, held: 300, holds: 300 })
    },
  )
})

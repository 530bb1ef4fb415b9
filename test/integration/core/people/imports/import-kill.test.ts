import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ImportChoices } from '#contract/people/imports.ts'
import { checkFile } from '#electron/database/check.ts'
import {
  choicesFor,
  everyone,
  importFile,
  rejectedRows,
  savedBy,
  upload,
} from '../../../../helpers/contact-files.ts'
import { changeFile, endless, isWriting } from '../../../../helpers/held-write.ts'
import { startKilledConsole } from '../../../../helpers/killed-console.ts'
import { type Rpc, startCore } from '../../../../helpers/start-core.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

const contactsFileOf = (dataDir: string) => join(dataDir, 'connections', 'sandbox', 'contacts.db')

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

/** A data folder, with these people if there are any. */
async function newDataDir(csv?: string): Promise<string> {
  const running = await startCore({ dataDir: tempFolder() })
  await running.rpc.connections.openSandbox()
  if (csv !== undefined) await importFile(running.rpc, 'seed.csv', csv)
  await running.stopCore()
  await running.sandbox.stop()
  return running.dataDir
}

const open = (dataDir: string) => startKilledConsole({ dataDir, startWith: { kind: 'sandbox' } })

/** Starts an import. @returns its task. */
async function begin({ rpc }: { rpc: Rpc }, csv: string): Promise<string> {
  const fileId = await upload(rpc, 'people.csv', csv)
  const more: Partial<ImportChoices> = { duplicatesInContacts: 'update', extraTags: { source: 'fair' } }
  return (await rpc.imports.start(await choicesFor(rpc, fileId, more))).taskId
}

/** The last import and its task, which agree. */
async function lastImport({ rpc }: { rpc: Rpc }) {
  const [record] = (await rpc.imports.list({ limit: 1 })).items
  const task = await rpc.tasks.get({ id: record!.taskId! })
  expect(task.state).toBe(record!.state)
  return { record: record!, task }
}

/** Resumes the import, which may have finished just before the kill. */
async function goOn(child: { rpc: Rpc }): Promise<string> {
  const { task } = await lastImport(child)
  if (task.state !== 'done') await child.rpc.tasks.resume({ id: task.id })
  return task.id
}

/** The contacts and counts once this task has ended. */
async function report({ rpc }: { rpc: Rpc }, taskId: string) {
  const { state } = await taskEnd(rpc, taskId)
  const { id: importId, counts, held } = (await rpc.imports.list({ limit: 1 })).items[0]!
  const columns = ['name', 'phone', 'email', 'tags', 'note', 'state'] as const
  const exported = await rpc.contacts.export({
    selection: everyone,
    columns: [...columns],
    tagColumns: false,
  })
  return {
    state,
    counts,
    /** Holds that the import says it put, and all there are. */
    held,
    holds: (await rpc.dnc.holds({ which: 'active' })).total,
    rejected: hash(JSON.stringify(await rejectedRows(rpc, importId))),
    contacts: hash(await savedBy(rpc, exported)),
    /** Stored contacts, and how many a search finds. */
    total: (await rpc.contacts.summary()).total,
    found: (await rpc.contacts.count({ filter: { text: '+49171' } })).value,
  }
}

const hash = (content: string) => createHash('sha256').update(content).digest('hex')

async function undo(child: { rpc: Rpc }) {
  const { record } = await lastImport(child)
  return report(child, (await child.rpc.imports.undo({ importId: record.id })).taskId)
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

/** Kills a console whose import is held, once `isThere`. Until then others wait to write, so that it commits every 0.3 s, not every 2.5. */
async function killHeld(
  child: ReturnType<typeof open>,
  dataDir: string,
  isThere: () => boolean,
): Promise<void> {
  // Tagging no contact changes nothing.
  const nothing = { selection: { ids: [] }, set: {}, remove: ['none'] }
  const isThereYet = () => {
    void child.untilKilled(child.rpc.contacts.tag(nothing))
    return isThere()
  }
  await expect.poll(isThereYet, { timeout: 60_000 }).toBe(true)
  await child.kill()
  releaseImport(dataDir)
  expect(checkFile(contactsFileOf(dataDir))).toEqual([])
}

/** Several consoles, started one after another. */
const timeout = 240_000

describe('kill -9 during an import', { timeout }, () => {
  test('resumes where it was, ends like an undisturbed import, and is undone whole', async () => {
    const rows = 20_000
    // Two rows of three update contacts: this is stored in stretches, where bulk additions are one stretch.
    const file = people(rows, 0)
    const seed = await newDataDir(people(28_000, -14_000))
    const undisturbedDir = tempFolder()
    cpSync(seed, undisturbedDir, { recursive: true })
    const undisturbed = open(undisturbedDir)
    const expected = await report(undisturbed, await begin(undisturbed, file))
    expect(expected).toMatchObject({ state: 'done', counts: { rows } })
    const undone = await undo(undisturbed)

    holdImport(seed, 8_000)
    const child = open(seed)
    await begin(child, file)
    await killHeld(child, seed, () => rowsBehind(seed) > 0)
    const firstPlace = rowsBehind(seed)
    expect(firstPlace).toBeLessThan(rows)
    await child.restart()
    const { record, task } = await lastImport(child)
    const { total: listed } = await child.rpc.imports.rejected({ importId: record.id, limit: 1 })
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

    holdImport(seed, 16_000)
    await goOn(child)
    await killHeld(child, seed, () => rowsBehind(seed) > firstPlace)
    await child.restart()
    expect(await report(child, await goOn(child))).toEqual(expected)
    expect(await undo(child)).toEqual(undone)
  })

  test('gives the same result in an empty store, stored without indexes', async () => {
    // Enough that all batches but the first are stored without indexes.
    const file = people(26_000, 0)
    const undisturbed = open(tempFolder())
    const expected = await report(undisturbed, await begin(undisturbed, file))
    await undisturbed.kill()
    expect(expected.total).toBeGreaterThan(20_000)
    expect(expected.found).toBe(expected.total)

    const dataDir = await newDataDir()
    holdWithoutIndexes(dataDir)
    const child = open(dataDir)
    await begin(child, file)
    await killHeld(child, dataDir, () => isHeldWithoutIndexes(dataDir))
    expect(rowsBehind(dataDir, 1)).toBeGreaterThan(0)
    await child.restart()
    expect(await report(child, await goOn(child))).toEqual(expected)
    expect(await undo(child)).toMatchObject({ state: 'done', total: 0, found: 0 })
  })

  test.each(['before they are counted', 'before the first row'])(
    'keeps what a file refuses on hold, once, after a kill %s',
    async (place) => {
      const lines = Array.from(
        { length: 600 },
        (_, at) => `P ${at};0171 ${3_000_000 + at};${at % 2 ? 'yes' : 'no'}`,
      )
      const dataDir = await newDataDir()
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
      const child = open(dataDir)
      await begin(child, ['Name;Telefon;SMS consent', ...lines].join('\n'))
      await expect
        .poll(() => held() === 300 && (isEarly || isWriting(contactsFileOf(dataDir))), { timeout: 60_000 })
        .toBe(true)
      await child.kill()
      if (isEarly) changeFile(holdsFile, 'DROP TRIGGER counting')
      else releaseImport(dataDir)
      expect(rowsBehind(dataDir)).toBe(0)

      await child.restart()
      const done = await report(child, await goOn(child))
      expect(done).toMatchObject({ state: 'done', total: 600, held: 300, holds: 300 })
    },
  )
})

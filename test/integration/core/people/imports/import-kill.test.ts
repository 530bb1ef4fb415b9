import Database from 'better-sqlite3'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ImportRecord } from '#contract/people/imports.ts'
import type { Task } from '#contract/platform/tasks.ts'
import { checkFile } from '#electron/database/check.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { tempFolder } from '../../../../helpers/temp-folder.ts'
import type { ImportReport } from './import-process.ts'

const entry = join(import.meta.dirname, 'import-process.ts')
const bookOf = (dataDir: string) => join(dataDir, 'connections', 'sandbox', 'book.db')

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

/** How many rows of the file are stored; the import is the second, after that of the seed. */
function rowsBehind(dataDir: string): number {
  if (!existsSync(bookOf(dataDir))) return 0
  const book = new Database(bookOf(dataDir), { readonly: true })
  try {
    const cursor = book.prepare<[], string>('SELECT cursor FROM imports WHERE no = 2').pluck().get()
    return cursor ? (JSON.parse(cursor) as { row: number }).row : 0
  } finally {
    book.close()
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/** New contacts, some known ones, repeated numbers and invalid rows. */
function people(rows: number, from: number): string {
  const lines = ['Name;Telefon;E-Mail;tag.city;Bemerkung']
  for (let at = 0; at < rows; at++) {
    const phone = at % 20 === 7 ? 'none' : `0171 ${2_000_000 + from + (at % 25 === 3 ? at - 1 : at)}`
    lines.push(
      `Person ${at};${phone};${at % 3 ? '' : `p${at}@x.example`};Town ${at % 40};${at % 50 ? '' : 'a note'}`,
    )
  }
  return lines.join('\r\n')
}

function peopleFile(folder: string, rows: number): string {
  const file = join(folder, 'people.csv')
  writeFileSync(file, people(rows, 0))
  return file
}

/** A data folder in which people of the file are known: two of three, for 60,000 rows after 80,000. */
async function seeded(folder: string, rows: number): Promise<string> {
  const dataDir = join(folder, 'seeded')
  mkdirSync(dataDir)
  const file = join(folder, 'seed.csv')
  writeFileSync(file, people(rows, -Math.floor(rows / 2)))
  const [code] = (await once(start([dataDir, 'seed', file]), 'exit')) as [number | null]
  expect(code).toBe(0)
  return dataDir
}

/** The report of an undisturbed import, and what its undo leaves. */
async function undisturbed(dataDir: string, file: string) {
  const child = start([dataDir, 'start', file])
  expect(await nextMessage(child)).toBe('running')
  return finish(child)
}

async function finish(child: ChildProcess): Promise<{ done: ImportReport; undone: ImportReport }> {
  const done = await nextMessage<ImportReport>(child)
  return { done, undone: await undo(child) }
}

async function undo(child: ChildProcess): Promise<ImportReport> {
  child.send('undo')
  return nextMessage<ImportReport>(child)
}

/**
 * A folder whose console was killed with some rows stored and some not. On a busy machine the import can finish first; then another console
 * is killed.
 */
async function killedInTheMiddle(folder: string, file: string, seed: string) {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const dataDir = join(folder, `killed-${attempt}`)
    cpSync(seed, dataDir, { recursive: true })
    const child = start([dataDir, 'start', file])
    expect(await nextMessage(child)).toBe('running')
    while (rowsBehind(dataDir) === 0) await wait(5)
    await kill(child)
    expect(checkFile(bookOf(dataDir))).toEqual([])
    const firstPlace = rowsBehind(dataDir)
    if (firstPlace < 60_000) return { dataDir, firstPlace }
  }
  throw new Error('no import was seen on its way in five attempts')
}

/** Eight consoles, started one after another. */
const timeout = 240_000

describe('kill -9 during an import', { timeout }, () => {
  test('resumes where it was, ends like an undisturbed import, and is undone whole', async () => {
    const folder = tempFolder()
    // Two rows of three update contacts: this is stored in stretches, where bulk additions are one stretch.
    const file = peopleFile(folder, 60_000)
    const seed = await seeded(folder, 80_000)
    const undisturbedDir = join(folder, 'undisturbed')
    cpSync(seed, undisturbedDir, { recursive: true })
    const expected = await undisturbed(undisturbedDir, file)
    expect(expected.done).toMatchObject({ state: 'done', counts: { rows: 60_000 } })

    const { dataDir, firstPlace } = await killedInTheMiddle(folder, file, seed)
    let child = start([dataDir, 'look', file])
    const { record, task, listed } = await nextMessage<{ record: ImportRecord; task: Task; listed: number }>(
      child,
    )
    expect(record).toMatchObject({ state: 'interrupted', counts: { rows: firstPlace } })
    expect(record.counts.new + record.counts.update).toBeGreaterThan(0)
    const { problems, ...counted } = record.counts
    const { invalid, duplicateInFile, duplicateInBook, dnc, partial } = record.counts
    expect(listed).toBe(invalid + duplicateInFile + duplicateInBook + dnc + partial)
    expect(problems['number-letters']).toBe(record.counts.invalid)
    expect(task).toMatchObject({ state: 'interrupted', counts: counted })
    // The file is read a megabyte at a time.
    expect(task.progress.done).toBeGreaterThanOrEqual((firstPlace / 60_000) * record.sizeBytes * 0.95)
    expect(task.progress.done).toBeLessThan((firstPlace / 60_000) * record.sizeBytes + 1.1 * 2 ** 20)
    await kill(child)

    child = start([dataDir, 'resume', file])
    expect(await nextMessage(child)).toBe('running')
    while (rowsBehind(dataDir) <= firstPlace) await wait(5)
    await kill(child)
    expect(checkFile(bookOf(dataDir))).toEqual([])
    child = start([dataDir, 'resume', file])
    expect(await nextMessage(child)).toBe('running')
    expect(await nextMessage(child)).toEqual(expected.done)
    expect(await undo(child)).toEqual(expected.undone)
  })

  test('gives the same result in an empty store at any moment of the kill', async () => {
    const folder = tempFolder()
    const file = peopleFile(folder, 60_000)
    const undisturbedDir = join(folder, 'undisturbed')
    mkdirSync(undisturbedDir)
    const expected = await undisturbed(undisturbedDir, file)
    expect(expected.done.total).toBeGreaterThan(50_000)
    expect(expected.done.found).toBe(expected.done.total)
    expect(expected.undone).toMatchObject({ state: 'done', total: 0, found: 0 })

    const dataDir = join(folder, 'killed')
    mkdirSync(dataDir)
    const random = seededRandom(1)
    let child = start([dataDir, 'start', file])
    for (const mostMs of [300, 1_200]) {
      expect(await nextMessage(child)).toBe('running')
      await wait(random() * mostMs)
      await kill(child)
      expect(checkFile(bookOf(dataDir))).toEqual([])
      child = start([dataDir, 'resume', file])
    }
    expect(await nextMessage(child)).toBe('running')
    const { done, undone } = await finish(child)
    expect(done).toEqual(expected.done)
    expect(undone).toEqual(expected.undone)
  })
})

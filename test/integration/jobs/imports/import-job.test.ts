import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFileStore } from '#electron/core/platform/files/file-store.ts'
import { createImportsRepository } from '#electron/core/people/imports/imports.repository.ts'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { type Database, openDatabase } from '#electron/database/open.ts'
import type { ContactStore } from '#electron/jobs/contact-store/contact-store.ts'
import { runImport } from '#electron/jobs/imports/run-import.ts'
import { noRefusals } from '#electron/jobs/table/find-consent.ts'
import { type ImportCalls, type ImportFunctions, storeGone } from '#electron/jobs/contact-store/protocol.ts'
import { createJobControl, JobCancelled } from '#electron/jobs/run/job-control.ts'
import type { ImportChoices } from '#electron/contract/people/imports.ts'
import type { JobOrder } from '#electron/jobs/thread/jobs.ts'
import { connectCalls } from '#electron/threads/calls.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'
import { openStore, someDraft } from '../../../helpers/open-contacts.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { usualChoices } from '../../../helpers/contact-files.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const choices: ImportChoices = {
  format: { encoding: 'utf-8', delimiter: ',', headerRow: 1 },
  columns: [{ to: 'name' }, { to: 'phone' }],
  defaultRegion: 'US',
  ...usualChoices,
}
const first = 4_917_120_000_000
/** Files are read by the megabyte; a job handles messages in between. */
const padding = 'x'.repeat(150)

/** A connection's databases, a file in which every tenth person has no number, and its import job. */
function prepare(rows: number, change: Partial<ImportChoices> = {}) {
  const { store, clock, fileOf, files } = openStore()
  const open = (schema: 'contacts' | 'cache' | 'state'): Database => {
    const opened = openDatabase({ file: fileOf(`${schema}.db`), schema, log: quietLog })
    onTestFinished(opened.close)
    return opened.db
  }
  const [cache, state, reader] = [open('cache'), open('state'), open('contacts')]
  const lines = Array.from(
    { length: rows },
    (_, at) => `Person ${at} ${padding},${at % 10 === 9 ? 'x' : `+${first + at}`}`,
  )
  writeFileSync(fileOf('people.csv'), ['name,phone', ...lines].join('\n'))
  const order: Extract<JobOrder, { job: 'import' }> = {
    job: 'import',
    ...files,
    cacheFile: cache.name,
    stateFile: state.name,
    file: fileOf('people.csv'),
    choices: { ...choices, ...change },
    outcomeAt: null,
    refusals: noRefusals(),
    importId: 'import',
    rejectedFile: fileOf('rejected'),
    nowMs: 1,
  }
  const contacts = () =>
    reader
      .prepare<[], { digits: number; marks: number }>('SELECT digits, marks FROM contacts ORDER BY digits')
      .all()
  const rejected = () =>
    readFileSync(order.rejectedFile, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { rowNumber: number })
  return { order, store, cache, state, contacts, rejected, clock }
}

/** The contact calls of one import as a job makes them; `around` may run before and after each. */
function importingOf(
  store: ContactStore,
  change: (functions: ImportCalls) => Partial<ImportCalls> = () => ({}),
) {
  const { functions, gone } = store.serveImport()
  const plain: ImportCalls = {
    openImport: async (importId) => functions.openImport(importId),
    importRows: async (batch) => functions.importRows(structuredClone(batch)),
    releaseImport: async () => functions.releaseImport(),
    closeImport: async () => functions.closeImport(),
  }
  return { importing: { ...plain, ...change(plain) }, gone }
}

/** A job's control and its last report. */
function controlOf() {
  const progress: { done: number; counts: Record<string, number> } = { done: 0, counts: {} }
  return { progress, ...createJobControl((reported) => void Object.assign(progress, reported)) }
}

test('reports what is on disk after a failed batch and resumes without losing or repeating a row', async () => {
  const { order, store, contacts, rejected } = prepare(60_000)
  let batches = 0
  const faulty = importingOf(store, ({ importRows, releaseImport }) => ({
    async importRows(batch) {
      const number = ++batches
      // Meanwhile the job sends the next batches.
      await wait(1)
      if (number === 4) await releaseImport()
      // A repeated contact, which SQLite refuses; some rows answered before it roll back too.
      return importRows(
        number === 7 ? { ...batch, rows: batch.rows.map((row) => ({ ...row, digits: first })) } : batch,
      )
    },
  }))
  const { control, progress } = controlOf()
  await expect(runImport(order, control, faulty.importing)).rejects.toThrow('UNIQUE')
  faulty.gone()
  expect(batches).toBeGreaterThan(8)
  const kept = contacts().length
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(54_000)
  await expect.poll(() => progress.counts['new']).toBe(kept)
  const keptBytes = (kept / 54_000) * statSync(order.file).size
  await expect.poll(() => progress.done).toBeLessThanOrEqual(keptBytes + 1_100_000)
  expect(rejected().length).toBe(progress.counts['invalid'])

  const whole = importingOf(store)
  const { counts } = await runImport(order, controlOf().control, whole.importing)
  expect(counts).toMatchObject({ rows: 60_000, new: 54_000, invalid: 6_000, duplicateInContacts: 0 })
  expect(contacts().map(({ digits }) => digits - first)).toEqual(
    Array.from({ length: 60_000 }, (_, at) => at).filter((at) => at % 10 !== 9),
  )
  expect(rejected().map(({ rowNumber }) => rowNumber)).toEqual(
    Array.from({ length: 6_000 }, (_, at) => at * 10 + 10),
  )
})

test('commits an import every few seconds, reports only committed rows, and bytes as they are taken', async () => {
  const { order, store, contacts, clock } = prepare(60_000)
  const sizeBytes = statSync(order.file).size
  const { control, progress } = controlOf()
  const seen: number[] = []
  // Reports are rare otherwise.
  let nowMs = 0
  const time = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000))
  onTestFinished(() => time.mockRestore())
  let takenRows = 0
  let wasAhead = false
  let batches = 0
  const { importing } = importingOf(store, ({ importRows }) => ({
    async importRows(batch) {
      // A row counts with the megabyte it was read in.
      expect(progress.done).toBeLessThanOrEqual((takenRows / 54_000) * sizeBytes + 1_100_000)
      const answer = await importRows(batch)
      takenRows += batch.rows.length
      expect(progress.counts['new'] ?? 0).toBeLessThanOrEqual(contacts().length)
      await wait(1)
      wasAhead ||= contacts().length === 0 && progress.done > 0
      seen.push(contacts().length)
      if (++batches % 4 === 0) await clock.advance(3_000)
      return answer
    },
  }))
  const { counts } = await runImport(order, control, importing)
  expect(counts).toMatchObject({ rows: 60_000, new: 54_000 })
  expect(new Set(seen).size).toBeGreaterThan(2)
  expect(wasAhead).toBe(true)
  expect(contacts().length).toBe(54_000)
  await expect.poll(() => progress.done).toBe(sizeBytes)
})

test.each([
  ['at once', false],
  ['after resuming', true],
] as const)(
  'reports a number added by someone else meanwhile as an existing contact (%s)',
  async (_, fails) => {
    const { order, store, contacts } = prepare(20_000)
    let batches = 0
    const { importing, gone } = importingOf(store, ({ importRows, releaseImport }) => ({
      async importRows(batch) {
        if (++batches === 2) {
          await releaseImport()
          const draft = { ...someDraft, digits: batch.rows[5]!.digits, name: 'Meanwhile' }
          await store.functions.create(draft, 0, 1)
        }
        if (batches === 4 && fails) {
          await releaseImport()
          return importRows({ ...batch, rows: batch.rows.map((row) => ({ ...row, digits: first })) })
        }
        return importRows(batch)
      },
    }))
    const { control, progress } = controlOf()
    const running = runImport(order, control, importing)
    if (fails) {
      await expect(running).rejects.toThrow('UNIQUE')
      gone()
      await expect.poll(() => progress.counts['new']! + 1).toBe(contacts().length)
      expect(progress.counts['duplicateInContacts']).toBe(1)
    }
    const { counts } = fails
      ? await runImport(order, controlOf().control, importingOf(store).importing)
      : await running
    expect(counts).toMatchObject({ rows: 20_000, new: 17_999, duplicateInContacts: 1, invalid: 2_000 })
    expect(contacts().length).toBe(18_000)
  },
)

test.each(['import-marked', 'skip'] as const)(
  'applies numbers listed or held during a pause to the remaining rows (%s)',
  async (dncHits) => {
    const { order, store, state, contacts } = prepare(20_000, { dncHits })
    const { control, hold } = controlOf()
    let isPaused = false
    const running = runImport(
      order,
      control,
      importingOf(store, ({ importRows, releaseImport }) => ({
        importRows(batch) {
          if (!isPaused) hold(true)
          isPaused = true
          return importRows(batch)
        },
        async releaseImport() {
          const answer = await releaseImport()
          const listed = state.prepare(
            "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES ('+1', ?, 'stop', 'by-hand', 1)",
          )
          listed.run(first + 19_998)
          hold(false)
          return answer
        },
      })).importing,
    )
    const { counts } = await running
    expect(counts).toMatchObject(dncHits === 'skip' ? { new: 17_999, dnc: 1 } : { new: 18_000, marked: 1 })
    expect(
      contacts()
        .filter(({ marks }) => marks === 2)
        .map(({ digits }) => digits),
    ).toEqual(dncHits === 'skip' ? [] : [first + 19_998])
  },
)

test('lets others write while paused, whenever the pause arrives', async () => {
  const { order, store } = prepare(40_000)
  const { control, hold } = controlOf()
  let batches = 0
  const { importing } = importingOf(store, ({ importRows }) => ({
    importRows(batch) {
      // Inside the turn that the job gives to messages.
      if (++batches === 2) setImmediate(() => hold(true))
      return importRows(batch)
    },
  }))
  const running = runImport(order, control, importing)
  await expect.poll(() => control.isPaused).toBe(true)
  await store.functions.setNote(1, 'written meanwhile', 2)
  hold(false)
  expect((await running).counts.new).toBe(36_000)
})

test('ends when cancelled while it waits for its turn', async () => {
  const { order, store } = prepare(60_000)
  const { control, cancel } = controlOf()
  const held = Promise.withResolvers<undefined>()
  let waiting = 0
  let isClosed = false
  const { importing } = importingOf(store, ({ importRows, closeImport }) => ({
    async importRows(batch) {
      waiting++
      await held.promise
      return importRows(batch)
    },
    closeImport() {
      isClosed = true
      return closeImport()
    },
  }))
  const running = runImport(order, control, importing)
  await expect.poll(() => waiting).toBeGreaterThan(8)
  await wait(50)
  const sent = waiting
  cancel()
  // Rows read but not sent yet are kept; nothing more is read.
  await expect.poll(() => waiting).toBe(sent + 1)
  held.resolve(undefined)
  await expect(running).rejects.toBeInstanceOf(JobCancelled)
  expect(isClosed).toBe(true)
  expect(waiting).toBe(sent + 1)
})

test('rejects current and later calls when the contacts thread ends', async () => {
  const worker = new Worker("require('node:worker_threads').parentPort.once('message', () => {})", {
    eval: true,
  })
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port2.close())
  worker.postMessage({ port: port1 }, [port1])
  const { calls } = connectCalls<ImportFunctions>(port2, {}, { gone: storeGone })
  const call = expect(calls.openImport('import')).rejects.toMatchObject({ code: 'CONTACTS_FAILED' })
  await wait(50)
  await worker.terminate()
  await call
  await expect(calls.closeImport()).rejects.toMatchObject({ code: 'CONTACTS_FAILED' })
})

/** How rejected rows of two columns are saved. */
const savedAs = { own: [0, 1] as number[], delimiter: ',', rows: 'all' as const }

test('ends when the contacts thread is gone or its own code fails', async () => {
  const { order } = prepare(10)
  const { port1, port2 } = new MessageChannel()
  const running = expect(runJob(order, { contactsPort: port2 })).rejects.toMatchObject({
    code: 'CONTACTS_FAILED',
  })
  port1.on('message', () => port1.close())
  await running
  const faulty = { ...order, ...savedAs, job: 'rejected' as const, source: order.file }
  const target = `${order.file}.out`
  await expect(runJob({ ...faulty, target, header: null as never })).rejects.toThrow('Cannot read')
  await expect(runJob({ ...faulty, target: `${order.file}/x`, header: ['a', 'b'] })).rejects.toMatchObject({
    code: 'FILE_GONE',
  })
})

test('saves rejected rows as read, escapes formulas once and skips a truncated row', async () => {
  const { order } = prepare(10)
  const row = (cells: string[]) =>
    JSON.stringify({
      rowNumber: 1,
      sheetRow: 2,
      line: 2,
      cells,
      phone: null,
      outcome: 'invalid',
      reason: 'a "reason"',
    })
  const cells = [
    ["''=cmd()", "'@x"],
    ['=cmd()', "''=x"],
    ["'plain", '+49 12', 'beyond'],
  ]
  writeFileSync(order.file, `${cells.map(row).join('\n')}\n${row(['half']).slice(0, -9)}`)
  const target = `${order.file}.out`
  const header = ['a', 'b']
  const { rows } = await runJob({
    ...order,
    ...savedAs,
    job: 'rejected',
    source: order.file,
    target,
    header,
  })
  expect(rows).toBe(3)
  const why = `"2","invalid","a ""reason"""`
  expect(readFileSync(target, 'utf8').split('\r\n')).toEqual([
    '\ufeff"a","b","row","outcome","reason"',
    `"''=cmd()","'@x",${why}`,
    `"''=cmd()","''=x",${why}`,
    `"'plain","''+49 12",${why},"beyond"`,
    '',
  ])
})

/** A stored import of this file. */
const importOf = (id: string, fileId: string, change: object = {}) => ({
  id,
  fileId,
  fileName: id,
  sizeBytes: 0,
  state: 'done' as const,
  choices: null,
  taskId: null,
  problem: null,
  undoNote: null,
  held: null,
  createdMs: 1,
  endedMs: 2,
  ...change,
})

test('lists imports of the same millisecond once each, page by page', () => {
  const repository = createImportsRepository(prepare(1).state)
  const ids = ['a', 'b', 'c', 'd', 'e']
  for (const id of ids) repository.put(importOf(id, id))
  const listed: string[] = []
  for (let after: string | undefined; listed.length < ids.length; after = listed.at(-1)) {
    const page = repository.list(2, after)
    if (page.length === 0) break
    listed.push(...page.map(({ id }) => id))
  }
  expect(listed).toEqual(ids.toReversed())
})

test('keeps the file of an unfinished import or check, also one of this session', async () => {
  const { state } = prepare(1)
  const clock = createFakeClock(Date.now())
  const folder = tempFolder()
  const store = createFileStore(folder, clock)
  const repository = createImportsRepository(state)
  store.sweep(repository.isFileNeeded)
  const [running, over, checked, exported, dropped] = ['a', 'b', 'c', 'd', 'e'].map(
    (name) => store.begin({ name, sizeBytes: 0 }).fileId,
  )
  repository.put(importOf('one', running!, { state: 'running', endedMs: null }))
  repository.put(importOf('two', over!))
  const task = state.prepare(
    "INSERT INTO tasks (id, kind, subject, state, unit, ref_id, payload_json, created_ms) VALUES (?, ?, '', 'paused', 'rows', ?, '{}', 1)",
  )
  task.run('check', 'dnc-check', null)
  task.run('export', 'export', exported)
  state
    .prepare(
      "INSERT INTO dnc_checks (id, name, task_id, order_json, counts_json, created_ms) VALUES ('1', '', 'check', ?, '{}', 1)",
    )
    .run(JSON.stringify({ source: { fileId: checked } }))
  await clock.advance(25 * 3_600_000)
  const longAgo = new Date(clock.now() - 48 * 3_600_000)
  for (const fileId of [running, over, checked, exported, dropped])
    for (const file of [store.path(fileId!), `${store.path(fileId!)}.json`])
      utimesSync(file, longAgo, longAgo)
  store.begin({ name: 'next', sizeBytes: 0 })
  for (const fileId of [running, checked, exported]) expect(store.complete(fileId!).sizeBytes).toBe(0)
  for (const fileId of [over, dropped]) expect(() => store.complete(fileId!)).toThrow()
})

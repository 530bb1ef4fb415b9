import { textIn } from '#electron/contract/phrases.ts'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { openDatabase } from '#electron/database/open.ts'
import {
  type ColumnPiece,
  type NumberColumnOrder,
  openNumberColumn,
} from '#electron/jobs/table/number-column.ts'
import { inspectTable } from '#electron/jobs/table/inspect-table.ts'
import { readTable, type TableFormat } from '#electron/jobs/table/read-table.ts'
import { type JobControl, JobCancelled } from '#electron/jobs/run/job-control.ts'
import { checkNumbers } from '#electron/jobs/dnc/number-check.ts'
import type { JobOrder } from '#electron/jobs/thread/jobs.ts'
import { guardCell } from '#electron/lib/csv/formula-guard.ts'
import { entryUrl } from '#electron/lib/entry-url.ts'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'
import { quietLog } from '../../../helpers/quiet-log.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'
import { oddFiles } from '../../../unit/lib/csv/corpus.ts'

const here = { threadFrom: Infinity }
const inThread = { threadFrom: 0 }
const usualFormat: TableFormat = { encoding: 'utf-8', delimiter: ',', headerRow: 1 }
const region = 'DE'
const listedDigits = 491_711_234_567
const heldDigits = 491_711_234_568

/** What people write in a number column. Some countries have numbers with more digits than a double holds. */
const written = [
  ...['+491711234567', '0171 1234567', '+49 (171) 123-4568', '00491711234569', '+14155550100'],
  ...['+4980012345678901234', '+49800123456789012', '+8100378888888888888', '+80012345678', '+4940123'],
  ...['', ' ', 'n/a', '12345', '4.91512E+11', '+999 415', '=cmd()', "''+1", '-5', '@home', '"', 'a"b'],
  ...['０１７１１２３４５６７', '+49\u00a01711234567', '0171\u200b1234567', 'ä', '\ud800', '👩‍🚀', '\0'],
  ...['0171 1234567 / 0171 1234568', 'x'.repeat(200), '0171 12\n34567', '\t0171 1234567'],
]
const cellOf = (text: string) => `"${text.replaceAll('"', '""')}"`

/** Enough rows for a few pieces. */
const manyRows = 24_000

/** A table of 70 bytes a row with numbers in the second column, some rows of one cell and a very long row. */
function oddTable(rows: number): string {
  const lines = ['name,phone,note']
  for (let at = 0; at < rows; at++) {
    if (at % 97 === 5) lines.push('one cell only')
    else if (at % 103 === 7) lines.push(`a,"${at} never closed`)
    else if (at === 20_000) lines.push(`long,${cellOf('9'.repeat(900_000))}`)
    else if (at === 20_001) lines.push(`too long,${'9'.repeat(1_200_000)}`)
    else if (at % 3 === 0) lines.push(`x,${cellOf(written[at % written.length]!)},${'n'.repeat(at % 120)}`)
    else lines.push(`x,+4917${(at * 7_919) % 90_000_000},${'n'.repeat(at % 120)}`)
  }
  return lines.join('\n')
}

function fileOf(content: string | Uint8Array): string {
  const file = join(tempFolder(), 'numbers.csv')
  writeFileSync(file, content)
  return file
}

/** Everything in a column, in order. */
async function allOf(order: NumberColumnOrder, reading: Parameters<typeof openNumberColumn>[1]) {
  const column = openNumberColumn(order, reading)
  onTestFinished(column.close)
  const reported: unknown[] = []
  await column.read(
    (...cell) => reported.push(cell),
    async (...progress) => void reported.push(progress),
  )
  return reported
}

describe('a column of numbers reads the same in any reader', () => {
  // The reader's own tests read all odd files. Here each starts a thread, so every fifth is enough.
  test.each(oddFiles.filter((_file, at) => at % 5 === 0))('$name', async ({ bytes }) => {
    const file = fileOf(bytes)
    const { format } = inspectTable(file)
    const order = { file, format, column: 1, region }
    expect(await allOf(order, inThread)).toEqual(await allOf(order, here))
  })

  test('a table of many pieces', async () => {
    const order = { file: fileOf(oddTable(manyRows)), format: usualFormat, column: 1, region }
    const reported = await allOf(order, here)
    expect(reported.length).toBeGreaterThan(manyRows)
    expect(await allOf(order, inThread)).toEqual(reported)
  })
})

test('reads only a few pieces ahead, even when none is taken', async () => {
  const rowsTotal = 3 * manyRows
  const file = fileOf(oddTable(rowsTotal))
  const order: NumberColumnOrder = { file, format: usualFormat, column: 1, region }
  const worker = new Worker(entryUrl('column-thread'), { workerData: order })
  onTestFinished(() => void worker.terminate())
  const pieces: (ColumnPiece | null)[] = []
  worker.on('message', (piece: ColumnPiece | null) => pieces.push(piece))
  await expect.poll(() => pieces.length).toBe(8)
  expect(pieces.map((piece) => piece!.read !== null)).toEqual([
    ...[false, false, false, false],
    ...[true, true, true, true],
  ])
  for (const { text, ends, read } of pieces.slice(4) as ColumnPiece[]) {
    const { digits, reasons } = read!
    expect(digits.length).toBe(ends.length)
    expect(digits.some((one) => one < 0) && digits.some((one) => one > 0)).toBe(true)
    ends.forEach((end, at) => {
      const parsed = parsePhone(text.slice(ends[at - 1] ?? 0, end), { region })
      if (parsed.ok) expect(digits[at]).toBe(parsed.digits)
      else expect(reasons[-digits[at]! - 1]).toEqual(parsed.reason)
    })
  }
  // One for each piece taken.
  worker.postMessage('taken')
  await expect.poll(() => pieces.length).toBe(9)
  for (let taken = 0; taken < 100; taken++) worker.postMessage('taken')
  await expect.poll(() => pieces.at(-1)).toBe(null)
  const rows = pieces.reduce((sum, piece) => sum + (piece?.ends.length ?? 0), 0)
  expect(rows).toBe(rowsTotal)
})

describe('reading in a thread', () => {
  const order = (file: string): NumberColumnOrder => ({ file, format: usualFormat, column: 0, region })
  const dying = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  const piece =
    '{ text: "12", ends: new Uint32Array([2]), sheetRows: new Uint32Array([1]), read: null, doneBytes: 1, totalBytes: 9 }'

  test('starts at a certain file size', async () => {
    const file = fileOf('phone\n+491711234567\n')
    const { size } = statSync(file)
    const entry = dying('throw new Error("started")')
    expect(await allOf(order(file), { entry, threadFrom: size + 1 })).toHaveLength(3)
    await expect(allOf(order(file), { entry, threadFrom: size })).rejects.toThrow('started')
    // The default.
    expect(await allOf(order(file), { entry })).toHaveLength(3)
  })

  test.each([
    ['throws', 'throw new Error("broken")', 'broken'],
    ['is gone at the start', 'process.exit(0)', 'ended before the table did'],
    [
      'is gone midway',
      `(await import('node:worker_threads')).parentPort.postMessage(${piece}); process.exit(0)`,
      'ended before the table did',
    ],
  ])('fails when it %s', async (_how, code, message) => {
    const file = fileOf('phone\n12\n')
    await expect(allOf(order(file), { entry: dying(code), threadFrom: 0 })).rejects.toThrow(message)
  })

  test('says why a file cannot be read', async () => {
    await expect(allOf(order(tempFolder()), inThread)).rejects.toMatchObject({ code: 'EISDIR' })
  })
})

type CheckOrder = Extract<JobOrder, { job: 'dnc-check' }>

/** Databases with a listed and a held number, and the request to check a file against them. */
function prepare(file: string, change: Partial<CheckOrder> = {}): CheckOrder {
  const folder = tempFolder()
  const nameOf = (name: string) => join(folder, name)
  const cache = openDatabase({ file: nameOf('cache.db'), schema: 'cache', log: quietLog })
  onTestFinished(cache.close)
  cache.db
    .prepare(
      `INSERT INTO dnc_entries (key, phone_number, digits, reason, first_seen_ms, added_sync, seen_sync, seen_sweep, created_ms)
       VALUES ('one', ?, ?, 'asked "nicely"', 0, 1, 1, 1, 86400000)`,
    )
    .run(`+${listedDigits}`, listedDigits)
  const state = openDatabase({ file: nameOf('state.db'), schema: 'state', log: quietLog })
  onTestFinished(state.close)
  state.db
    .prepare(
      "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES (?, ?, '=STOP', 'by-hand', 0)",
    )
    .run(`+${heldDigits}`, heldDigits)
  return {
    job: 'dnc-check',
    contactsFile: nameOf('book.db'),
    searchFile: nameOf('search.db'),
    cacheFile: cache.db.name,
    stateFile: state.db.name,
    source: { file, format: usualFormat, column: 1 },
    reading: { region },
    isFresh: true,
    targets: {
      clear: nameOf('clear'),
      blocked: nameOf('blocked'),
      unknown: nameOf('unknown'),
      unparsable: nameOf('unparsable'),
    },
    ...change,
  }
}

const bytesOf = ({ targets }: CheckOrder) => Object.values(targets).map((file) => readFileSync(file))
const isThere = ({ targets }: CheckOrder) =>
  Object.values(targets).some((file) => existsSync(file) || existsSync(`${file}.part`))

const freeControl = (change: Partial<JobControl> = {}): JobControl => ({
  isPaused: false,
  cancelled: new Promise(() => {}),
  yieldToMessages: () => Promise.resolve(),
  checkpoint: () => Promise.resolve(),
  progress: () => {},
  tell: () => {},
  ...change,
})

const english = {
  clear: ['input', 'phone', 'verdict'],
  blocked: ['input', 'phone', 'reason', 'since', 'source'],
  unknown: ['input', 'phone', 'reason'],
  unparsable: ['row', 'input', 'reason'],
}
const spanish = {
  clear: ['entrada', 'telefono', 'veredicto'],
  blocked: ['entrada', 'telefono', 'motivo', 'desde', 'origen'],
  unknown: ['entrada', 'telefono', 'motivo'],
  unparsable: ['fila', 'entrada', 'motivo'],
}

/** The expected output, written in the simplest way. */
async function expected({ source, isFresh, language = 'en' }: CheckOrder): Promise<Buffer[]> {
  if (!('file' in source)) throw new Error('a file is meant')
  const titles = language === 'en' ? english : spanish
  const clear = [titles.clear.slice(0, isFresh ? 2 : 3)]
  const blocked = [titles.blocked]
  const unparsable = [titles.unparsable]
  await readTable(
    source.file,
    source.format,
    ({ cells, sheetRow }) => {
      const input = cells[source.column] ?? ''
      const parsed = parsePhone(input, { region })
      if (!parsed.ok) unparsable.push([String(sheetRow), input, textIn(language, parsed.reason)])
      else if (parsed.digits === listedDigits)
        blocked.push([input, parsed.e164, 'asked "nicely"', '1970-01-02T00:00:00.000Z', 'dnc'])
      else if (parsed.digits === heldDigits)
        blocked.push([input, parsed.e164, '=STOP', '1970-01-01T00:00:00.000Z', 'hold'])
      else clear.push([input, parsed.e164, ...(isFresh ? [] : ['unknown'])])
    },
    () => Promise.resolve(),
  )
  return [clear, blocked, [titles.unknown], unparsable].map((rows) =>
    Buffer.from(
      '\ufeff' +
        rows
          .map((cells) => cells.map((text) => cellOf(guardCell(text))).join(','))
          .join('\r\n')
          .concat('\r\n'),
    ),
  )
}

describe('a check of a file', () => {
  test.each([
    [true, 'en'],
    [false, 'es'],
  ] as const)(
    'writes the same bytes with and without a thread, fresh copy: %s, language: %s',
    async (isFresh, language) => {
      const order = prepare(fileOf(oddTable(manyRows)), { isFresh, language })
      const wanted = await expected(order)
      const counts = await checkNumbers(order, freeControl(), here)
      const alone = bytesOf(order)
      expect(alone.map((bytes, at) => bytes.equals(wanted[at]!))).toEqual([true, true, true, true])
      expect(wanted[1]!.toString().split('\r\n').length).toBe(counts.blocked + 2)
      expect(counts.blocked).toBeGreaterThan(1_000)
      expect(counts[isFresh ? 'clear' : 'notKnown']).toBeGreaterThan(7_000)
      expect(counts.unparsable).toBeGreaterThan(7_000)
      expect(counts[isFresh ? 'notKnown' : 'clear']).toBe(0)
      expect(await checkNumbers(order, freeControl(), inThread)).toEqual(counts)
      expect(bytesOf(order).map((bytes, at) => bytes.equals(alone[at]!))).toEqual([true, true, true, true])
    },
  )

  test('runs in the console', async () => {
    const order = prepare(fileOf(oddTable(80_000)))
    expect(statSync((order.source as { file: string }).file).size).toBeGreaterThan(4 << 20)
    const reported: Record<string, number>[] = []
    const counts = await runJob(order, { onProgress: (progress) => reported.push(progress.counts) })
    const wanted = await expected(order)
    expect(bytesOf(order).map((bytes, at) => bytes.equals(wanted[at]!))).toEqual([true, true, true, true])
    expect(reported.at(-1)).toEqual(counts)
  })

  test('stops while paused and resumes where it was', async () => {
    const order = prepare(fileOf(oddTable(manyRows)))
    const rowsAt: number[] = []
    const paused = Promise.withResolvers<undefined>()
    const goesOn = Promise.withResolvers<undefined>()
    const control = freeControl({
      progress: (rows) => rowsAt.push(rows),
      async checkpoint() {
        if (rowsAt.length !== 2) return
        paused.resolve(undefined)
        await goesOn.promise
      },
    })
    const running = checkNumbers(order, control, inThread)
    await paused.promise
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(rowsAt).toHaveLength(2)
    goesOn.resolve(undefined)
    const counts = await running
    expect(rowsAt.at(-1)).toBe(counts.rows)
    const wanted = await expected(order)
    expect(bytesOf(order).map((bytes, at) => bytes.equals(wanted[at]!))).toEqual([true, true, true, true])
  })

  test('leaves nothing when cancelled', async () => {
    const order = prepare(fileOf(oddTable(manyRows)))
    let checkpoints = 0
    const control = freeControl({
      checkpoint: () => (++checkpoints === 2 ? Promise.reject(new JobCancelled()) : Promise.resolve()),
    })
    await expect(checkNumbers(order, control, inThread)).rejects.toBeInstanceOf(JobCancelled)
    expect(isThere(order)).toBe(false)
  })

  test('fails and leaves nothing when its thread or its file is gone', async () => {
    const order = prepare(fileOf(oddTable(10)))
    const entry = new URL('data:text/javascript,process.exit(1)')
    await expect(checkNumbers(order, freeControl(), { entry, threadFrom: 0 })).rejects.toThrow(
      'ended before the table did',
    )
    expect(isThere(order)).toBe(false)
    const missing = prepare(join(tempFolder(), 'none.csv'))
    await expect(runJob(missing)).rejects.toMatchObject({ code: 'STORAGE_MISSING' })
    expect(isThere(missing)).toBe(false)
  })
})

import type { ColumnTarget, CsvFormat } from '#electron/contract/people/imports.ts'
import { textIn } from '#electron/contract/phrases.ts'
import Sqlite from 'better-sqlite3'
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runJob } from '#electron/core/platform/tasks/job-runner.ts'
import { readTable } from '#electron/jobs/table/read-table.ts'
import { JobCancelled } from '#electron/jobs/run/job-control.ts'
import { checkNumbers } from '#electron/jobs/dnc/number-check.ts'
import { createHashedHolds } from '#electron/jobs/table/hashed-holds.ts'
import type { JobOrder } from '#electron/jobs/thread/jobs.ts'
import { guardCell } from '#electron/lib/csv/formula-guard.ts'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'
import { freeControl } from '../../../helpers/job-control.ts'
import { openContacts } from '../../../helpers/open-contacts.ts'
import { tempFolder } from '../../../helpers/temp-folder.ts'

const usualFormat: CsvFormat = { encoding: 'utf-8', delimiter: ',', headerRow: 1 }
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
const manyRows = 6_000

/** A table of 70 bytes a row with numbers in the second column, some rows of one cell and a very long row. */
function oddTable(rows: number): string {
  const lines = ['name,phone,note']
  for (let at = 0; at < rows; at++) {
    if (at % 97 === 5) lines.push('one cell only')
    else if (at % 103 === 7) lines.push(`a,"${at} never closed`)
    else if (at === 5_000) lines.push(`long,${cellOf('9'.repeat(20_000) + 'n'.repeat(880_000))}`)
    else if (at === 5_001) lines.push(`too long,${'9'.repeat(1_200_000)}`)
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

type CheckOrder = Extract<JobOrder, { job: 'dnc-check' }>

/** Three columns, of which these hold numbers and countries. */
const numbersIn = (...[phone, country, second]: number[]) => ({
  consent: [],
  header: ['name', 'phone', 'note'],
  columns: Array.from({ length: 3 }, (_, at): ColumnTarget => {
    if (at === phone) return { to: 'phone' }
    if (at === second) return { to: 'phone', rank: 2 }
    return { to: at === country ? 'country' : 'ignore' }
  }),
})

/** Databases with a listed and a held number, and the request to check a file against them. */
function prepare(file: string, change: Partial<CheckOrder> = {}): CheckOrder {
  const { open, contactsDb } = openContacts()
  const [cache, state] = [open('cache'), open('state')]
  cache
    .prepare(
      `INSERT INTO dnc_entries (key, phone_number, digits, reason, first_seen_ms, added_sync, seen_sync, seen_sweep, created_ms)
       VALUES ('one', ?, ?, 'asked "nicely"', 0, 1, 1, 1, 86400000)`,
    )
    .run(`+${listedDigits}`, listedDigits)
  state
    .prepare(
      "INSERT INTO holds (phone, digits, evidence, source, since_ms) VALUES (?, ?, '=STOP', 'by-hand', 0)",
    )
    .run(`+${heldDigits}`, heldDigits)
  const nameOf = (name: string) => join(dirname(cache.name), name)
  return {
    job: 'dnc-check',
    contactsFile: contactsDb.name,
    searchFile: nameOf('search.db'),
    cacheFile: cache.name,
    stateFile: state.name,
    source: { file, format: usualFormat, ...numbersIn(1) },
    reading: { region, hasCountryCodes: false },
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
      const input = cells[1] ?? ''
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

async function expectSorted(order: CheckOrder): Promise<Buffer[]> {
  const wanted = await expected(order)
  expect(bytesOf(order).map((bytes, at) => bytes.equals(wanted[at]!))).toEqual([true, true, true, true])
  return wanted
}

describe('a check of a file', () => {
  test.each([
    [true, 'en'],
    [false, 'es'],
  ] as const)('sorts every row, fresh copy: %s, language: %s', async (isFresh, language) => {
    const order = prepare(fileOf(oddTable(manyRows)), { isFresh, language })
    const counts = await checkNumbers(order, freeControl())
    const [, blocked] = await expectSorted(order)
    expect(blocked!.toString().split('\r\n').length).toBe(counts.blocked + 2)
    expect(counts.blocked).toBeGreaterThan(250)
    expect(counts[isFresh ? 'clear' : 'notKnown']).toBeGreaterThan(1_700)
    expect(counts.unparsable).toBeGreaterThan(1_700)
    expect(counts[isFresh ? 'notKnown' : 'clear']).toBe(0)
  })

  test.runIf(process.platform === 'linux')('leaves no database open', async () => {
    const order = prepare(fileOf('name,phone\nx,+491711234570'))
    const state = new Sqlite(order.stateFile)
    createHashedHolds(state).add(491_711_234_570, 0)
    // Its database itself can stay open until others of this process are closed.
    const log = `${order.stateFile}-wal`
    const open = () =>
      readdirSync('/proc/self/fd').filter((fd) => {
        const link = join('/proc/self/fd', fd)
        return existsSync(link) && readlinkSync(link) === log
      }).length
    const before = open()
    expect(await runJob(order)).toMatchObject({ blocked: 1 })
    expect(before).toBeGreaterThan(0)
    expect(open()).toBe(before)
    state.close()
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
    const running = checkNumbers(order, control)
    await paused.promise
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(rowsAt).toHaveLength(2)
    goesOn.resolve(undefined)
    const counts = await running
    expect(rowsAt.at(-1)).toBe(counts.rows)
    await expectSorted(order)
  })

  test('reads each row as dialled in its country, and refuses one without a country code in an unknown one', async () => {
    const rows = [
      '+49 30 1234567,Atlantis',
      '0171 1234569,Atlantis',
      '0171 1234567,Atlantis',
      '0171 1234569,n/a',
      '0664 5551302,AT',
    ]
    const file = fileOf(`Name,Number,Country\n${rows.map((row) => `Ann,${row}\n`).join('')}`)
    const order = prepare(file, { source: { file, format: usualFormat, ...numbersIn(1, 2) } })
    expect(await checkNumbers(order, freeControl())).toMatchObject({ clear: 3, blocked: 0, unparsable: 2 })
    expect(bytesOf(order)[0]!.toString()).toContain('+436645551302')
    expect(bytesOf(order)[3]!.toString()).toContain('its row names an unknown country')
  })

  test('takes a row’s first readable number, and blocks the row by any of its numbers', async () => {
    const rows = [
      ',0171 1234569',
      '0171 1234570,0171 1234567',
      '12,0171 1234571',
      '0171 1234572,',
      ',',
      '0171 1234568,',
    ]
    const file = fileOf(`Name,Mobile,Phone 2\n${rows.map((row) => `Ann,${row}\n`).join('')}`)
    const order = prepare(file, { source: { file, format: usualFormat, ...numbersIn(1, -1, 2) } })
    expect(await checkNumbers(order, freeControl())).toMatchObject({ clear: 3, blocked: 2, unparsable: 1 })
    const [clear, blocked] = bytesOf(order).map(String)
    expect(clear!.match(/\+49\d+/g)).toEqual(['+491711234569', '+491711234571', '+491711234572'])
    expect(blocked).toContain(
      '"0171 1234570","+491711234570","another number in its row, or another way to read it, +491711234567',
    )
  })

  test('blocks a pasted number beside which a refusal stands, or above', async () => {
    const lines = [
      '+49171 1234569',
      '+49171 1234570 (nicht anrufen)',
      '+49171 1234571 (mobil)',
      'Do not call:',
      '+49171 1234572',
      'Customers:',
      '+49171 1234573',
      '+49171 1234574 Do not call after 5pm',
      'Bitte nicht anrufen',
      'Bonn:',
      '+49171 1234575',
      'Just a name',
      'Köln:',
      '+49171 1234576',
    ]
    const order = prepare(fileOf(''), { source: { text: lines.join('\n') } })
    expect(await checkNumbers(order, freeControl())).toMatchObject({
      clear: 3,
      refused: 4,
      maybeListed: 1,
      unparsable: 6,
    })
    expect(
      bytesOf(order)[1]!
        .toString()
        .match(/\+49\d{10}.*/g),
    ).toEqual([
      '+491711234570","(nicht anrufen)","","file"',
      '+491711234572","Do not call:","","file"',
      '+491711234575","Bitte nicht anrufen","","file"',
      '+491711234576","Bitte nicht anrufen","","file"',
    ])
  })

  test('counts a fax row as invalid and checks the next one', async () => {
    const file = fileOf('Name,Phone,Phone Type\nAnn,030 5551 2003,Fax\nBob,0171 1234569,Mobile\n')
    const header = ['Name', 'Phone', 'Phone Type']
    const source = { file, format: usualFormat, ...numbersIn(1), header }
    const order = prepare(file, { source })
    expect(await checkNumbers(order, freeControl())).toMatchObject({ clear: 1, unparsable: 1 })
    expect(String(bytesOf(order)[3])).toContain('"2","030 5551 2003","it is a fax or pager number"')
  })

  test('leaves nothing when cancelled', async () => {
    const order = prepare(fileOf(oddTable(manyRows)))
    let checkpoints = 0
    const control = freeControl({
      checkpoint: () => (++checkpoints === 2 ? Promise.reject(new JobCancelled()) : Promise.resolve()),
    })
    await expect(checkNumbers(order, control)).rejects.toBeInstanceOf(JobCancelled)
    expect(isThere(order)).toBe(false)
  })

  test('fails and leaves nothing when its file is gone', async () => {
    const missing = prepare(join(tempFolder(), 'none.csv'))
    await expect(runJob(missing)).rejects.toMatchObject({ code: 'FILE_GONE' })
    expect(isThere(missing)).toBe(false)
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventFilter, EventFormat } from '#contract/live/events.ts'
import { readXlsx } from 'hucre/xlsx'
import { readCell } from '#electron/lib/csv/formula-guard.ts'
import { createRowReader } from '#electron/lib/csv/row-reader.ts'
import { download } from '../../../../helpers/contact-files.ts'
import { deliverEvents, dlrBody, moBody } from '../../../../helpers/deliver-events.ts'
import { type Rpc, type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd, eventsStored } from '../../../../helpers/wait-for.ts'

const secret = 'a-secret-of-the-service'
const longText = `${'=SUM(1;2) '.repeat(400)}ü`

let running: RunningCore
let rpc: Rpc
beforeAll(async () => {
  running = await startCore({})
  ;({ rpc } = running)
  await rpc.connections.openSandbox()
  await rpc.listener.addSecret({ label: 'Test', value: secret })
  const failed = { ...JSON.parse(dlrBody('m-2', 'failed')), error_code: 2 }
  await deliverEvents(
    rpc,
    secret,
    dlrBody('m-1', 'submitted'),
    dlrBody('m-1', 'delivered'),
    JSON.stringify(failed),
    moBody('in-1', '+14155550101', longText),
    '{"event":"weather"}',
  )
  await eventsStored(rpc, 5)
})
afterAll(() => running.stop())

async function written(filter: EventFilter, format: EventFormat): Promise<Buffer> {
  const { taskId } = await rpc.events.export({ filter, format })
  const task = await taskEnd(rpc, taskId)
  expect(task).toMatchObject({ state: 'done', problem: null })
  return download(rpc, task.refId!)
}
const exported = async (filter: EventFilter, format: 'csv' | 'ndjson') =>
  (await written(filter, format)).toString()

async function taskCount(): Promise<number> {
  for await (const { tasks } of await rpc.tasks.watch()) return tasks.length
  throw new Error('the stream of tasks ended')
}

const records = (ndjson: string) =>
  ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The cells of a CSV file. */
function cellsOf(csv: string): string[][] {
  const rows: string[][] = []
  const reader = createRowReader(',', ({ cells }) => rows.push(cells))
  reader.push(csv)
  reader.end()
  return rows
}

test('writes every event to NDJSON, oldest first, with full texts and null for unknown values', async () => {
  const all = records(await exported({}, 'ndjson'))
  const failed = { status: 'failed', error_code: 2, message_id: 'm-2', number: '+14155550123' }
  const inbound = { content: longText, own_number: '+15550100', opt_out: false, copies: 1 }
  expect(all).toMatchObject([
    { kind: 'dlr', status: 'submitted' },
    { kind: 'dlr', status: 'delivered' },
    { kind: 'dlr', verdict: 'signed', ...failed },
    { kind: 'mo', status: null, ...inbound },
    { kind: 'quarantined', status: null },
  ])
})

test('writes the same to CSV, safe to open in a spreadsheet', async () => {
  const rows = cellsOf(await exported({}, 'csv'))
  expect(rows).toHaveLength(6)
  expect(rows[0]!.slice(0, 4)).toEqual(['seq', 'received_at', 'kind', 'status'])
  expect(rows[4]![rows[0]!.indexOf('content')]).toBe(`''${longText}`)
  expect(rows[1]![rows[0]!.indexOf('error_code')]).toBe('')
})

test('writes the same to a workbook, as text', async () => {
  const [sheet] = (await readXlsx(await written({}, 'xlsx'))).sheets
  const csv = cellsOf((await exported({}, 'csv')).replace('\ufeff', ''))
  const rows = csv.map((cells) => cells.map(readCell))
  expect(sheet!.rows.map((row) => row.map((cell) => cell ?? ''))).toEqual(rows)
})

test('writes titles and reasons in the chosen language to CSV, and in English to NDJSON', async () => {
  const speak = (language: 'en' | 'es') =>
    rpc.settings.setAppearance({ theme: 'system', density: 'compact', language })
  await speak('es')
  const csv = await exported({ kinds: ['quarantined'] }, 'csv')
  expect(csv).toContain('"motivo_cuarentena"')
  expect(csv).toContain('Evento desconocido «weather»')
  expect(records(await exported({ kinds: ['quarantined'] }, 'ndjson'))).toMatchObject([
    { quarantine_reason: 'Unknown event “weather”' },
  ])
  await speak('en')
})

test.each<[string, EventFilter, number]>([
  ['a kind', { kinds: ['mo'] }, 1],
  ['a number', { number: '+1415' }, 4],
  ['a non-ASCII text, in any case', { text: 'Ü' }, 1],
  ['a future time', { from: '2199-01-01T00:00:00Z' }, 0],
])('filters the file by %s as it filters the list', async (_of, filter, count) => {
  expect((await rpc.events.search({ filter })).matchingTotal).toBe(count)
  expect(records(await exported(filter, 'ndjson'))).toHaveLength(count)
})

test('starts no task for an invalid filter', async () => {
  const before = await taskCount()
  await expect(rpc.events.export({ filter: { from: 'soon' }, format: 'csv' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  expect(await taskCount()).toBe(before)
})

test('keeps NUL and lone surrogates in NDJSON and shows them in CSV', async () => {
  await deliverEvents(rpc, secret, moBody('in-nul', '+14155550101', 'a\0b\ud800 ␀'))
  await eventsStored(rpc, 6)
  const ndjson = await exported({ text: 'in-nul' }, 'ndjson')
  expect(records(ndjson)).toMatchObject([{ content: 'a\0b\ud800 ␀' }])
  expect(ndjson).toContain('\\u0000')
  expect(await exported({ text: 'in-nul' }, 'csv')).toContain('a␀b\ufffd ␀')
})

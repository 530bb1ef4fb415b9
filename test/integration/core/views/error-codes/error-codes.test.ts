import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import {
  type Answer,
  type AnsweringService,
  type Asked,
  startAnsweringService,
  startCoreAt,
  startTestCoreAt,
  usualAnswer,
} from '../../../../helpers/answering-service.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { deliverEvents, dlrBody } from '../../../../helpers/deliver-events.ts'
import type { Rpc, RunningCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'

type Search = (text: string, asked: Asked) => Answer | Promise<Answer>
const answersOf = (search: Search) => (asked: Asked) =>
  asked.path === '/error-codes/search' ? search(asked.query.get('q') ?? '', asked) : usualAnswer(asked)

const withSearches = <At extends { service: AnsweringService }>(at: At) => ({
  ...at,
  searches: () =>
    at.service.asked.flatMap(({ path, query }) =>
      path === '/error-codes/search' ? [query.get('q') ?? ''] : [],
    ),
})

const startAt = async (search: Search, clock: Clock = systemClock) =>
  withSearches(await startTestCoreAt(answersOf(search), { clock }))

/** One core per group of tests. Each test uses its own codes and says what the service answers from then on. */
function shareCore() {
  let service: AnsweringService
  let running: RunningCore
  beforeAll(async () => {
    service = await startAnsweringService()
    running = await startCoreAt(service)
  })
  afterAll(() => Promise.all([running.stop(), service.stop()]))
  return (search: Search) => {
    service.answer = answersOf(search)
    service.asked.splice(0)
    return withSearches({ ...running, service })
  }
}

const online = (rpc: Rpc, text: string) => rpc.errorCodes.searchOnline({ text })
const recordsOf = async (rpc: Rpc, code: string) => (await rpc.errorCodes.get({ code })).records
const fill = async (rpc: Rpc) => taskEnd(rpc, (await rpc.errorCodes.fill()).taskId)
const find = (rpc: Rpc, text: string, change = {}) => rpc.errorCodes.search({ text, limit: 100, ...change })
const codesOf = ({ items }: { items: { code: string }[] }) => items.map(({ code }) => code)

const record = (code: string | number, description = `Code ${code}`, change: object = {}) => ({
  id: `r-${code}`,
  code,
  description,
  category: 'other',
  resolution: 'Wait',
  created_at: '2026-01-02T03:04:05Z',
  ...change,
})
const matching = (records: ReturnType<typeof record>[], text: string) =>
  records.filter(({ code, description }) =>
    `${code} ${description}`.toLowerCase().includes(text.toLowerCase()),
  )

test('fetches the codes once, minutes after the first sign-in', async () => {
  const clock = createFastClock(400, { keepDeadlines: true })
  const at = await startAt((text) => [200, text === 'number' ? [record('7')] : []], clock)
  await expect.poll(async () => (await recordsOf(at.rpc, '7')).length, { timeout: 20_000 }).toBe(1)
  await expect.poll(() => at.searches().length, { timeout: 20_000 }).toBe(21)
  const again = await restartCore(at)
  await clock.sleep(360_000)
  expect(at.searches().length).toBe(21)
  await again.stop()
})

describe('the offline copy', () => {
  const at = shareCore()

  test('has the four codes of the specification before the first request, and counts an empty answer', async () => {
    const { rpc, searches } = at(() => [200, []])
    expect(await find(rpc, '')).toMatchObject({ total: 4, oldestAsOf: null, lastAnswerAt: null })
    const found = await find(rpc, 'balance')
    expect(found.items).toEqual([
      {
        code: '3',
        records: [],
        dlrMeaning: { key: 'reportCode.code3' },
        note: '',
        noteVersions: [],
        seen: { count: 0, firstAt: null, lastAt: null },
      },
    ])
    expect((await find(rpc, 'saldo')).items).toEqual(found.items)
    expect(searches()).toEqual([])
    await online(rpc, 'anything')
    expect((await find(rpc, '')).lastAnswerAt).not.toBeNull()
  })

  test('compares codes as text: 01 is not 1', async () => {
    const { rpc } = at(() => [200, []])
    for (const code of ['01', '1.0', ' 1', '1e0', '0x1'])
      expect((await rpc.errorCodes.get({ code })).dlrMeaning, code).toBeNull()
    expect((await rpc.errorCodes.get({ code: '1' })).dlrMeaning).toEqual({ key: 'reportCode.code1' })
  })

  const records = [
    record('30007', 'Filtered by the carrier', { resolution: 'Ask the carrier team', category: 'Filtrage' }),
    record('7', 'Réseau occupé', { category: 'network' }),
    record('70', 'Carrier timeout'),
    record('E-7', 'Encoding not possible'),
    record(12, 'As a number'),
  ]

  test('finds every word anywhere in a record, ignoring accents and case, best match first', async () => {
    const { rpc } = at((text) => [200, text === 'all' ? records : []])
    expect(await online(rpc, 'all')).toMatchObject({ added: 5, problem: null })
    for (const [text, codes] of [
      ['carrier team', ['30007']],
      ['TEAM filtrage', ['30007']],
      ['reseau OCCUPE', ['7']],
      // The exact code, then codes that begin with it, then codes that contain it.
      ['7', ['7', '70', '30007', 'E-7']],
      ['e-7', ['E-7']],
      ['12', ['12']],
      ['carrier nowhere', []],
      ['', ['1', '2', '3', '4', '7', '12', '70', '30007', 'E-7']],
    ] satisfies [string, string[]][])
      expect(codesOf(await find(rpc, text)), text).toEqual(codes)
    // Characters of a query language are plain text.
    for (const odd of ['"', '*', 'NEAR(', 'a OR b', "'; DROP TABLE", '%', '_', '\\', '\u0000'])
      expect((await find(rpc, odd)).items.length, odd).toBe(0)
  })

  test('filters by category, and lists all categories', async () => {
    const { rpc } = at(() => [200, records])
    await online(rpc, 'all')
    const all = ['Filtrage', 'network', 'other']
    expect(await find(rpc, '')).toMatchObject({ categories: all })
    const other = await find(rpc, '', { category: 'other' })
    expect(other).toMatchObject({ total: 3, categories: all })
    expect(codesOf(other)).toEqual(['12', '70', 'E-7'])
    expect(codesOf(await find(rpc, 'carrier', { category: 'other' }))).toEqual(['70'])
    expect(codesOf(await find(rpc, '', { category: 'nowhere' }))).toEqual([])
  })

  test('returns its pages whole and in order', async () => {
    const many = Array.from({ length: 250 }, (_, n) => record(String(1_000 + n)))
    const { rpc } = at(() => [200, many])
    await online(rpc, 'all')
    const codes: string[] = []
    let cursor: string | undefined
    do {
      const page = await rpc.errorCodes.search({ text: 'code', limit: 60, ...(cursor ? { cursor } : {}) })
      expect(page.total).toBe(250)
      codes.push(...codesOf(page))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(codes).toEqual(many.map(({ code }) => code))
  })

  test('survives a restart and shows its age', async () => {
    let laterMs = 0
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs }
    const { rpc, service, ...first } = await startAt(
      (text) => [200, matching([record('50', 'Old one'), record('51', 'New one')], text)],
      clock,
    )
    await online(rpc, 'old')
    laterMs = 3 * 3_600_000
    await online(rpc, 'new')
    await rpc.errorCodes.setNote({ code: '50', note: 'ours' })
    await first.stopCore()
    await service.stop()
    laterMs = 24 * 3_600_000
    const second = await restartCore({ rpc, ...first }, { clock })
    const age = (iso: string | null) => Math.round((clock.now() - Date.parse(iso!)) / 3_600_000)
    const both = await find(second.rpc, 'one')
    expect(codesOf(both)).toEqual(['50', '51'])
    expect([age(both.oldestAsOf), age(both.lastAnswerAt)]).toEqual([24, 21])
    expect(both.items.map(({ records: [one] }) => age(one!.asOf))).toEqual([24, 21])
    expect(both.items[0]!.note).toBe('ours')
  })
})

describe('online search', () => {
  const at = shareCore()
  const another = shareCore()

  test('keeps results: counts new ones once and replaces changed ones', async () => {
    let text = 'First wording'
    const { rpc } = at(() => [200, [record('50', text)]])
    expect(await online(rpc, 'wording')).toMatchObject({
      added: 1,
      items: [{ code: '50', records: [{ description: 'First wording' }] }],
    })
    text = 'Second wording'
    expect(await online(rpc, 'wording')).toMatchObject({ added: 0 })
    expect(await recordsOf(rpc, '50')).toMatchObject([
      { id: 'r-50', description: 'Second wording', createdAt: '2026-01-02T03:04:05.000Z' },
    ])
    expect((await find(rpc, 'first wording')).total).toBe(0)
  })

  test('shows every record of a code, with or without an ID', async () => {
    const described = ['By the carrier', 'By us', 'Nobody’s', 'Nobody’s either']
    const [carrier, us, nobody, either] = described as [string, string, string, string]
    const { rpc } = at(() => [
      200,
      [
        record('8', us, { id: 'a' }),
        record('8', carrier, { id: 'b' }),
        { code: '8', description: nobody },
        { code: 8, description: either },
      ],
    ])
    expect(await online(rpc, '8')).toMatchObject({ added: 4, problem: null, items: [{ code: '8' }] })
    expect((await recordsOf(rpc, '8')).map(({ description }) => description).sort()).toEqual(described)
  })

  test('accepts minimal records and fields of unexpected types', async () => {
    const odd = record('10', 'Odd', { category: ['x'], created_at: 'soon', more: {} })
    const { rpc } = at(() => [200, { data: [{ id: 7, code: 9 }, odd] }])
    expect(await online(rpc, '9')).toMatchObject({ problem: null, added: 2 })
    const nothing = { description: null, category: null, resolution: null, createdAt: null }
    expect(await recordsOf(rpc, '9')).toMatchObject([{ id: '7', ...nothing }])
    const [kept] = await recordsOf(rpc, '10')
    expect(kept).toMatchObject({ category: null, createdAt: null, resolution: 'Wait' })
  })

  test.each<[string, Answer, string]>([
    ['a record with an empty code', [200, [record('')]], 'BAD_ANSWER'],
    ['one record instead of a list', [200, record('60')], 'BAD_ANSWER'],
    ['a hotel network’s page', [200, '<html>Sign in</html>'], 'NOT_THE_SERVICE'],
    ['a refusal', [400, { error: 'q is too short' }], 'SERVICE_REJECTED'],
    ['no permission', [403, { error: 'no' }], 'FORBIDDEN'],
  ])('%s is a named problem and keeps what is stored', async (_name, answer, code) => {
    let now: Answer = [200, [record('50')]]
    const { rpc } = another(() => now)
    await online(rpc, '50')
    now = answer
    expect(await online(rpc, '50')).toMatchObject({
      items: [],
      added: 0,
      problem: { code },
    })
    expect(codesOf(await find(rpc, 'code'))).toEqual(['50'])
  })

  test('reports that the service ignores the text when results are unrelated', async () => {
    const all = Array.from({ length: 60 }, (_, n) =>
      record(String(100 + n), n === 5 ? 'Carrier down' : 'Other'),
    )
    let ignores = true
    const { rpc } = at((text) => [200, ignores ? all : matching(all, text)])
    const ignored = async (text: string) => (await online(rpc, text)).ignoredText
    for (const text of ['carrier', 'zebra']) expect(await ignored(text), text).toBe(true)
    ignores = false
    for (const text of ['carrier', 'zebra', '10']) expect(await ignored(text), text).toBe(false)
  })

  test('sends the text as typed under the configured field name', async () => {
    const { rpc, service } = at(() => [200, []])
    const fieldNames = await rpc.settings.getFieldNames()
    await rpc.settings.setFieldNames({
      ...fieldNames,
      errorCodeSearchParameter: { value: 'search', provenance: 'assumed' },
    })
    await online(rpc, 'a&b=c +é')
    expect(service.asked.at(-1)!.query.get('search')).toBe('a&b=c +é')
    await expect(online(rpc, '   ')).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('filling the copy', () => {
  const at = shareCore()

  test('reads everything the sandbox has, one search at a time, and finds it offline', async () => {
    const { rpc, sandbox } = await startInSandbox()
    const searches = () => sandbox.requestLog().filter(({ path }) => path.includes('/error-codes/search'))
    expect(await fill(rpc)).toMatchObject({ state: 'done', problem: null, progress: { done: 21, total: 21 } })
    expect(searches()).toHaveLength(21)
    const { items, total } = await find(rpc, '')
    const kept = items.filter(({ records }) => records.length > 0)
    const { key } = sandbox.createApiKey('operator@harbor.example')
    const real = new Set<string>()
    for (const digit of '0123456789') {
      const url = `${sandbox.baseUrl}/error-codes/search?q=${digit}`
      const answer = await fetch(url, { headers: { 'X-API-Key': key } })
      for (const { code } of (await answer.json()) as { code: string }[]) real.add(code)
    }
    expect(new Set(kept.map(({ code }) => code))).toEqual(real)
    expect(total).toBeGreaterThan(20)
  })

  const numbered = (count: number, from = 0) =>
    Array.from({ length: count }, (_item, n) => record(String(from + n), 'Text'))
  let next = 9_000

  test.each<[string, (text: string) => object[], { added: number; searches?: number }]>([
    ['sends two requests when the service ignores the text', () => numbered(30), { added: 30, searches: 2 }],
    [
      'continues when nonsense finds some records but not all',
      (text) => {
        const found = matching(numbered(12, 500), text)
        return found.length > 0 ? found : numbered(1, 500)
      },
      { added: 12 },
    ],
    [
      'narrows searches that fill a page, and still ends',
      (text) => matching(numbered(400, 1_000), text).slice(0, 20),
      { added: 400 },
    ],
    [
      'stays within a minute’s rate limit, however many records the service has',
      () => Array.from({ length: 50 }, () => record(next++)),
      { added: expect.any(Number) as number },
    ],
  ])('%s', async (_what, answer, { added, searches: expected }) => {
    const { rpc, searches } = at((text) => [200, answer(text)])
    expect(await fill(rpc)).toMatchObject({ state: 'done', counts: { added } })
    if (expected) expect(searches()).toHaveLength(expected)
    expect(searches().length).toBeLessThanOrEqual(200)
    expect(new Set(searches()).size).toBe(searches().length)
  })

  test('skips refused searches and fails when all are refused', async () => {
    const all = [record('610', 'Invalid number'), record('611', 'Network')]
    let refuses = (text: string) => text.length < 3
    const { rpc } = at((text) =>
      refuses(text) ? [400, { error: 'at least 3 letters' }] : [200, matching(all, text)],
    )
    expect(await fill(rpc)).toMatchObject({ state: 'done', counts: { added: 2, refused: 10 } })
    refuses = () => true
    expect(await fill(rpc)).toMatchObject({
      state: 'failed',
      problem: { code: 'SERVICE_REJECTED', data: { serviceText: 'at least 3 letters' } },
    })
  })

  test('keeps results from before an unreadable answer and resumes on request, also after a restart', async () => {
    let broken = true
    const { rpc, ...first } = await startAt((text) =>
      text === '2' && broken ? [200, '<html>'] : [200, matching([record('7771'), record('7772')], text)],
    )
    const { id, ...task } = await fill(rpc)
    expect(task).toMatchObject({ state: 'failed', problem: { code: 'NOT_THE_SERVICE' } })
    const second = await restartCore({ rpc, ...first })
    expect(await second.rpc.tasks.get({ id })).toMatchObject({ can: { resume: true } })
    expect(await recordsOf(second.rpc, '7771')).toHaveLength(1)
    broken = false
    await second.rpc.tasks.resume({ id })
    expect(await taskEnd(second.rpc, id)).toMatchObject({ state: 'done', problem: null })
    expect(await recordsOf(second.rpc, '7772')).toHaveLength(1)
  })

  test('runs once when started twice, sends nothing while paused, and resumes', async () => {
    const gate = Promise.withResolvers<undefined>()
    const { rpc, searches } = at(async (text) => {
      if (text === '1') await gate.promise
      return [200, []]
    })
    const { taskId } = await rpc.errorCodes.fill()
    expect(await rpc.errorCodes.fill()).toEqual({ taskId })
    await expect.poll(() => searches().length).toBe(3)
    await rpc.tasks.pause({ id: taskId })
    gate.resolve(undefined)
    await expect.poll(async () => (await rpc.tasks.get({ id: taskId })).progress.done).toBe(3)
    // An operator's own search is separate; another one of the fill would arrive here first.
    await online(rpc, 'own')
    expect(searches()).toHaveLength(4)
    expect(await rpc.errorCodes.fill()).toEqual({ taskId })
    expect(await taskEnd(rpc, taskId)).toMatchObject({ state: 'done' })
    expect(searches()).toHaveLength(22)
  })

  test('leaves the last of the rate limit to the operator’s search', async () => {
    let left = 14
    const { rpc, searches } = await startAt(() => {
      const headers = {
        'X-RateLimit-Limit': '200',
        'X-RateLimit-Remaining': String(--left),
        'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1_000) + 60),
      }
      return [200, [], headers]
    })
    const { taskId } = await rpc.errorCodes.fill()
    await expect.poll(() => searches().length).toBe(3)
    for (const text of ['own 1', 'own 2', 'own 3']) await online(rpc, text)
    expect(searches().slice(3)).toEqual(['own 1', 'own 2', 'own 3'])
    await rpc.tasks.cancel({ id: taskId })
  })
})

describe('operator notes', () => {
  test('stay with known and unknown codes, are searchable, and end when emptied', async () => {
    const { rpc } = await startAt(() => [200, []])
    const unknown = await rpc.errorCodes.get({ code: 'X-99' })
    const nothing = { records: [], dlrMeaning: null, note: '', seen: { count: 0 } }
    expect(unknown).toMatchObject({ code: 'X-99', ...nothing })
    expect((await find(rpc, 'X-99')).total).toBe(0)
    await rpc.errorCodes.setNote({ code: 'X-99', note: 'Call Zoë\nand wait' })
    await rpc.errorCodes.setNote({ code: '2', note: 'Zoë too' })
    expect(codesOf(await find(rpc, 'zoe'))).toEqual(['2', 'X-99'])
    expect((await rpc.errorCodes.setNote({ code: 'X-99', note: ' \n' })).note).toBe('')
    expect(codesOf(await find(rpc, 'zoe'))).toEqual(['2'])
    const long = 'c'.repeat(512)
    expect((await rpc.errorCodes.setNote({ code: long, note: 'long' })).code).toBe(long)
    await expect(rpc.errorCodes.setNote({ code: '2', note: 'n'.repeat(20_001) })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })
})

test('counts reports per code without duplicates, with first and last time', async () => {
  // Counts are cached for a few seconds.
  let laterMs = 0
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + laterMs }
  const { rpc } = await startAt(() => [200, [record('77', 'Known')]], clock)
  await rpc.listener.addSecret({ label: 'Test', value: 'seen-secret' })
  const seen = async (code: string) => (await rpc.errorCodes.get({ code })).seen
  expect(await seen('77')).toEqual({ count: 0, firstAt: null, lastAt: null })
  for (const [id, code] of [
    ['m-1', 77],
    ['m-1', 77],
    ['m-2', 77],
    ['m-3', 4_711],
    ['m-4', null],
  ] as const) {
    const body = dlrBody(id, 'failed').replace('"error_code":null', `"error_code":${code}`)
    await deliverEvents(rpc, 'seen-secret', body)
  }
  await expect
    .poll(async () => {
      laterMs += 10_000
      return (await seen('4711')).count
    })
    .toBe(1)
  const { count, firstAt, lastAt } = await seen('77')
  expect(count).toBe(2)
  expect(firstAt! < lastAt!).toBe(true)
  expect(codesOf(await find(rpc, '', { onlySeen: true }))).toEqual(['77', '4711'])
  expect(codesOf(await find(rpc, '')).slice(0, 2)).toEqual(['77', '4711'])
  expect(codesOf(await find(rpc, 'known', { onlySeen: true }))).toEqual([])
  await online(rpc, 'known')
  expect(codesOf(await find(rpc, 'known', { onlySeen: true }))).toEqual(['77'])
  expect(await rpc.errorCodes.get({ code: '4711' })).toMatchObject({ records: [], dlrMeaning: null })
})

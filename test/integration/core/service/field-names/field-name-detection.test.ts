import { englishText } from '#electron/contract/phrases.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { DetectableName } from '#contract/field-names.ts'
import type { Detection } from '#contract/platform/settings.ts'
import {
  type Answer,
  type AnsweringService,
  type Asked,
  startAnsweringService,
  startCoreAt,
  usualAnswer,
} from '../../../../helpers/answering-service.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { type Rpc, type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { taskEnd } from '../../../../helpers/wait-for.ts'

interface AtService extends RunningCore {
  service: AnsweringService
}

const open: AtService[] = []
afterAll(async () => {
  for (const { stop, service } of open) await Promise.all([stop(), service.stop()])
})

/** A core with its own service. Retry waits are short with `fast`. */
async function startAtService(fast: boolean): Promise<AtService> {
  const service = await startAnsweringService()
  const running = await startCoreAt(service, fast ? { clock: createFastClock(40) } : {})
  open.push({ ...running, service })
  return open.at(-1)!
}

let shared: AtService
let sharedHurried: AtService
beforeAll(async () => {
  shared = await startAtService(false)
  sharedHurried = await startAtService(true)
})

const listed = '+14155551001'
const proven = { outcome: 'proven', provenance: 'proven' }
const records = [
  { id: 'a', code: '1', description: 'Invalid destination' },
  { id: 'b', code: '201', description: 'Carrier down' },
]
const day = (iso: string) => iso.slice(0, 10)

/** One day's messages: every day of this year has ten. */
function messagesBetween(start: string | null, end: string | null): number {
  const today = new Date().toISOString().slice(0, 10)
  const first = new Date(Date.now() - 300 * 86_400_000).toISOString().slice(0, 10)
  const from = start !== null && day(start) > first ? day(start) : first
  const to = end !== null && day(end) < today ? day(end) : today
  return from > to ? 0 : ((Date.parse(to) - Date.parse(from)) / 86_400_000 + 1) * 10
}

/** How a service reads the detection's parameters under its own names. It ignores unknown names, as most services do. */
interface Names {
  dnc?: string
  search?: string
  start?: string
  end?: string
}
function answerBy({ dnc, search, start, end }: Names) {
  return ({ path, query }: Asked): Answer | null => {
    if (path === '/dnc') {
      const data = [{ id: 'e-1', phone_number: listed, reason: 'asked' }]
      return [200, { data, total: 1, page: 1, per_page: 100 }]
    }
    if (path === '/dnc/check') return [200, { is_blocked: query.get(dnc ?? '') === listed }]
    if (path === '/error-codes/search') {
      const text = query.get(search ?? '')?.toLowerCase() ?? ''
      return [
        200,
        records.filter(({ code, description }) => `${code} ${description}`.toLowerCase().includes(text)),
      ]
    }
    if (path === '/analytics/overview')
      return [200, { total_messages: messagesBetween(query.get(start ?? ''), query.get(end ?? '')) }]
    return null
  }
}

/** Makes the service answer with `answer`, falling back to its usual answer. No name is verified or set manually. */
async function answering(
  answer: (asked: Asked) => Answer | null | Promise<Answer | null>,
  at = shared,
): Promise<AtService> {
  at.service.answer = async (asked) => (await answer(asked)) ?? usualAnswer(asked)
  await at.rpc.settings.resetFieldNames()
  at.service.asked.splice(0)
  return at
}

/** The query of the first request to `path`; the console's own requests may come between. */
const firstTo = (service: AnsweringService, path: string) =>
  service.asked.find((asked) => asked.path === path)!.query

async function findings(rpc: Rpc): Promise<Partial<Record<DetectableName, Detection>>> {
  const { findings: all } = await rpc.settings.detections()
  return Object.fromEntries(all.map((finding) => [finding.name, finding]))
}

async function detect(rpc: Rpc, ...names: DetectableName[]) {
  const task = await taskEnd(
    rpc,
    (await rpc.settings.detectFieldNames(names.length > 0 ? { names } : {})).taskId,
  )
  expect(task.state).toBe('done')
  return { task, ...(await findings(rpc)) }
}

describe('a verified name', () => {
  test('finds all three in the sandbox and only then calls numbers clear', async () => {
    const { rpc, stop } = await startCore({})
    onTestFinished(stop)
    await rpc.connections.openSandbox()
    const check = async () => (await rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' })).verdict
    expect((await rpc.settings.detections()).findings).toEqual([])
    expect(await check()).toBe('not-proven')
    const { task, dncCheckParameter, errorCodeSearchParameter, analyticsDates } = await detect(rpc)
    expect(dncCheckParameter).toMatchObject({ ...proven, value: 'phone_number' })
    expect(errorCodeSearchParameter).toMatchObject({ ...proven, value: 'q' })
    expect(analyticsDates).toMatchObject(proven)
    expect(task.counts).toEqual({ proven: 3, notProven: 0 })
    expect(await check()).toBe('clear')
    const fieldNames = await rpc.settings.getFieldNames()
    expect(Object.values(fieldNames).filter(({ provenance }) => provenance === 'proven')).toHaveLength(3)
  })

  const dates = (startParameter: string, endParameter: string) => ({
    startParameter,
    endParameter,
    format: 'date',
  })
  test.each<[DetectableName, Names, unknown]>([
    ['dncCheckParameter', { dnc: 'number' }, 'number'],
    ['errorCodeSearchParameter', { search: 'query' }, 'query'],
    ['analyticsDates', { start: 'from', end: 'to' }, dates('from', 'to')],
  ])('finds %s under another name: %o', async (name, names, value) => {
    const { rpc, service } = await answering(answerBy(names))
    const { [name]: finding } = await detect(rpc, name)
    expect(finding).toMatchObject({ ...proven, problem: null })
    expect((await rpc.settings.getFieldNames())[name]).toEqual({ value, provenance: 'proven' })
    expect(service.asked.every(({ method }) => method === 'GET')).toBe(true)
    // Later requests use the new name.
    service.asked.splice(0)
    await rpc.dnc.checkOnline({ phone: listed, region: 'US' })
    await rpc.errorCodes.searchOnline({ text: '1' })
    if (name === 'dncCheckParameter') expect(firstTo(service, '/dnc/check').get(value as string)).toBe(listed)
    if (name === 'errorCodeSearchParameter')
      expect(firstTo(service, '/error-codes/search').get(value as string)).toBe('1')
  })

  test('finds dates that need a time after a refusal without one', async () => {
    const { rpc } = await answering((asked) =>
      asked.path === '/analytics/overview' && !asked.query.get('start_date')?.includes('T')
        ? [400, { error: 'not RFC 3339' }]
        : answerBy({ start: 'start_date', end: 'end_date' })(asked),
    )
    expect((await detect(rpc, 'analyticsDates')).analyticsDates).toMatchObject({
      outcome: 'proven',
      value: 'start_date, end_date (date-time)',
    })
  })

  test('continues past refusals and failures under wrong names', async () => {
    const { rpc } = await answering((asked) => {
      const { path, query } = asked
      if (path === '/dnc/check' && !query.has('number')) return [400, { error: 'number is required' }]
      if (path === '/error-codes/search' && !query.has('search')) return [500, { error: 'NullPointer' }]
      return answerBy({ dnc: 'number', search: 'search' })(asked)
    }, sharedHurried)
    const found = await detect(rpc, 'dncCheckParameter', 'errorCodeSearchParameter')
    expect(found.dncCheckParameter).toMatchObject({ outcome: 'proven', value: 'number' })
    expect(found.errorCodeSearchParameter).toMatchObject({ ...proven, value: 'search', problem: null })
  })

  test('finds the name even when a DNC entry no longer blocks anyone', async () => {
    const expired = { id: 'old', phone_number: '+14155559999', reason: 'expired' }
    const data = [expired, { id: 'e-1', phone_number: listed }]
    const { rpc } = await answering((asked) =>
      asked.path === '/dnc'
        ? [200, { data, total: 2, page: 1, per_page: 2 }]
        : answerBy({ dnc: 'phone_number' })(asked),
    )
    expect((await detect(rpc, 'dncCheckParameter')).dncCheckParameter).toMatchObject({ outcome: 'proven' })
  })
})

describe('an unverified name', () => {
  test('verifies none at a service that ignores every name, and calls nothing clear', async () => {
    const { rpc, service } = await answering(answerBy({}))
    const { task, ...found } = await detect(rpc)
    expect(service.asked.length).toBeLessThanOrEqual(50)
    expect(task.progress).toMatchObject({ done: service.asked.length, total: service.asked.length })
    for (const name of ['dncCheckParameter', 'errorCodeSearchParameter', 'analyticsDates'] as const)
      expect(found[name], name).toMatchObject({ outcome: 'refuted', provenance: 'assumed', problem: null })
    expect(task.counts).toEqual({ proven: 0, notProven: 3 })
    expect((await rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' })).verdict).toBe('not-proven')
    const fieldNames = await rpc.settings.getFieldNames()
    expect(Object.values(fieldNames).every(({ provenance }) => provenance === 'assumed')).toBe(true)
  })

  /** Answers one path in its own way. */
  const at =
    (path: string, answer: (query: URLSearchParams, asked: Asked) => Answer | null) =>
    (asked: Asked): Answer | null =>
      asked.path === path ? answer(asked.query, asked) : null
  const check = (...answer: Answer) => at('/dnc/check', () => answer)
  const search = (found: (query: URLSearchParams) => unknown[]) =>
    at('/error-codes/search', (query) => [200, found(query)])
  const overview = (...answer: Answer) => at('/analytics/overview', () => answer)
  const nonsense = 'zqxjkvw-none'
  const zulu = { id: 'x', code: '77', description: 'Zulu' }
  const withCode = (query: URLSearchParams) => records.filter(({ code }) => code === query.get('code'))
  const noFuture = at('/analytics/overview', (query, asked) =>
    (query.get('end_date') ?? '') > '2028'
      ? [400, { error: 'in the future' }]
      : answerBy({ start: 'start_date', end: 'end_date' })(asked),
  )
  const emptyList = { data: [], total: 0, page: 1, per_page: 20 }
  const unreadable = { total_messages: {}, delivered: [] }

  type Unproven = [string, (asked: Asked) => Answer | null, Detection['outcome'], RegExp]
  const blocked = { is_blocked: true, entry: { phone_number: listed } }
  const dncCheck: Unproven[] = [
    ['calls every number blocked', check(200, blocked), 'refuted', /Every number was blocked/],
    ['has an empty DNC list', at('/dnc', () => [200, emptyList]), 'not-provable', /list is empty/],
    ['refuses every name', check(400, { error: 'msisdn is missing' }), 'refuted', /rejected every name/],
  ]
  const unrelated = search((query) => (query.get('q') === nonsense ? [] : [zulu]))
  const searching: Unproven[] = [
    ['never finds anything', search(() => []), 'not-provable', /nothing to compare/],
    ['returns its first page', search(() => records.slice(0, 1)), 'refuted', /Nonsense found records/],
    ['takes whole codes', search(withCode), 'not-provable', /not words of their descriptions/],
    ['finds records unrelated to the text', unrelated, 'refuted', /Nonsense found records/],
  ]
  const analytics: Unproven[] = [
    ['has no messages', overview(200, { total_messages: 0 }), 'not-provable', /no messages/],
    ['has unreadable figures', overview(200, unreadable), 'failed', /no usable response/],
    ['reads only the end', answerBy({ end: 'end_date' }), 'not-provable', /a future day had some/],
    [
      'reads only the start',
      answerBy({ start: 'start_date' }),
      'refuted',
      /2001 had messages with every name/,
    ],
    ['refuses future days', noFuture, 'not-provable', /request for a future day failed/],
  ]
  test.each<[DetectableName, ...Unproven]>([
    ...dncCheck.map<[DetectableName, ...Unproven]>((row) => ['dncCheckParameter', ...row]),
    ...searching.map<[DetectableName, ...Unproven]>((row) => ['errorCodeSearchParameter', ...row]),
    ...analytics.map<[DetectableName, ...Unproven]>((row) => ['analyticsDates', ...row]),
  ])('verifies no %s at a service that %s', async (name, _what, answer, outcome, evidence) => {
    const { rpc } = await answering((asked) => answer(asked) ?? answerBy({})(asked))
    const { [name]: finding } = await detect(rpc, name)
    expect(finding).toMatchObject({ outcome, provenance: 'assumed' })
    expect(englishText(finding!.evidence)).toMatch(evidence)
    expect((await rpc.settings.getFieldNames())[name].provenance).toBe('assumed')
  })

  test.each<[string, Answer, string]>([
    ['a broken service', [500, { error: 'oops' }], 'SERVICE_FAILED'],
    ['a hotel network’s page', [200, '<html>Sign in</html>'], 'NOT_THE_SERVICE'],
    ['answers without the expected fields', [200, { ok: true }], 'BAD_ANSWER'],
    ['no permission', [403, { error: 'not for you' }], 'FORBIDDEN'],
  ])('%s leaves the question open and says so', async (_what, answer, code) => {
    const { rpc } = await answering(
      (asked) => (['/dashboard', '/dnc'].includes(asked.path) ? answerBy({})(asked) : answer),
      sharedHurried,
    )
    const { task, ...found } = await detect(rpc)
    for (const name of ['dncCheckParameter', 'errorCodeSearchParameter', 'analyticsDates'] as const)
      expect(found[name], name).toMatchObject({ outcome: 'failed', problem: { code }, provenance: 'assumed' })
    expect(found.dncCheckParameter!.value).toBe('phone_number')
    expect(task.counts).toEqual({ proven: 0, notProven: 3 })
  })

  test('keeps every name when offline', async () => {
    const { rpc, service } = await answering(answerBy({ dnc: 'phone_number' }), await startAtService(true))
    await detect(rpc, 'dncCheckParameter')
    await service.stop()
    const found = await detect(rpc)
    // No answer, so nothing was disproved.
    expect(found.dncCheckParameter).toMatchObject({
      outcome: 'failed',
      provenance: 'proven',
      problem: { code: 'SERVICE_UNREACHABLE' },
    })
    expect(found.analyticsDates).toMatchObject({ outcome: 'failed', provenance: 'assumed' })
  })

  test('downgrades a verified name to assumed when disproved, and calls nothing clear', async () => {
    let names: Names = { dnc: 'phone_number' }
    const { rpc } = await answering((asked) => answerBy(names)(asked))
    const check = async () => (await rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' })).verdict
    await detect(rpc, 'dncCheckParameter')
    expect(await check()).toBe('clear')
    names = { dnc: 'msisdn' }
    expect((await detect(rpc, 'dncCheckParameter')).dncCheckParameter).toMatchObject({
      outcome: 'refuted',
      value: 'phone_number',
      provenance: 'assumed',
    })
    expect(await check()).toBe('not-proven')
  })
})

describe('names set manually', () => {
  const byHand = async (rpc: Rpc, value: string) => {
    const fieldNames = await rpc.settings.getFieldNames()
    await rpc.settings.setFieldNames({ ...fieldNames, dncCheckParameter: { value, provenance: 'assumed' } })
  }

  test('are tried first and survive another verified name', async () => {
    const { rpc, service } = await answering(answerBy({ dnc: 'number' }))
    await byHand(rpc, 'my_number')
    const { dncCheckParameter } = await detect(rpc, 'dncCheckParameter')
    expect(firstTo(service, '/dnc/check').has('my_number')).toBe(true)
    const byOperator = { provenance: 'set by hand' }
    expect(dncCheckParameter).toMatchObject({ outcome: 'proven', value: 'number', ...byOperator })
    const fieldNames = await rpc.settings.getFieldNames()
    expect(fieldNames.dncCheckParameter).toEqual({ value: 'my_number', ...byOperator })
    expect((await rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' })).verdict).toBe('not-proven')
  })

  test('are verified when the service proves that it reads them', async () => {
    const { rpc } = await answering(answerBy({ dnc: 'msisdn' }))
    await byHand(rpc, 'msisdn')
    const { dncCheckParameter } = await detect(rpc, 'dncCheckParameter')
    expect(dncCheckParameter).toMatchObject({ ...proven, value: 'msisdn' })
    expect((await rpc.dnc.checkOnline({ phone: '+14155550100', region: 'US' })).verdict).toBe('clear')
  })
})

describe('requests of a detection', () => {
  test('leave an operator’s call in between under the current name', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { rpc, service } = await answering(async (asked) => {
      if (asked.query.has('query')) await gate
      return answerBy({})(asked)
    })
    const { taskId } = await rpc.settings.detectFieldNames({ names: ['errorCodeSearchParameter'] })
    await expect.poll(() => service.asked.some(({ query }) => query.has('query'))).toBe(true)
    await rpc.errorCodes.searchOnline({ text: 'own' })
    expect(service.asked.map(({ query }) => [...query])).toContainEqual([['q', 'own']])
    release()
    await taskEnd(rpc, taskId)
  })

  test('run once when started twice', async () => {
    const { rpc } = await answering(answerBy({ dnc: 'number' }))
    const { taskId } = await rpc.settings.detectFieldNames({})
    expect(await rpc.settings.detectFieldNames({ names: ['dncCheckParameter'] })).toEqual({ taskId })
    await taskEnd(rpc, taskId)
    expect(await rpc.settings.detectFieldNames({})).not.toEqual({ taskId })
  })

  test('leave results that survive a restart', async () => {
    const first = await answering(answerBy({ dnc: 'number' }), await startAtService(false))
    const before = await detect(first.rpc, 'dncCheckParameter')
    await first.stopCore()
    const second = await startCore({ after: first, config: { startWith: { kind: 'last' } } })
    expect((await findings(second.rpc)).dncCheckParameter).toEqual(before.dncCheckParameter)
    expect((await second.rpc.settings.getFieldNames()).dncCheckParameter).toEqual({
      value: 'number',
      provenance: 'proven',
    })
    await second.stopCore()
  })
})

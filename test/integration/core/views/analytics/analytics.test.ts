import { describe, expect, test } from 'vitest'
import {
  type Answer,
  type Asked,
  startTestCoreAt,
  usualAnswer,
} from '../../../../helpers/answering-service.ts'
import { deliverEvents, dlrBody, moBody } from '../../../../helpers/deliver-events.ts'
import { eventsStored } from '../../../../helpers/wait-for.ts'
import { serviceSecret, startInSandbox, startListening } from '../../../../helpers/test-core.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

const dayBefore = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)

/** A core whose service answers analytics requests with `figures`. */
async function startAt(figures: (asked: Asked) => Answer | Promise<Answer>) {
  const running = await startTestCoreAt((asked) =>
    asked.path.startsWith('/analytics/') ? figures(asked) : usualAnswer(asked),
  )
  const questions = () =>
    running.service.asked
      .filter(({ path }) => path.startsWith('/analytics/'))
      .map(({ query }) => query.toString())
  return { ...running, questions }
}

describe('service totals', () => {
  test('returns the service’s numbers for the requested days, in both calls', async () => {
    const running = await startInSandbox({ sandbox: { traffic: true } })
    // Past days: today's numbers move between two calls.
    const span = { startDate: dayBefore(7), endDate: dayBefore(1) }
    const { overview, freshness } = await running.rpc.analytics.overview(span)
    expect(freshness).toMatchObject({ source: 'live', error: null })
    expect(overview.totalMessages).toBeGreaterThan(0)
    const { billing } = await running.rpc.analytics.billing(span)
    expect(billing.totalRevenue).toBe(overview.revenue)
    expect(billing.byCurrency.map(({ currency }) => currency)).toEqual(
      [...new Set(billing.byCurrency.map(({ currency }) => currency))].sort(),
    )
    const past = await running.rpc.analytics.overview({ startDate: '2001-01-01', endDate: '2001-01-02' })
    expect(past.overview.totalMessages).toBe(0)
  })

  test('shows each period’s last answer when the service is unreachable, except under other field names', async () => {
    const { rpc, service } = await startAt(({ query }) => [
      200,
      { total_messages: Number(query.get('start_date')!.slice(-2)), delivered: null, extra: true },
    ])
    const span = { startDate: '2026-01-03', endDate: '2026-01-04' }
    await rpc.analytics.overview(span)
    await rpc.analytics.overview({ startDate: '2026-01-05', endDate: '2026-01-06' })
    await service.stop()
    const unknown = { delivered: null, failed: null, revenue: null, cost: null, margin: null }
    const { overview, freshness } = await rpc.analytics.overview(span)
    expect(overview).toEqual({ totalMessages: 3, ...unknown })
    expect(freshness.source).toBe('cache')
    const unreachable = { code: 'SERVICE_UNREACHABLE' }
    const other = { startDate: '2026-01-01', endDate: '2026-01-01' }
    await expect(rpc.analytics.overview(other)).rejects.toMatchObject(unreachable)
    await rpc.settings.setFieldNames({
      ...(await rpc.settings.getFieldNames()),
      analyticsDates: {
        provenance: 'set by hand',
        value: { startParameter: 'from', endParameter: 'to', format: 'date' },
      },
    })
    await expect(rpc.analytics.overview(span)).rejects.toMatchObject(unreachable)
  })

  test('names the date fields of a rejected period and where to change them', async () => {
    const { rpc } = await startAt(() => [400, { error: 'unknown parameter start_date' }])
    const span = { startDate: '2026-01-03', endDate: '2026-01-04' }
    for (const ask of [rpc.analytics.overview, rpc.analytics.billing])
      await expect(ask(span)).rejects.toMatchObject({
        code: 'ANALYTICS_DATES_REFUSED',
        message: expect.stringMatching(
          /“unknown parameter start_date”.*start_date and end_date.*2026-01-31.*Settings › Field names/,
        ),
      })
  })

  const eur = { currency: 'EUR', revenue: 10, cost: 4 }
  const usd = { currency: 'USD', revenue: 20, cost: null }
  test.each([
    [
      [eur, 'odd', { currency: ' ', revenue: 1, cost: 1 }, { ...usd, currency: null, revenue: '20' }],
      [eur, { currency: null, revenue: 1, cost: 1 }, { ...usd, currency: null }],
    ],
    [{ EUR: { revenue: 10, cost: 4 }, USD: { revenue: 20 } }, [eur, usd]],
    [eur, [eur]],
    [null, []],
  ])('keeps currencies apart and skips unreadable rows: %j', async (rows, byCurrency) => {
    const { rpc } = await startAt(() => [200, { total_revenue: 30, by_currency: rows }])
    const { billing } = await rpc.analytics.billing({ startDate: '2026-01-03', endDate: '2026-01-04' })
    expect(billing).toEqual({ totalRevenue: 30, totalCost: null, totalMargin: null, byCurrency })
  })
})

const report = (id: string, status: string, more: object = {}) =>
  JSON.stringify({ ...JSON.parse(dlrBody(id, status, '+4915112345678')), ...more })

const span = () => ({
  from: new Date(Math.floor(Date.now() / dayMs) * dayMs - dayMs).toISOString(),
  to: new Date(Math.floor(Date.now() / dayMs) * dayMs + dayMs).toISOString(),
})

test('sums local events by status, outcome, latency, error code and destination', async () => {
  const { rpc } = await startListening()
  await deliverEvents(
    rpc,
    serviceSecret,
    report('a', 'submitted'),
    report('a', 'delivered'),
    report('a', 'delivered'),
    report('b', 'failed', { error_code: 2, destination: '+442079460000' }),
    report('b', 'submitted', { destination: '+442079460000' }),
    report('c', 'submitted', { destination: null }),
    moBody('in', '+4915112345678', 'hi'),
  )
  await eventsStored(rpc, 6)
  const local = await rpc.analytics.local({ ...span(), bucketMs: hourMs })
  const total = (name: string) =>
    local.series.lines.find((line) => line.name === name)!.counts.reduce((sum, count) => sum + count, 0)
  expect(local.series.lines[0]!.counts).toHaveLength(48)
  expect(['submitted', 'delivered', 'failed', 'mo'].map(total)).toEqual([3, 1, 1, 1])
  expect(local.outcomes).toEqual(['delivered', 'failed', 'submitted'].map((name) => ({ name, count: 1 })))
  expect(local.latency.measured).toBe(1)
  expect(local.latency.p50Ms).toBeGreaterThanOrEqual(0)
  expect(local.errorCodes).toEqual([{ code: '2', count: 1 }])
  const one = { messages: 1, delivered: 0, failed: 0, expired: 0 }
  expect(local.destinations).toEqual([
    { ...one, callingCode: null, regions: [] },
    { ...one, callingCode: '44', regions: expect.arrayContaining(['GB']), failed: 1 },
    { ...one, callingCode: '49', regions: ['DE'], delivered: 1 },
  ])
  expect(local).toMatchObject({ otherOutcomes: 0, recordedSince: expect.any(String) })
  const ofJanuary = { from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z', bucketMs: hourMs } as const
  expect(await rpc.analytics.local(ofJanuary)).toMatchObject({
    outcomes: [],
    errorCodes: [],
    latency: { measured: 0, p99Ms: null },
  })
  // Parts of hours, more buckets than a chart holds, and no time.
  for (const input of [
    { from: '2026-01-01T00:30:00Z' },
    { to: '2026-04-01T00:00:00Z' },
    { from: 'yesterday' },
  ])
    await expect(rpc.analytics.local({ ...ofJanuary, ...input })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
})

test('groups failed reports by code and destination, most first', async () => {
  const running = await startInSandbox()
  const { rpc, sandbox } = running
  const failed: [errorCode: number, destination: string][] = [
    [2, '+4915112345670'],
    [2, '+4915112345671'],
    [2, '+442079460000'],
    [1, '+4915112345672'],
    [1, '12345'],
  ]
  for (const [errorCode, destination] of failed) sandbox.emitDlr({ status: 'failed', errorCode, destination })
  sandbox.emitDlr({ status: 'delivered', destination: '+4915112345673' })
  await eventsStored(rpc, 6)
  const startMs = Math.floor(Date.now() / dayMs) * dayMs
  const span = (days: number) => ({
    from: new Date(startMs - dayMs + days * dayMs).toISOString(),
    to: new Date(startMs + dayMs + days * dayMs).toISOString(),
  })
  const { groups, others, newestOf } = await rpc.analytics.failures(span(0))
  expect(groups.map(({ code, callingCode, count }) => [code, callingCode, count])).toEqual([
    ['2', '49', 2],
    ['1', null, 1],
    ['1', '49', 1],
    ['2', '44', 1],
  ])
  expect([groups[0]!.regions, others, newestOf]).toEqual([['DE'], 0, null])
  expect((await rpc.analytics.failures(span(-30))).groups).toEqual([])
  await expect(rpc.analytics.failures({ from: 'x', to: 'y' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
})

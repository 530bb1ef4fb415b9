import { beforeEach, expect, test } from 'vitest'
import type { AlertConditions } from '#contract/views/campaign-alert-rules.ts'
import { deliverEvents } from '../../../../helpers/deliver-events.ts'
import { createFakeClock, type FakeClock } from '../../../../helpers/fake-clock.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'

const noRules: AlertConditions = { failedShare: null, stalled: null, errorShare: null }
/** Every running campaign of the sandbox breaks it. */
const strict: AlertConditions = { ...noRules, failedShare: { percent: 0.1, minSent: 1 } }

let running: RunningCore
let sandbox: RunningCore['sandbox']
let campaigns: RunningCore['rpc']['campaigns']
let clock: FakeClock
const use = (core: RunningCore) => {
  running = core
  ;({ sandbox } = core)
  ;({ campaigns } = core.rpc)
  // Let the first reading finish before time moves, or its call would reach its deadline.
  return expect.poll(readAt, { timeout: 20_000 }).toBe(new Date(clock.now()).toISOString())
}

// A console and a sandbox with stopped clocks: `sandbox.tick` moves traffic, `read` takes readings.
beforeEach(async () => {
  clock = createFakeClock()
  await use(
    await startInSandbox({ clock, sandbox: { clock: createFakeClock(), traffic: true, ratePerSecond: 20 } }),
  )
})

async function restart(whileDown = () => {}): Promise<void> {
  await running.stopCore()
  whileDown()
  clock = createFakeClock(clock.now())
  await use(await restartCore(running, { clock }))
}

const readAt = async () => (await campaigns.motion({ ids: [] })).watch.readAt

/** Takes more readings. */
async function read(times = 1): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const { watch } = await campaigns.motion({ ids: [] })
    await clock.advance(watch.periodMs)
    // A reading may be due before the end of that.
    await expect.poll(readAt, { timeout: 20_000 }).not.toBe(watch.readAt)
  }
}

/** Polls while time moves on. */
const meanwhile = <T>(value: () => T | Promise<T>, stepMs = 1_000) =>
  expect.poll(
    async () => {
      await clock.advance(stepMs)
      return value()
    },
    { timeout: 20_000 },
  )

const runningCampaign = async () => (await campaigns.list({ status: 'running' })).items[0]!
const atService = (id: string) =>
  sandbox
    .tenant()
    .campaigns()
    .find((campaign) => campaign.id === id)!
const detail = (id: string) => campaigns.detail({ id })
const pauses = () =>
  sandbox.requestLog().filter(({ method, path }) => method === 'POST' && path.endsWith('/pause'))

test('derives rate, time left and sparkline from readings, also offline', async () => {
  const { id } = await runningCampaign()
  for (let turn = 0; turn < 6; turn++) {
    sandbox.tick(10_000)
    await read()
  }
  const { motion, points, campaign } = await detail(id)
  const { sent_count, total_recipients } = atService(id)
  expect(points.at(-1)?.sent).toBe(sent_count)
  expect(motion.ratePerMinute).toBeGreaterThan(0)
  expect(motion.etaMs).toBeCloseTo(((total_recipients - sent_count) / motion.ratePerMinute!) * 60_000, 0)
  expect(motion.stillMs).toBeNull()
  await read(3)
  expect((await detail(id)).motion).toMatchObject({ stalled: false, stillMs: 30_000 })
  sandbox.setFault('forbidden')
  await clock.advance(5_000)
  const kept = await detail(id)
  expect(kept).toMatchObject({
    campaign,
    freshness: { source: 'cache', error: { code: 'FORBIDDEN' } },
  })
  expect(kept.points.length).toBeGreaterThan(0)
})

test('sends one request per period for any number of pages, lists and campaigns', async () => {
  const all = () => campaigns.list({ poll: true })
  const { items } = await all()
  const { id } = items.find(({ status }) => status === 'completed')!
  const one = () => campaigns.detail({ id, poll: true })
  await one()
  const asked = { ...sandbox.stats().perEndpoint }
  for (let page = 0; page < 5; page++) {
    await campaigns.list({ status: 'running', poll: true })
    for (const call of [all, one]) expect((await call()).freshness.source).toBe('live')
  }
  expect(sandbox.stats().perEndpoint).toEqual(asked)
  const { id: paused } = await runningCampaign()
  await campaigns.pause({ id: paused })
  expect((await all()).items.find((campaign) => campaign.id === paused)?.status).toBe('paused')
  const lists = () => sandbox.stats().perEndpoint['GET /campaigns']!
  const before = lists()
  await campaigns.list({})
  expect(lists()).toBe(before + 1)
})

test('shows the running campaigns as last read while the service is away, never as in an older answer', async () => {
  const list = (poll = true) => campaigns.list({ status: 'running', poll })
  const answered = await list(false)
  await campaigns.pause({ id: answered.items[0]!.id })
  sandbox.tick(10_000)
  await read()
  const shown = await list()
  const ids = shown.items.map(({ id }) => id)
  expect(ids).toEqual(answered.items.slice(1).map(({ id }) => id))
  sandbox.setFault('forbidden')
  await clock.advance(60_000)
  const asShown = {
    items: shown.items,
    total: ids.length,
    freshness: { asOf: shown.freshness.asOf, source: 'cache' },
  }
  for (const poll of [true, false]) expect(await list(poll)).toMatchObject(asShown)
  await running.stopCore()
  clock = createFakeClock(clock.now())
  ;({ campaigns } = (await restartCore(running, { clock })).rpc)
  expect(await list()).toMatchObject({ ...asShown, atLeast: false })
})

test('keeps the receipt of a pause at full traffic across a restart', async () => {
  sandbox.tick(20_000)
  const { id } = await runningCampaign()
  const receipts = async () => (await detail(id)).receipts
  const before = atService(id).sent_count
  const submitted: string[] = []
  await campaigns.pause({ id })
  const atPause = atService(id).sent_count
  sandbox.onEvent((_tenant, event) => {
    if (event.event === 'dlr' && event.status === 'submitted') submitted.push(event.message_id)
  })
  expect(await receipts()).toMatchObject([
    { state: 'reading', by: 'operator', sentBefore: before, sentAtPause: atPause },
  ])
  sandbox.tick(500)
  await read()
  const halfway = atService(id).sent_count
  expect(halfway).toBeGreaterThan(atPause)
  expect(await receipts()).toMatchObject([{ sentLast: halfway }])

  await restart()
  sandbox.tick(10_000)
  for (let turn = 0; turn < 40 && (await receipts())[0]!.endedAt === null; turn++) await read()
  const ofCampaign = new Set(
    sandbox
      .tenant()
      .messages()
      .flatMap((message) => (message.batch_id === id ? [message.id] : [])),
  )
  const sentAfter = submitted.filter((messageId) => ofCampaign.has(messageId)).length
  expect(sentAfter).toBeGreaterThan(0)
  expect(atService(id).sent_count).toBe(atPause + sentAfter)
  expect(await receipts()).toMatchObject([
    { state: 'settled', sentAtPause: atPause, sentLast: atPause + sentAfter },
  ])
  expect(pauses()).toHaveLength(1)
})

/** Turns on auto-pause for a running campaign that will break its rule after a few more messages. */
async function arm(): Promise<string> {
  sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await campaigns.setAlertRule({
    campaignId: id,
    mode: 'armed',
    rules: { ...noRules, failedShare: { percent: 0.1, minSent: atService(id).sent_count + 20 } },
  })
  return id
}
const trip = async (id: string) =>
  (await campaigns.trips({})).items.find(({ campaignId }) => campaignId === id)

test('pauses a failing campaign once, within one reading, and tells pages as soon as it is read', async () => {
  const id = await arm()
  await read(2)
  expect(pauses()).toEqual([])
  const updates: string[] = []
  const stop = new AbortController()
  const stream = await campaigns.watch(undefined, { signal: stop.signal })
  const listening = (async () => {
    for await (const { items } of stream)
      updates.push(...items.map(({ campaign }) => `${campaign.id} ${campaign.status}`))
  })().catch(() => undefined)
  sandbox.tick(20_000)
  await read()
  await meanwhile(() => updates, 50).toContain(`${id} paused`)
  stop.abort()
  await listening
  await expect.poll(async () => (await trip(id))?.pause?.state).toBe('paused')
  expect(atService(id).status).toBe('paused')
  for (let turn = 0; turn < 4; turn++) {
    sandbox.tick(5_000)
    await read()
  }
  expect(pauses()).toHaveLength(1)
  expect(await detail(id)).toMatchObject({
    alertRule: { mode: 'notify', disarmedAt: expect.any(String) },
    receipts: [{ by: 'alert-rule' }],
    trips: [{ rule: 'failed-share', own: true, mode: 'armed', clearedAt: expect.any(String) }],
  })
  // Traffic may add notifications of opt-out keywords.
  expect(running.notes.filter(({ body }) => body.includes('Limit: 0.1%'))).toMatchObject([
    { title: expect.stringMatching(/^Sandbox: Auto-paused: /), body: expect.stringContaining('failed') },
  ])
})

test.each([
  {
    what: 'confirms a lost pause',
    fault: 'hang-after-commit',
    status: 'paused',
    pause: { state: 'paused' },
    receipts: [{ by: 'alert-rule', state: 'reading' }],
  },
  {
    what: 'reports an unconfirmed pause',
    fault: 'hang',
    status: 'running',
    pause: {
      state: 'unknown',
      words: { key: 'alertRule.unconfirmed', status: { key: 'campaign.running' } },
    },
    receipts: [{ by: 'alert-rule' }],
  },
] as const)('$what after a restart without sending it again', async ({ fault, status, pause, receipts }) => {
  const id = await arm()
  sandbox.setFault(fault, { method: 'POST', path: '/campaigns' })
  sandbox.tick(20_000)
  await read()
  await expect.poll(async () => (await trip(id))?.pause?.state).toBe('sent')
  await expect.poll(() => atService(id).status).toBe(status)
  // One that never left is not unconfirmed.
  await expect.poll(pauses).toHaveLength(1)
  await restart(() => sandbox.setFault(null))
  await read(3)
  await expect.poll(async () => (await trip(id))?.pause).toMatchObject(pause)
  expect(await detail(id)).toMatchObject({ receipts, alertRule: { mode: 'notify' } })
  expect(atService(id).status).toBe(status)
  expect(pauses()).toHaveLength(1)
})

test('turns a rule on again when its pause never left, and pauses at the next reading', async () => {
  const id = await arm()
  sandbox.setFault('rate-limited', { method: 'POST', path: '/campaigns' })
  sandbox.tick(20_000)
  await read()
  await meanwhile(async () => (await trip(id))?.pause?.state).toBe('not-sent')
  sandbox.setFault(null)
  await meanwhile(() => atService(id).status).toBe('paused')
  expect(pauses().filter(({ status }) => status === 200)).toHaveLength(1)
})

test('pauses by delivery reports as they come, without a further reading', async () => {
  const { id } = await runningCampaign()
  const errorShare = { code: 4, percent: 50, minReports: 2, minutes: 10 }
  await campaigns.setAlertRule({ campaignId: id, mode: 'armed', rules: { ...noRules, errorShare } })
  await running.rpc.listener.addSecret({ label: 'Test', value: 'alert-secret' })
  const failed = (message_id: string) =>
    JSON.stringify({ event: 'dlr', message_id, status: 'failed', error_code: 4 })
  await deliverEvents(running.rpc, 'alert-secret', failed('m-1'), failed('m-2'))
  const asOf = await readAt()
  await meanwhile(() => atService(id).status, 200).toBe('paused')
  expect(Date.parse((await trip(id))!.firstAt) - Date.parse(asOf!)).toBeLessThan(10_000)
})

test('previews a rule without a request or a trigger, then applies it to campaigns without a custom rule', async () => {
  sandbox.tick(20_000)
  await read()
  const { items } = await campaigns.list({ status: 'running' })
  const [{ id, name: title }, ...rest] = items as [(typeof items)[0], ...typeof items]
  const asked = sandbox.requestLog().length
  expect(await campaigns.tryAlertRule({ campaignId: id, rules: strict })).toMatchObject({
    judged: 1,
    tripped: 1,
    trips: [{ campaignId: id, title, readings: [{ key: 'alertRule.failedShare' }] }],
    readAt: expect.any(String),
  })
  await campaigns.setAlertRule({ campaignId: id, mode: 'off', rules: strict })
  const tryDefault = (rules: AlertConditions) => campaigns.tryAlertRule({ campaignId: null, rules })
  expect(await tryDefault(strict)).toMatchObject({ judged: rest.length, tripped: rest.length })
  const lax = { ...noRules, failedShare: { percent: 100, minSent: 1 } }
  expect(await tryDefault(lax)).toMatchObject({ tripped: 0, trips: [] })
  expect((await campaigns.trips({})).items).toEqual([])
  expect(sandbox.requestLog()).toHaveLength(asked)
  expect((await campaigns.alertRules()).alertRules).toMatchObject([{ campaignId: null }, { title }])

  // At once, without a further reading's period.
  await campaigns.setAlertRule({ campaignId: null, mode: 'armed', rules: strict })
  await expect.poll(() => rest.map((one) => atService(one.id).status)).toEqual(rest.map(() => 'paused'))
  expect(atService(id).status).toBe('running')
  expect(pauses()).toHaveLength(rest.length)
})

test('pauses each running campaign once and continues past a refusal', async () => {
  const { items } = await campaigns.running()
  const [paused, refused, left] = items.map(({ id }) => id)
  await campaigns.pause({ id: paused! })
  sandbox.setFault('forbidden', { method: 'POST', path: `/campaigns/${refused}` })
  const ids = items.map(({ id }) => id).filter((id) => id !== left)
  const [first, second] = await Promise.all([campaigns.pauseAll({ ids }), campaigns.pauseAll({ ids })])
  expect(first.id).toBe(second.id)
  await expect
    .poll(async () => (await campaigns.pauseAllRun()).run, { timeout: 20_000 })
    .toMatchObject({ endedAt: expect.any(String) })
  const { run } = await campaigns.pauseAllRun()
  expect(Object.fromEntries(run!.items.map(({ id, state }) => [id, state]))).toEqual({
    ...Object.fromEntries(ids.map((id) => [id, 'paused'])),
    [paused!]: 'already-paused',
    [refused!]: 'refused',
  })
  expect(run!.items.find(({ id }) => id === refused)?.error).toMatchObject({ code: 'FORBIDDEN' })
  expect(run!.newOnes.map(({ id }) => id)).toEqual([left])
  expect(atService(left!).status).toBe('running')
  const asked = items.map(({ id }) => [id, pauses().filter(({ path }) => path.includes(id)).length])
  expect(Object.fromEntries(asked)).toEqual({
    ...Object.fromEntries(ids.map((id) => [id, 1])),
    [paused!]: 2,
    [left!]: 0,
  })
})

import { afterEach, expect, test } from 'vitest'
import type { GuardRules } from '#contract/views/campaign-guards.ts'
import type { Campaign } from '#contract/domain.ts'
import { createFakeClock, type FakeClock } from '../../../../helpers/fake-clock.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'

const noRules: GuardRules = { failedShare: null, stalled: null, errorShare: null }
const isPause = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path.endsWith('/pause')

let running: RunningCore
let clock: FakeClock
afterEach(() => running.stop())

/** A console and a sandbox with stopped clocks: `sandbox.tick` moves traffic, `read` takes readings. */
async function start(after?: RunningCore): Promise<void> {
  clock = createFakeClock(after ? clock.now() : undefined)
  running = await startCore({
    clock,
    sandbox: { clock: createFakeClock(), traffic: true, ratePerSecond: 20 },
    ...(after ? { after, config: { startWith: { kind: 'last' } } } : {}),
  })
  if (!after) await running.rpc.connections.openSandbox()
  // Let the first reading finish before time moves, or its call would reach its deadline.
  await untilReadNow()
}

const untilReadNow = () =>
  expect
    .poll(async () => (await running.rpc.campaigns.motion({ ids: [] })).watch.readAt, { timeout: 20_000 })
    .toBe(new Date(clock.now()).toISOString())

/** Takes one more reading. */
async function read(): Promise<void> {
  const { watch } = await running.rpc.campaigns.motion({ ids: [] })
  await clock.advance(watch.periodMs)
  await untilReadNow()
}

const runningCampaign = async () =>
  (await running.rpc.campaigns.list({ status: 'running' })).items[0] as Campaign
const atService = (id: string) =>
  running.sandbox
    .tenant()
    .campaigns()
    .find((campaign) => campaign.id === id)!
const detail = (id: string) => running.rpc.campaigns.detail({ id })
const pauses = () => running.sandbox.requestLog().filter(isPause)

test('derives rate, time left and sparkline from readings and notices a stalled campaign', async () => {
  await start()
  const { id } = await runningCampaign()
  for (let turn = 0; turn < 6; turn++) {
    running.sandbox.tick(10_000)
    await read()
  }
  const { motion, points } = await detail(id)
  const { sent_count, total_recipients } = atService(id)
  expect(points.at(-1)?.sent).toBe(sent_count)
  expect(motion.ratePerMinute).toBeGreaterThan(0)
  expect(motion.etaMs).toBeCloseTo(((total_recipients - sent_count) / motion.ratePerMinute!) * 60_000, 0)
  expect(motion.stillMs).toBeNull()
  for (let turn = 0; turn < 3; turn++) await read()
  expect((await detail(id)).motion).toMatchObject({ stalled: false, stillMs: 30_000 })
})

test('reads running campaigns once for all pages that poll', async () => {
  await start()
  await runningCampaign()
  await read()
  const asked = running.sandbox.stats().perEndpoint['GET /campaigns']
  for (let page = 0; page < 5; page++) await running.rpc.campaigns.list({ status: 'running', poll: true })
  expect(running.sandbox.stats().perEndpoint['GET /campaigns']).toBe(asked)
})

test('sends one request per period for any number of pages, lists and campaigns', async () => {
  await start()
  const all = () => running.rpc.campaigns.list({ poll: true })
  const { items } = await all()
  const completed = items.find(({ status }) => status === 'completed')!
  await running.rpc.campaigns.detail({ id: completed.id, poll: true })
  const asked = { ...running.sandbox.stats().perEndpoint }
  for (let page = 0; page < 5; page++) {
    expect((await all()).freshness.source).toBe('live')
    expect((await running.rpc.campaigns.detail({ id: completed.id, poll: true })).freshness.source).toBe(
      'live',
    )
  }
  expect(running.sandbox.stats().perEndpoint).toEqual(asked)
  const { id } = await runningCampaign()
  await running.rpc.campaigns.pause({ id })
  expect((await all()).items.find((one) => one.id === id)?.status).toBe('paused')
  const before = running.sandbox.stats().perEndpoint['GET /campaigns']!
  await running.rpc.campaigns.list({})
  expect(running.sandbox.stats().perEndpoint['GET /campaigns']).toBe(before + 1)
})

test('keeps the receipt of a pause at full traffic across a restart', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  const before = atService(id).sent_count
  const submitted: string[] = []
  await running.rpc.campaigns.pause({ id })
  const atPause = atService(id).sent_count
  running.sandbox.onEvent((_tenant, event) => {
    if (event.event === 'dlr' && event.status === 'submitted') submitted.push(event.message_id)
  })
  expect((await detail(id)).receipts).toMatchObject([
    { state: 'reading', by: 'operator', sentBefore: before, sentAtPause: atPause },
  ])
  running.sandbox.tick(500)
  await read()
  const halfway = atService(id).sent_count
  expect(halfway).toBeGreaterThan(atPause)
  expect((await detail(id)).receipts).toMatchObject([{ sentLast: halfway }])

  const first = running
  await first.stopCore()
  await start(first)
  running.sandbox.tick(10_000)
  for (let turn = 0; turn < 40; turn++) {
    await read()
    if ((await detail(id)).receipts[0]!.endedAt !== null) break
  }
  const [receipt] = (await detail(id)).receipts
  expect(receipt).toMatchObject({
    state: 'settled',
    sentAtPause: atPause,
    sentLast: atService(id).sent_count,
  })
  const ofCampaign = new Set(
    running.sandbox
      .tenant()
      .messages()
      .flatMap((message) => (message.batch_id === id ? [message.id] : [])),
  )
  const sentAfter = submitted.filter((messageId) => ofCampaign.has(messageId)).length
  expect(sentAfter).toBeGreaterThan(0)
  expect(receipt!.sentLast! - receipt!.sentAtPause!).toBe(sentAfter)
  expect(pauses()).toHaveLength(1)
})

/** Turns on a rule that triggers after a few more messages. */
async function arm(id: string, ownGuard = true): Promise<void> {
  await running.rpc.campaigns.setGuard({
    campaignId: ownGuard ? id : null,
    mode: 'armed',
    rules: { ...noRules, failedShare: { percent: 0.1, minSent: atService(id).sent_count + 20 } },
  })
}
const trip = async (id: string) =>
  (await running.rpc.campaigns.trips({})).items.find(({ campaignId }) => campaignId === id)

/** Notifications from rules; traffic may add opt-out keywords. */
const guardNotes = () => running.notes.filter(({ body }) => body.includes('Limit: '))

test('pauses a failing campaign once, within one reading', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await arm(id)
  await read()
  await read()
  expect(pauses()).toEqual([])
  running.sandbox.tick(20_000)
  await read()
  await expect.poll(async () => (await trip(id))?.pause?.state).toBe('paused')
  expect(atService(id).status).toBe('paused')
  for (let turn = 0; turn < 4; turn++) {
    running.sandbox.tick(5_000)
    await read()
  }
  expect(pauses()).toHaveLength(1)
  const { guard, receipts, trips } = await detail(id)
  expect(guard).toMatchObject({ mode: 'notify', disarmedAt: expect.any(String) })
  expect(receipts).toMatchObject([{ by: 'guard' }])
  expect(trips).toMatchObject([
    { rule: 'failed-share', own: true, mode: 'armed', clearedAt: expect.any(String) },
  ])
  expect(guardNotes()).toMatchObject([
    { title: expect.stringContaining('Auto-paused: '), body: expect.stringMatching(/^Sandbox: .*failed/) },
  ])
})

test('tells pages about an automatic pause as soon as it is read', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await arm(id)
  const updates: string[] = []
  const stop = new AbortController()
  const stream = await running.rpc.campaigns.watch(undefined, { signal: stop.signal })
  const reading = (async () => {
    for await (const { items } of stream)
      updates.push(...items.map(({ campaign }) => `${campaign.id} ${campaign.status}`))
  })().catch(() => undefined)
  running.sandbox.tick(20_000)
  await read()
  await expect
    .poll(async () => {
      await clock.advance(50)
      return updates
    })
    .toContain(`${id} paused`)
  stop.abort()
  await reading
})

test('notifies once and pauses nothing with a rule that only notifies', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await running.rpc.campaigns.setGuard({
    campaignId: id,
    mode: 'notify',
    rules: { ...noRules, failedShare: { percent: 0.1, minSent: 1 } },
  })
  for (let turn = 0; turn < 3; turn++) await read()
  await expect.poll(async () => (await trip(id))?.times).toBeGreaterThanOrEqual(3)
  expect(guardNotes()).toHaveLength(1)
  expect(pauses()).toEqual([])
})

test('confirms a lost pause after a restart without sending it again', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await arm(id)
  running.sandbox.setFault('hang-after-commit', { method: 'POST', path: '/campaigns' })
  running.sandbox.tick(20_000)
  await read()
  await expect.poll(() => atService(id).status).toBe('paused')
  expect((await trip(id))?.pause).toMatchObject({ state: 'sent' })
  const first = running
  await first.stopCore()
  first.sandbox.setFault(null)
  await start(first)
  await read()
  await expect.poll(async () => (await trip(id))?.pause?.state).toBe('paused')
  expect((await detail(id)).receipts).toMatchObject([{ by: 'guard', state: 'reading' }])
  expect((await detail(id)).guard).toMatchObject({ mode: 'notify' })
  expect(pauses().length).toBeLessThanOrEqual(1)
})

test('reports an unconfirmed pause after a restart without sending it again', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await arm(id)
  running.sandbox.setFault('hang', { method: 'POST', path: '/campaigns' })
  running.sandbox.tick(20_000)
  await read()
  await expect.poll(async () => (await trip(id))?.pause?.state).toBe('sent')
  const first = running
  await first.stopCore()
  first.sandbox.setFault(null)
  await start(first)
  for (let turn = 0; turn < 3; turn++) await read()
  await expect
    .poll(async () => (await trip(id))?.pause)
    .toMatchObject({
      state: 'unknown',
      words: { key: 'guard.unconfirmed', status: { key: 'campaign.running' } },
    })
  expect(atService(id).status).toBe('running')
  expect(pauses().filter(({ status }) => status === 200)).toEqual([])
})

test('turns a rule on again when its pause never left, and pauses at the next reading', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { id } = await runningCampaign()
  await arm(id)
  running.sandbox.setFault('rate-limited', { method: 'POST', path: '/campaigns' })
  running.sandbox.tick(20_000)
  await read()
  await expect
    .poll(
      async () => {
        await clock.advance(1_000)
        return (await trip(id))?.pause?.state
      },
      { timeout: 20_000 },
    )
    .toBe('not-sent')
  running.sandbox.setFault(null)
  await expect
    .poll(
      async () => {
        await clock.advance(1_000)
        return atService(id).status
      },
      { timeout: 20_000 },
    )
    .toBe('paused')
  expect(pauses().filter(({ status }) => status === 200)).toHaveLength(1)
})

test('applies the default rule to running campaigns without a custom rule', async () => {
  await start()
  running.sandbox.tick(20_000)
  const { items } = await running.rpc.campaigns.list({ status: 'running' })
  const rules = { ...noRules, failedShare: { percent: 0.1, minSent: 1 } }
  await running.rpc.campaigns.setGuard({ campaignId: items[0]!.id, mode: 'off', rules })
  await running.rpc.campaigns.setGuard({ campaignId: null, mode: 'armed', rules })
  await read()
  const rest = items.slice(1).map(({ id }) => id)
  await expect.poll(() => rest.map((id) => atService(id).status)).toEqual(rest.map(() => 'paused'))
  expect(atService(items[0]!.id).status).toBe('running')
  expect(pauses()).toHaveLength(rest.length)
})

test('previews a rule on the last reading without a request or a trigger', async () => {
  await start()
  running.sandbox.tick(20_000)
  await read()
  const { items } = await running.rpc.campaigns.list({ status: 'running' })
  const rules = { ...noRules, failedShare: { percent: 0.1, minSent: 1 } }
  const asked = running.sandbox.requestLog().length
  const one = await running.rpc.campaigns.tryGuard({ campaignId: items[0]!.id, rules })
  expect(one).toMatchObject({
    judged: 1,
    tripped: 1,
    trips: [{ campaignId: items[0]!.id, title: items[0]!.name, readings: [{ key: 'guard.failedShare' }] }],
  })
  expect(one.readAt).not.toBeNull()
  await running.rpc.campaigns.setGuard({ campaignId: items[0]!.id, mode: 'off', rules })
  expect(await running.rpc.campaigns.tryGuard({ campaignId: null, rules })).toMatchObject({
    judged: items.length - 1,
    tripped: items.length - 1,
  })
  expect(
    await running.rpc.campaigns.tryGuard({
      campaignId: null,
      rules: { ...noRules, failedShare: { percent: 100, minSent: 1 } },
    }),
  ).toMatchObject({ tripped: 0, trips: [] })
  expect((await running.rpc.campaigns.trips({})).items).toEqual([])
  expect(running.sandbox.requestLog()).toHaveLength(asked)
  expect((await running.rpc.campaigns.guards()).guards).toMatchObject([{ title: items[0]!.name }])
})

test('asks for the connection’s name to turn on a rule in production', async () => {
  await start()
  const { id } = await runningCampaign()
  const [connection] = (await running.rpc.connections.list()).connections
  await running.rpc.connections.update({ id: connection!.id, name: 'Live', colour: 'red', production: true })
  const input = { campaignId: id, rules: { ...noRules, stalled: { minutes: 5 } } }
  await expect(running.rpc.campaigns.setGuard({ ...input, mode: 'armed' })).rejects.toMatchObject({
    code: 'CONFIRMATION_MISMATCH',
  })
  await running.rpc.campaigns.setGuard({ ...input, mode: 'notify' })
  await running.rpc.campaigns.setGuard({ ...input, mode: 'armed', confirmName: 'Live' })
  await running.rpc.campaigns.removeGuard({ campaignId: id })
  expect((await running.rpc.campaigns.guards()).guards).toEqual([])
  await expect(
    running.rpc.campaigns.setGuard({ campaignId: id, mode: 'notify', rules: noRules }),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
})

const pauseAllEnd = async () => {
  await expect
    .poll(async () => (await running.rpc.campaigns.pauseAllRun()).run?.endedAt, { timeout: 20_000 })
    .toBeTruthy()
  return (await running.rpc.campaigns.pauseAllRun()).run!
}

test('pauses each running campaign once and continues past a refusal', async () => {
  await start()
  const { items } = await running.rpc.campaigns.running()
  const [paused, refused, gone] = items as [Campaign, Campaign, Campaign]
  await running.rpc.campaigns.pause({ id: paused.id })
  running.sandbox.setFault('forbidden', { method: 'POST', path: `/campaigns/${refused.id}` })
  const ids = items.map(({ id }) => id).filter((id) => id !== gone.id)
  const calls = await Promise.all([
    running.rpc.campaigns.pauseAll({ ids }),
    running.rpc.campaigns.pauseAll({ ids }),
  ])
  expect(calls[0].id).toBe(calls[1].id)
  const run = await pauseAllEnd()
  const states = Object.fromEntries(run.items.map(({ id, state }) => [id, state]))
  expect(states).toEqual({
    ...Object.fromEntries(ids.map((id) => [id, 'paused'])),
    [paused.id]: 'already-paused',
    [refused.id]: 'refused',
  })
  expect(run.items.find(({ id }) => id === refused.id)?.error).toMatchObject({ code: 'FORBIDDEN' })
  expect(run.newOnes.map(({ id }) => id).sort()).toEqual([gone.id].sort())
  expect(atService(gone.id).status).toBe('running')
  const asked = (id: string) => pauses().filter(({ path }) => path.includes(id)).length
  expect(ids.map(asked)).toEqual(ids.map((id) => (id === paused.id ? 2 : 1)))
  expect(asked(gone.id)).toBe(0)
})

test('asks for the connection’s name to pause all in production', async () => {
  await start()
  const { items } = await running.rpc.campaigns.running()
  const ids = items.map(({ id }) => id)
  const [connection] = (await running.rpc.connections.list()).connections
  await running.rpc.connections.update({ id: connection!.id, name: 'Live', colour: 'red', production: true })
  await expect(running.rpc.campaigns.pauseAll({ ids })).rejects.toMatchObject({
    code: 'CONFIRMATION_MISMATCH',
  })
  expect(pauses()).toEqual([])
  await running.rpc.campaigns.pauseAll({ ids, confirmName: 'Live' })
  expect((await pauseAllEnd()).items.every(({ state }) => state === 'paused')).toBe(true)
})

test('shows a campaign’s last record, age and readings while offline', async () => {
  await start()
  const { id } = await runningCampaign()
  await read()
  const before = await detail(id)
  running.sandbox.setFault('forbidden')
  await clock.advance(5_000)
  const kept = await detail(id)
  expect(kept.campaign).toEqual(before.campaign)
  expect(kept.freshness).toMatchObject({ source: 'cache', error: { code: 'FORBIDDEN' } })
  expect(kept.points.length).toBeGreaterThan(0)
})

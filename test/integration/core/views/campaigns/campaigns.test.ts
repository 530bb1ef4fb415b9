import { beforeEach, expect, test } from 'vitest'
import { builtInRule } from '#contract/views/campaign-alert-rules.ts'
import type { CampaignId } from '#contract/domain.ts'
import { startTestCoreAt, usualAnswer } from '../../../../helpers/answering-service.ts'
import type { RunningCore } from '../../../../helpers/start-core.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

let sandbox: RunningCore['sandbox']
let notes: RunningCore['notes']
let rpc: RunningCore['rpc']
let campaigns: RunningCore['rpc']['campaigns']
beforeEach(async () => {
  ;({ sandbox, notes, rpc } = await startInSandbox({ sandbox: { traffic: true } }))
  ;({ campaigns } = rpc)
})

const oneOf = async (status: 'running' | 'paused' | 'completed') =>
  (await campaigns.list({ status })).items[0]!

const atService = (campaignId: string) =>
  sandbox
    .tenant()
    .campaigns()
    .find(({ id }) => id === campaignId)?.status

test('keeps a campaign paused at the service and in every list, also a cached one', async () => {
  const { id } = await oneOf('running')
  const live = await campaigns.list({ perPage: 100 })
  expect((await campaigns.pause({ id })).campaign.status).toBe('paused')
  sandbox.tick(60_000)
  expect(atService(id)).toBe('paused')
  const listed = await campaigns.list({ status: 'paused', perPage: 100 })
  expect(listed.items.map((one) => one.id)).toContain(id)
  sandbox.setFault('forbidden')
  const kept = await campaigns.list({ perPage: 100 })
  expect(kept.freshness).toMatchObject({
    source: 'cache',
    asOf: live.freshness.asOf,
    error: { code: 'FORBIDDEN' },
  })
  const { status } = kept.items.find((one) => one.id === id)!
  expect(status).toBe('paused')
  const others = ({ items }: typeof live) => items.filter((one) => one.id !== id)
  expect(others(kept).map((one) => one.id)).toEqual(others(live).map((one) => one.id))
  // A page never read shows the running campaigns that are known.
  const known = await campaigns.list({ perPage: 7 })
  expect(known).toMatchObject({ atLeast: true, freshness: { source: 'cache', error: { code: 'FORBIDDEN' } } })
  expect(new Set(known.items.map((one) => one.status))).toEqual(new Set(['running']))
  await expect(campaigns.list({ status: 'draft' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test('refuses to pause what isn’t running, and names its status', async () => {
  const [completed, paused] = [await oneOf('completed'), await oneOf('paused')]
  for (const [id, error] of [
    [completed.id, { code: 'CAMPAIGN_NOT_RUNNING', message: expect.stringContaining('completed') }],
    [paused.id, { code: 'CAMPAIGN_ALREADY_PAUSED' }],
    ['00000000-0000-4000-8000-000000000000', { code: 'SERVICE_NOT_FOUND' }],
  ] as const)
    await expect(campaigns.pause({ id }), error.code).rejects.toMatchObject(error)
  expect(atService(completed.id)).toBe('completed')
})

test.each([
  ['confirms an unanswered pause by reading again', 'reset-after-commit', null],
  ['reports an unanswered pause of a running campaign as unconfirmed', 'error-500', 'OUTCOME_UNKNOWN'],
] as const)('%s, without repeating it', async (_what, fault, code) => {
  const { id } = await oneOf('running')
  sandbox.setFault(fault, { method: 'POST', path: '/campaigns', ...(code ? {} : { count: 1 }) })
  if (code) await expect(campaigns.pause({ id })).rejects.toMatchObject({ code })
  else expect((await campaigns.pause({ id })).campaign.status).toBe('paused')
  const attempts = sandbox.requestLog().filter(({ method, path }) => method === 'POST' && /pause/.test(path))
  expect(attempts).toHaveLength(1)
})

test('asks for the connection’s name in production, to pause and to turn on a rule', async () => {
  const [connection] = (await rpc.connections.list()).connections
  await rpc.connections.update({ id: connection!.id, name: 'Live', colour: 'red', production: true })
  const { id } = await oneOf('running')
  const rules = { failedShare: null, stalled: { minutes: 5 }, errorShare: null }
  const rule = { campaignId: id, rules }
  for (const act of [
    () => campaigns.pause({ id }),
    () => campaigns.pause({ id, confirmName: 'live' }),
    () => campaigns.pauseAll({ ids: [id] }),
    () => campaigns.setAlertRule({ ...rule, mode: 'armed' }),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
  expect(atService(id)).toBe('running')
  await campaigns.setAlertRule({ ...rule, mode: 'notify' })
  await campaigns.setAlertRule({ ...rule, mode: 'armed', confirmName: 'Live' })
  await campaigns.removeAlertRule({ campaignId: id })
  expect((await campaigns.alertRules()).alertRules).toMatchObject([builtInRule])
  await expect(
    campaigns.setAlertRule({ campaignId: id, mode: 'notify', rules: { ...rules, stalled: null } }),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  expect((await campaigns.pause({ id, confirmName: 'Live' })).campaign.status).toBe('paused')
  await campaigns.pauseAll({ ids: [id], confirmName: 'Live' })
  await expect
    .poll(async () => (await campaigns.pauseAllRun()).run?.items)
    .toMatchObject([{ state: 'already-paused' }])
})

test('pauses while campaigns can’t be read and takes the answer as proof', async () => {
  const { id, name } = await oneOf('running')
  sandbox.setFault('error-500', { method: 'GET', path: '/campaigns' })
  expect(await campaigns.pause({ id })).toMatchObject({
    campaign: { status: 'paused', name },
    receipt: { state: 'reading', pausedAt: expect.any(String) },
  })
  expect(atService(id)).toBe('paused')
})

test('notifies of campaigns that Pause all left running, not of a pause whose page shows the failure', async () => {
  sandbox.setFault('forbidden', { method: 'POST', path: '/campaigns' })
  const { id } = await oneOf('running')
  await expect(campaigns.pause({ id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await campaigns.pauseAll({ ids: [id] })
  const told = () => notes.map(({ title }) => title).filter((title) => /may still/i.test(title))
  await expect.poll(told).toEqual(['Sandbox: 1 campaign may still be running'])
})

test('notifies of a pause that fails after its page was left', async () => {
  const leaving = new AbortController()
  const { rpc, notes } = await startTestCoreAt((asked) => {
    if (!asked.path.includes('c-1')) return usualAnswer(asked)
    leaving.abort()
    return asked.path.endsWith('/pause') ? [400, { error: 'no' }] : [404, {}]
  })
  await expect(rpc.campaigns.pause({ id: 'c-1' }, { signal: leaving.signal })).rejects.toThrow()
  await expect.poll(() => notes.map(({ title }) => title)).toEqual(['Other: May still be running: c-1'])
})

test('says that a campaign that the service lists as running but doesn’t know may still be sending', async () => {
  const listed = { id: 'c-1', name: 'Autumn', status: 'running', sent_count: 4 }
  let isKnown = false
  const { rpc } = await startTestCoreAt((asked) => {
    if (isKnown && asked.path.endsWith('/c-1')) return [200, listed]
    if (asked.path.includes('c-1')) return [404, { error: 'no such campaign' }]
    const page = { data: [listed], total: 1, page: 1, per_page: 20 }
    return asked.path.includes('/campaigns') ? [200, page] : usualAnswer(asked)
  })
  await rpc.campaigns.list({})
  await expect(rpc.campaigns.pause({ id: 'c-1' })).rejects.toMatchObject({
    code: 'CAMPAIGN_UNKNOWN',
    message: expect.stringContaining('“no such campaign”. It may still be sending.'),
  })
  isKnown = true
  await expect(rpc.campaigns.pause({ id: 'c-1' })).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' })
})

test('pauses all although no list and no campaign can be read', async () => {
  const { items } = await campaigns.running()
  expect(items.length).toBeGreaterThan(1)
  const ids = items.map(({ id }) => id)
  sandbox.setFault('error-500', { method: 'GET', path: '/campaigns' })
  expect((await campaigns.running()).items.map(({ id }) => id)).toEqual(ids)
  await campaigns.pauseAll({ ids })
  await expect
    .poll(async () => (await campaigns.pauseAllRun()).run?.items.map(({ state }) => state))
    .toEqual(ids.map(() => 'paused'))
  expect(ids.map(atService)).toEqual(ids.map(() => 'paused'))
})

test.each([
  ['does not trust a success answer when the campaign still runs', 200, 'running', 'PAUSE_NOT_CONFIRMED'],
  ['says that a campaign ended while it was paused', 200, 'completed', 'CAMPAIGN_NOT_RUNNING'],
  ['says that a campaign ended although the pause failed', 502, 'cancelled', 'CAMPAIGN_NOT_RUNNING'],
])('%s', async (_, answer, status, code) => {
  const id = 'c-1' as CampaignId
  const { rpc, service } = await startTestCoreAt((asked) =>
    asked.path.includes(id)
      ? [asked.path.endsWith('/pause') ? answer : 200, { id, name: 'Autumn', status, sent_count: 4 }]
      : usualAnswer(asked),
  )
  await expect(rpc.campaigns.pause({ id })).rejects.toMatchObject({ code })
  expect(service.asked.filter(({ path }) => path.endsWith('/pause'))).toHaveLength(1)
})

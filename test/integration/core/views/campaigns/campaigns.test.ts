import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Campaign } from '#contract/domain.ts'
import { json, startFixtureService } from '../../../../helpers/fixture-service.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'

let running: RunningCore
beforeEach(async () => {
  running = await startCore({ sandbox: { traffic: true } })
  await running.rpc.connections.openSandbox()
})
afterEach(() => running.stop())

const runningCampaign = async () =>
  (await running.rpc.campaigns.list({ status: 'running' })).items[0] as Campaign

const atService = (campaignId: string) =>
  running.sandbox
    .tenant()
    .campaigns()
    .find(({ id }) => id === campaignId)?.status

test('pages and filters the list as the service does', async () => {
  const all = await running.rpc.campaigns.list({ perPage: 2 })
  expect(all).toMatchObject({ page: 1, perPage: 2, freshness: { source: 'live' } })
  const second = await running.rpc.campaigns.list({ perPage: 2, page: 2 })
  expect(second.items.map((campaign) => campaign.id)).not.toEqual(all.items.map((campaign) => campaign.id))
  const paused = await running.rpc.campaigns.list({ status: 'paused' })
  expect(paused.items.every((campaign) => campaign.status === 'paused')).toBe(true)
})

test('keeps a campaign paused at the service and in the list', async () => {
  const campaign = await runningCampaign()
  const { campaign: paused } = await running.rpc.campaigns.pause({ id: campaign.id })
  expect(paused.status).toBe('paused')
  running.sandbox.tick(60_000)
  expect(atService(campaign.id)).toBe('paused')
  const listed = await running.rpc.campaigns.list({ status: 'paused', perPage: 100 })
  expect(listed.items.map(({ id }) => id)).toContain(campaign.id)
})

test('refuses to pause a campaign that is not running and names its status', async () => {
  const { items } = await running.rpc.campaigns.list({ status: 'completed' })
  await expect(running.rpc.campaigns.pause({ id: items[0]!.id })).rejects.toMatchObject({
    code: 'CAMPAIGN_NOT_RUNNING',
    message: expect.stringContaining('completed'),
  })
  expect(atService(items[0]!.id)).toBe('completed')
})

test('reports a campaign as already paused', async () => {
  const { id } = await runningCampaign()
  await running.rpc.campaigns.pause({ id })
  await expect(running.rpc.campaigns.pause({ id })).rejects.toMatchObject({ code: 'CAMPAIGN_ALREADY_PAUSED' })
})

test('names an unknown campaign', async () => {
  await expect(
    running.rpc.campaigns.pause({ id: '00000000-0000-4000-8000-000000000000' }),
  ).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' })
})

test('confirms an unanswered pause by reading again, without repeating it', async () => {
  const campaign = await runningCampaign()
  running.sandbox.setFault('reset-after-commit', { method: 'POST', path: '/campaigns', count: 1 })
  const { campaign: paused } = await running.rpc.campaigns.pause({ id: campaign.id })
  expect(paused.status).toBe('paused')
  expect(running.sandbox.stats().perEndpoint['POST /campaigns/{id}/pause']).toBe(1)
})

test('reports an unanswered pause of a running campaign as unconfirmed, without repeating it', async () => {
  const campaign = await runningCampaign()
  running.sandbox.setFault('error-500', { method: 'POST', path: '/campaigns' })
  await expect(running.rpc.campaigns.pause({ id: campaign.id })).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
  })
  const attempts = running.sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && path.includes('/pause'))
  expect(attempts).toHaveLength(1)
})

test('quotes the service when you may not pause', async () => {
  running.sandbox.setFault('forbidden', { method: 'POST', path: '/campaigns' })
  await expect(running.rpc.campaigns.pause({ id: (await runningCampaign()).id })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
})

test('asks for the connection’s name to pause in production', async () => {
  const { connections } = await running.rpc.connections.list()
  const [sandbox] = connections
  await running.rpc.connections.update({ id: sandbox!.id, name: 'Live', colour: 'red', production: true })
  const { id } = await runningCampaign()
  await expect(running.rpc.campaigns.pause({ id })).rejects.toMatchObject({ code: 'CONFIRMATION_MISMATCH' })
  await expect(running.rpc.campaigns.pause({ id, confirmName: 'live' })).rejects.toMatchObject({
    code: 'CONFIRMATION_MISMATCH',
  })
  expect((await running.rpc.campaigns.pause({ id, confirmName: 'Live' })).campaign.status).toBe('paused')
})

test('pauses while campaigns can’t be read and takes the answer as proof', async () => {
  const campaign = await runningCampaign()
  running.sandbox.setFault('error-500', { method: 'GET', path: '/campaigns' })
  const { campaign: paused, receipt } = await running.rpc.campaigns.pause({ id: campaign.id })
  expect(paused).toMatchObject({ status: 'paused', name: campaign.name })
  expect(receipt).toMatchObject({ state: 'reading', pausedAt: expect.any(String) })
  expect(atService(campaign.id)).toBe('paused')
})

test('notifies of a pause that fails, also after its page closed, and of campaigns that Pause all left running', async () => {
  running.sandbox.setFault('forbidden', { method: 'POST', path: '/campaigns' })
  const { id, name } = await runningCampaign()
  await expect(running.rpc.campaigns.pause({ id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(running.notes.map(({ title }) => title)).toEqual([`May still be running: ${name}`])
  await running.rpc.campaigns.pauseAll({ ids: [id] })
  await expect
    .poll(() => running.notes.map(({ title }) => title))
    .toEqual([`May still be running: ${name}`, '1 campaign may still be running'])
})

test('pauses all although no list and no campaign can be read', async () => {
  const { items } = await running.rpc.campaigns.running()
  expect(items.length).toBeGreaterThan(1)
  running.sandbox.setFault('error-500', { method: 'GET', path: '/campaigns' })
  expect((await running.rpc.campaigns.running()).items.map(({ id }) => id)).toEqual(items.map(({ id }) => id))
  await running.rpc.campaigns.pauseAll({ ids: items.map(({ id }) => id) })
  await expect
    .poll(async () => (await running.rpc.campaigns.pauseAllRun()).run?.items.map(({ state }) => state))
    .toEqual(items.map(() => 'paused'))
  expect(items.map(({ id }) => atService(id))).toEqual(items.map(() => 'paused'))
})

test('does not trust a success answer when the campaign still runs', async () => {
  const service = await startFixtureService()
  const record = { id: 'c-1', name: 'Autumn', status: 'running', sent_count: 4 }
  service.on('POST /auth/login', json(200, { access_token: 'a', refresh_token: 'r', expires_in: 900 }))
  service.on('POST /auth/logout', json(200, { message: 'ok' }))
  service.on('GET /campaigns/c-1', json(200, record))
  service.on('POST /campaigns/c-1/pause', json(200, record))
  try {
    await running.rpc.connections.connect({
      name: 'Other',
      baseUrl: service.baseUrl,
      colour: 'red',
      production: false,
      credential: { kind: 'password', username: 'u', password: 'p' },
    })
    await expect(running.rpc.campaigns.pause({ id: 'c-1' })).rejects.toMatchObject({
      code: 'PAUSE_NOT_CONFIRMED',
    })
    expect(service.asked('POST /campaigns/c-1/pause')).toHaveLength(1)
  } finally {
    await service.stop()
  }
})

test('a cached page shows the latest records', async () => {
  const { id } = await runningCampaign()
  const live = await running.rpc.campaigns.list({ perPage: 100 })
  await running.rpc.campaigns.pause({ id })
  running.sandbox.setFault('forbidden')
  const kept = await running.rpc.campaigns.list({ perPage: 100 })
  expect(kept.freshness).toMatchObject({ source: 'cache', asOf: live.freshness.asOf })
  expect(kept.items.find((one) => one.id === id)?.status).toBe('paused')
})

test('shows the last list, marked as such, when the service is unreachable', async () => {
  const live = await running.rpc.campaigns.list({ perPage: 5 })
  running.sandbox.setFault('forbidden')
  const kept = await running.rpc.campaigns.list({ perPage: 5 })
  expect(kept.items).toEqual(live.items)
  expect(kept.freshness).toMatchObject({
    source: 'cache',
    asOf: live.freshness.asOf,
    error: { code: 'FORBIDDEN' },
  })
  await expect(running.rpc.campaigns.list({ perPage: 7 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { dlrBody, moBody } from '../../../helpers/deliver-events.ts'
import { type OtherService, startOtherService } from '../../../helpers/other-service.ts'
import { type RunningCore, startCore } from '../../../helpers/start-core.ts'
import { toListener } from '../../../helpers/subscribe-orders.ts'
import { eventsStored } from '../../../helpers/wait-for.ts'

let service: OtherService
let running: RunningCore
beforeAll(async () => {
  service = await startOtherService()
  running = await startCore({})
  const credential = { kind: 'password', ...service.credentials } as const
  const at = { name: 'Another service', baseUrl: service.baseUrl, colour: 'purple' } as const
  await running.rpc.connections.connect({ ...at, production: false, credential })
})
afterAll(async () => {
  await running.stop()
  await service.stop()
})

test('pauses a campaign that was never read although the answer has only its ID and status', async () => {
  const { campaign, receipt } = await running.rpc.campaigns.pause({ id: 'cmp-2' })
  expect(campaign).toMatchObject({ id: 'cmp-2', status: 'paused', sentCount: 12 })
  expect(receipt).toMatchObject({ state: 'reading', sentBefore: null, sentAtPause: 12 })
})

test('shows campaigns with other IDs, order, fields and statuses', async () => {
  const { items, total, freshness } = await running.rpc.campaigns.list({})
  expect(freshness.source).toBe('live')
  expect(total).toBe(3)
  expect(items.map(({ id, status, sentCount }) => ({ id, status, sentCount }))).toEqual([
    { id: 'cmp-1', status: 'warming_up', sentCount: null },
    { id: 'cmp-2', status: 'paused', sentCount: 12 },
    { id: 'cmp-3', status: 'completed', sentCount: 7 },
  ])
})

test('shows a dashboard with missing figures and invents none', async () => {
  const { dashboard } = await running.rpc.overview.get()
  expect(dashboard).toMatchObject({
    messagesToday: 3,
    messagesWeek: null,
    balance: 12.5,
    activeCampaigns: null,
  })
})

test('subscribes once, also at once, and receives signed events, with unknown statuses and extra fields', async () => {
  const { status } = await running.rpc.listener.get()
  service.maskSecrets()
  const subscribe = () => running.rpc.webhooks.subscribe(toListener(status.url!))
  const [first] = await Promise.all([subscribe(), subscribe()])
  expect(await subscribe()).toEqual({ ...first, outcome: 'fits' })
  expect(first.subscription).toMatchObject({ id: 'wh_1', pointsHere: true, secretKnown: true })
  expect(service.asked('POST /webhooks')).toBe(1)
  // A masked secret isn't a second secret.
  expect((await running.rpc.webhooks.list()).subscriptions).toMatchObject([{ secretKnown: true }])
  expect((await running.rpc.listener.get()).secrets).toHaveLength(1)
  const report = JSON.parse(dlrBody('abc', 'delivered', '+4670')) as object
  const odd = { ...report, status: 'buffered', carrier: { mcc: 240 } }
  const { error_code: _, ...without } = report as { error_code: null }
  for (const event of [odd, without, JSON.parse(moBody('in-1', '+4670', 'STOP')) as object])
    expect(await service.deliver(event)).toEqual([200])
  await eventsStored(running.rpc, 3)
  const { items } = await running.rpc.events.search({ filter: {} })
  expect(items.map(({ kind, status, optOut, verdict }) => ({ kind, status, optOut, verdict }))).toEqual([
    { kind: 'mo', status: null, optOut: true, verdict: 'signed' },
    { kind: 'dlr', status: 'delivered', optOut: false, verdict: 'signed' },
    { kind: 'dlr', status: 'buffered', optOut: false, verdict: 'signed' },
  ])
})

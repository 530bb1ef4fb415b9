import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AnsweringService,
  startAnsweringService,
  startCoreAt,
} from '../../../helpers/answering-service.ts'
import { dlrBody, moBody } from '../../../helpers/deliver-events.ts'
import { deliverSigned } from '../../../helpers/signed-delivery.ts'
import type { RunningCore } from '../../../helpers/start-core.ts'
import { toListener } from '../../../helpers/subscribe-orders.ts'
import { eventsStored } from '../../../helpers/wait-for.ts'

const campaigns = [
  { id: 'cmp-1', name: 'Välkommen', status: 'warming_up', region: 'north' },
  { id: 'cmp-2', status: 'running', name: 'Autumn', sent_count: 12, failed_count: 1, total_recipients: 40 },
  {
    id: 'cmp-3',
    name: 'Winter',
    status: 'completed',
    sent_count: '7',
    updated_at: '2026-01-05T10:00:00+01:00',
  },
]
const page = (data: object[]) => ({ total: data.length, data, page: 1, per_page: 20, next: null })

/**
 * A service that differs from the sandbox where the spec leaves it open: words and numbers as IDs, answers that hold the least or more
 * than expected, unknown statuses, dotted event names, masked secrets.
 */
const startOtherService = () => {
  const subscriptions: object[] = []
  return startAnsweringService(({ method, path }) => {
    const [, list, id] = path.split('/')
    if (path === '/dashboard') return [200, { messages_today: 3, balance: '12.50', extra: true }]
    if (list === 'campaigns' && id === undefined) return [200, page(campaigns)]
    const campaign = campaigns.find((one) => one.id === id)
    if (campaign && method === 'GET') return [200, campaign]
    if (campaign) return [200, { id, status: (campaign.status = 'paused') }]
    if (path === '/webhooks') {
      const events = ['message.delivered', 'message.failed', 'message.received', 'message.read']
      const { url } = running.listener
      subscriptions.push({ id: 'wh_1', url, events, status: 'active', secret: '********' })
      return [201, { ok: true }]
    }
    if (path === '/webhooks/subscriptions') return [200, page(subscriptions)]
    return [404, { error: 'not found' }]
  })
}

let service: AnsweringService
let running: RunningCore & { listener: { url: string } }
beforeAll(async () => {
  service = await startOtherService()
  const core = await startCoreAt(service)
  const { status } = await core.rpc.listener.get()
  running = { ...core, listener: { url: status.url! } }
})
afterAll(() => Promise.all([running.stop(), service.stop()]))

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
  })
})

test('subscribes once, also at once, and receives signed events, with unknown statuses and extra fields', async () => {
  const { rpc, listener, secrets } = running
  const subscribe = () => rpc.webhooks.subscribe(toListener(listener.url))
  const [first] = await Promise.all([subscribe(), subscribe()])
  expect(await subscribe()).toEqual({ ...first, outcome: 'fits' })
  expect(first.subscription).toMatchObject({ id: 'wh_1', pointsHere: true, secretKnown: true })
  expect(service.asked.filter(({ path }) => path === '/webhooks')).toHaveLength(1)
  // A masked secret isn't a second secret.
  expect((await rpc.webhooks.list()).subscriptions).toMatchObject([{ secretKnown: true }])
  expect((await rpc.listener.get()).secrets).toHaveLength(1)
  const [, secret] = [...secrets.values].find(([account]) => account.includes('webhook-secret'))!
  const report = JSON.parse(dlrBody('abc', 'delivered', '+4670')) as object
  const odd = { ...report, status: 'buffered', carrier: { mcc: 240 } }
  const { error_code: _, ...without } = report as { error_code: null }
  for (const event of [odd, without, JSON.parse(moBody('in-1', '+4670', 'STOP')) as object])
    expect(await deliverSigned(listener.url, JSON.stringify({ version: 2, ...event }, null, 1), secret)).toBe(
      200,
    )
  await eventsStored(rpc, 3)
  const { items } = await rpc.events.search({ filter: {} })
  expect(items.map(({ kind, status, optOut, verdict }) => ({ kind, status, optOut, verdict }))).toEqual([
    { kind: 'mo', status: null, optOut: true, verdict: 'signed' },
    { kind: 'dlr', status: 'delivered', optOut: false, verdict: 'signed' },
    { kind: 'dlr', status: 'buffered', optOut: false, verdict: 'signed' },
  ])
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFakeClock } from '../../helpers/fake-clock.ts'
import { type Sandbox, signIn, startSandbox } from './raw.ts'

const finals = ['delivered', 'failed', 'rejected', 'expired']

/** A sandbox with traffic, an operator signed in, and every event of every tenant, in order. */
async function running(options: Parameters<typeof startSandbox>[0] = {}) {
  const clock = createFakeClock()
  const sandbox = await startSandbox({ clock, traffic: true, ...options })
  const events: { tenant: string; event: Record<string, unknown> }[] = []
  sandbox.onEvent((tenant, event) => events.push({ tenant, event: { ...event } }))
  const raw = await signIn(sandbox)
  const campaigns = async () => (await raw.get('/campaigns?status=running')).body
  const pause = async (id: string) => (await raw.post(`/campaigns/${id}/pause`)).body
  return { clock, sandbox, events, raw, campaigns, pause }
}

/** Recounts a tenant's campaigns from its messages. */
function expectTrueCounters(sandbox: Sandbox, tenantName: string) {
  const view = sandbox.tenant(tenantName)
  const messages = view.messages()
  for (const campaign of view.campaigns()) {
    const own = messages.filter((message) => message.batch_id === campaign.id)
    const sent = own.filter((message) => message.sent_at !== undefined).length
    const failed = own.filter((message) => ['failed', 'rejected', 'expired'].includes(message.status)).length
    expect([campaign.name, campaign.sent_count, campaign.failed_count]).toEqual([campaign.name, sent, failed])
    expect(own.length).toBeLessThanOrEqual(campaign.total_recipients)
    if (campaign.status === 'draft') expect(own).toEqual([])
    if (campaign.status === 'completed') {
      expect(own.length).toBe(campaign.total_recipients)
      expect(own.every((message) => finals.includes(message.status))).toBe(true)
    }
  }
}

describe('the traffic', () => {
  test('is the same for the same seed and clock, and another for another seed', async () => {
    const run = async (seed: number, portions: number[]) => {
      const { clock, events, raw } = await running({ seed, ratePerSecond: 30 })
      // What clients create changes nothing.
      if (portions.length > 1) await raw.post('/templates', { name: 'n', body: 'b' })
      for (const ms of portions) await clock.advance(ms)
      expect(events.length).toBeGreaterThan(300)
      return createHash('sha256').update(JSON.stringify(events)).digest('hex')
    }
    const once = await run(7, [20_000])
    expect(await run(7, [20_000])).toBe(once)
    expect(await run(7, [37, 4_963, 15_000])).toBe(once)
    expect(await run(8, [20_000])).not.toBe(once)
  })

  test('follows the rate, with both kinds, all four failure codes and opt-outs', async () => {
    const { sandbox, events } = await running({ ratePerSecond: 100 })
    sandbox.tick(20_000)
    events.length = 0
    sandbox.tick(60_000)
    const first = events.filter(({ tenant }) => tenant === sandbox.tenants[0]!.name).map(({ event }) => event)
    expect(first.length / 60).toBeGreaterThan(95)
    expect(first.length / 60).toBeLessThan(105)
    const codes = new Set(first.filter((event) => event.status === 'failed').map((event) => event.error_code))
    expect([...codes].sort()).toEqual([1, 2, 3, 4])
    for (const event of first)
      if (event.event === 'dlr' && event.status !== 'failed') expect(event.error_code).toBeNull()
    expect(new Set(first.map((event) => event.status ?? event.event))).toEqual(
      new Set(['submitted', 'delivered', 'failed', 'expired', 'mo']),
    )
    expect(first.some((event) => /^stop$/i.test(String(event.content)))).toBe(true)
  })

  test('reports of a message come in order and end once', async () => {
    const { sandbox, events } = await running({ ratePerSecond: 100 })
    sandbox.tick(60_000)
    const byMessage = new Map<unknown, unknown[]>()
    for (const { event } of events)
      if (event.event === 'dlr')
        byMessage.set(event.message_id, [...(byMessage.get(event.message_id) ?? []), event.status])
    expect(byMessage.size).toBeGreaterThan(1_000)
    for (const statuses of byMessage.values())
      expect([
        ['submitted'],
        ['failed'],
        ['submitted', 'delivered'],
        ['submitted', 'failed'],
        ['submitted', 'expired'],
      ]).toContainEqual(statuses)
  })

  test('keeps every campaign’s counters true to its messages, also across pauses', async () => {
    const { sandbox, raw, campaigns, pause } = await running({ ratePerSecond: 5 })
    for (const ms of [0, 5_000, 250, 60_000, 1_800_000]) {
      sandbox.tick(ms)
      expectTrueCounters(sandbox, sandbox.tenants[0]!.name)
      const { data } = await campaigns()
      if (data.length > 1) await pause(data[0].id)
      expectTrueCounters(sandbox, sandbox.tenants[0]!.name)
    }
    expectTrueCounters(sandbox, 'Larkspur Clinic')
    expect((await raw.get('/campaigns?status=completed')).body.total).toBeGreaterThan(3)
  })

  test('runs for hours within its memory', async () => {
    const { sandbox, raw, campaigns } = await running({ ratePerSecond: 5, messagesCap: 1_000 })
    sandbox.tick(2 * 3_600_000)
    const { total } = (await raw.get('/messages')).body
    expect(total).toBeGreaterThan(900)
    expect(total).toBeLessThan(1_200)
    expect((await campaigns()).total).toBeGreaterThanOrEqual(2)
    expect((await raw.get('/dashboard')).body.balance).toBeGreaterThan(0)
    expect((await raw.get('/scheduled-messages')).body.total).toBeLessThanOrEqual(400)
  })

  test('sends a scheduled message when due', async () => {
    const { clock, sandbox, events } = await running({ traffic: false })
    const { scheduled, messages } = sandbox.tenant()
    const due = scheduled()
      .filter(({ status }) => status === 'pending')
      .sort((a, b) => (a.scheduled_at < b.scheduled_at ? -1 : 1))[0]!
    await clock.advance(Date.parse(due.scheduled_at) - clock.now() + 20_000)
    expect(scheduled().find(({ id }) => id === due.id)!.status).toBe('sent')
    const message = messages().at(-1)!
    expect(message).toMatchObject({ from: due.from_number, to: due.to_number, body: due.body })
    expect(finals).toContain(message.status)
    expect(events.map(({ event }) => event.message_id)).toContain(message.id)
  })
})

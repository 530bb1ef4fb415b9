import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventRow } from '#contract/live/events.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

/** The console's event of this message, once stored. */
async function eventOf({ rpc }: RunningCore, messageId: string): Promise<EventRow> {
  const found = async () =>
    (await rpc.events.search({ filter: { text: messageId }, limit: 10 })).items.find(
      (event) => event.messageId === messageId,
    )
  await expect.poll(found).toBeDefined()
  return (await found())!
}

describe('signed deliveries', () => {
  let running: RunningCore
  beforeAll(async () => {
    running = await startCore({})
    await running.rpc.connections.openSandbox()
    expect((await running.rpc.webhooks.list()).subscriptions).toHaveLength(1)
  })
  afterAll(() => running.stop())
  let senders = 0

  test.each(['byte-order-mark', 'odd-target', 'no-text'])('of a service with %s count', async (fault) => {
    const { rpc, sandbox } = running
    const startedMs = Date.now()
    const source = `+1202555010${senders++}`
    sandbox.setFault(fault)
    const reports = (['failed', 'delivered', 'submitted'] as const).map((status) =>
      sandbox.emitDlr({
        status,
        messageId: `${fault}-${status}`,
        ...(status === 'failed' && { errorCode: 2 }),
      }),
    )
    const inbound = sandbox.emitMo({ content: 'Hello', source })
    for (const { message_id, status } of reports) {
      const event = await eventOf(running, message_id)
      expect(event).toMatchObject({
        kind: 'dlr',
        status,
        verdict: 'signed',
        errorCode: status === 'failed' ? 2 : null,
      })
      // The same instant as sent, give or take the whole seconds.
      expect(Math.abs(Date.parse(event.serviceTime!) - startedMs)).toBeLessThan(60_000)
    }
    expect(await eventOf(running, inbound.message_id)).toMatchObject({
      kind: 'mo',
      number: source,
      content: fault === 'no-text' ? '' : 'Hello',
    })
    await expect
      .poll(async () => (await rpc.inbox.list({})).items.map(({ phone }) => phone))
      .toContain(source)
    const { items } = await rpc.events.search({ filter: { kinds: ['quarantined'] }, limit: 1 })
    expect(items).toEqual([])
  })
})

test('knows the statuses of a service that writes them in capitals, and pauses all', async () => {
  const { rpc, sandbox } = await startInSandbox()
  const right = (await rpc.campaigns.list({})).items.map(({ id, status }) => [id, status])
  sandbox.setFault('capital-status')
  expect((await rpc.campaigns.list({})).items.map(({ id, status }) => [id, status])).toEqual(right)
  expect(right.map(([, status]) => status)).toContain('running')
  await rpc.campaigns.pauseAll({
    ids: right.flatMap(([id, status]) => (status === 'running' ? [id!] : [])),
  })
  await expect
    .poll(
      () =>
        sandbox
          .tenant()
          .campaigns()
          .filter(({ status }) => status === 'running').length,
    )
    .toBe(0)
})

test.each(['page-cap', 'unreadable-record', 'year-one'])(
  'syncs the whole DNC list of a service with %s',
  async (fault) => {
    const { rpc, sandbox } = await startInSandbox({ sandbox: { dncCount: 237 } })
    sandbox.setFault(fault)
    await rpc.dnc.sync()
    await expect
      .poll(async () => (await rpc.dnc.list({ which: 'all' })).cache, { timeout: 20_000 })
      .toMatchObject({ sync: null, state: 'fresh', entries: 237 })
    const { items } = await rpc.dnc.list({ which: 'all', limit: 5 })
    for (const { createdAt, phone } of items) {
      if (phone === null) continue
      if (fault === 'year-one') expect(createdAt).toBeNull()
      else expect(createdAt).toMatch(/^20/)
    }
  },
)

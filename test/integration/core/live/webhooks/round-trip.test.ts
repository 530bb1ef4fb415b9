import { expect, test } from 'vitest'
import type { RoundTrip } from '#contract/live/webhooks.ts'
import { createRoundTrip } from '#electron/core/live/webhooks/round-trip.ts'
import { type Clock, systemClock } from '#electron/lib/clock.ts'
import type { JournalRow } from '#electron/listener/journal.ts'
import { createFastClock } from '../../../../helpers/fast-clock.ts'
import { toListener } from '../../../../helpers/subscribe-orders.ts'
import { startInSandbox } from '../../../../helpers/test-core.ts'

/** The sandbox with a subscribed console. Waits that expect nothing take a sixteenth of their time. */
async function start(clock: Clock = createFastClock(16)) {
  const running = await startInSandbox({ clock })
  const { subscriptions } = await running.rpc.webhooks.list()
  return { ...running, id: subscriptions[0]!.id }
}

const hop = ({ hops }: RoundTrip, name: RoundTrip['hops'][number]['name']) =>
  hops.find((one) => one.name === name)!

test('follows a test event over every hop and measures it', async () => {
  const { rpc, id } = await start(systemClock)
  for (const family of ['dlr', 'mo'] as const) {
    const trip = await rpc.webhooks.roundTrip({ id, family })
    expect(trip.hops.map(({ state }) => state)).toEqual(Array(7).fill('ok'))
    expect(trip).toMatchObject({ verdict: 'passed', family, maybeOrdinary: false })
    expect(trip.tookMs).toBeGreaterThan(0)
    await expect
      .poll(async () => (await rpc.events.search({ filter: { kinds: [family] }, limit: 10 })).items[0]?.seq)
      .toBe(trip.seq)
  }
})

test('tells a service that sends nothing from one that is unreachable', async () => {
  const { rpc, sandbox, id } = await start()
  sandbox.setFault('webhook-stops')
  const silent = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  expect(silent).toMatchObject({ verdict: 'failed', tookMs: null, seq: null })
  expect(hop(silent, 'service').state).toBe('ok')
  expect(hop(silent, 'network')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.lateOrFirewall' },
  })
  expect(hop(silent, 'parser').state).toBe('not-reached')

  sandbox.setFault('forbidden', { path: `/webhooks/${id}/test` })
  const refused = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  expect(hop(refused, 'service')).toMatchObject({
    state: 'failed',
    text: { key: 'error.FORBIDDEN' },
  })
  expect(hop(refused, 'network').state).toBe('not-reached')
})

test('names a missing or wrong signature and its likely cause', async () => {
  const { rpc, sandbox, id } = await start()
  sandbox.setFault('webhook-bad-signature')
  const wrong = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  expect(hop(wrong, 'network').state).toBe('ok')
  expect(hop(wrong, 'signature')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.mismatch' },
  })
  sandbox.setFault('webhook-unsigned')
  const missing = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  expect(hop(missing, 'signature')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.notSigned' },
  })
})

test('fails at the parser for an unreadable body, which is stored', async () => {
  const { rpc, sandbox, id } = await start()
  sandbox.setFault('webhook-odd-body')
  const trip = await rpc.webhooks.roundTrip({ id, family: 'dlr' })
  expect(hop(trip, 'storage').state).toBe('ok')
  expect(hop(trip, 'parser')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.quarantined' },
  })
  expect(trip).toMatchObject({ verdict: 'failed' })
  expect(trip.seq).not.toBeNull()
})

test('names a subscription whose path is not the listener’s', async () => {
  const { rpc } = await start()
  const { url } = (await rpc.listener.get()).status
  const { subscription } = await rpc.webhooks.subscribe(toListener(`${url}/elsewhere`))
  const trip = await rpc.webhooks.roundTrip({ id: subscription!.id, family: 'dlr' })
  expect(hop(trip, 'network')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.rejected', request: expect.stringMatching(/POST \/webhooks\/elsewhere/) as string },
  })
})

test('fails with its own error when the subscription is gone', async () => {
  const { rpc } = await start()
  await expect(
    rpc.webhooks.roundTrip({ id: '00000000-0000-4000-8000-000000000000', family: 'dlr' }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

/** Follows a test event over a journal of this test. `onTest` runs when the service is asked to send it. */
function followOver(
  stored: JournalRow[],
  onTest: () => void,
  onRead = () => {},
  messageId: string | null = null,
) {
  const follow = createRoundTrip({
    client: {
      webhooks: {
        test: () => {
          onTest()
          return Promise.resolve({ message: null, messageId })
        },
      },
    } as never,
    listener: {
      status: () => ({ state: 'listening', url: 'http://127.0.0.1:1/' }),
      isRelay: () => false,
      refusals: () => Promise.resolve({ refusals: [] }),
    } as never,
    journal: {
      lastSeq: () => stored.length,
      readAfter(seq, limit) {
        const rows = stored.filter((row) => row.seq > seq).slice(0, limit)
        onRead()
        return rows
      },
    },
    fieldNames: () =>
      ({
        webhookTestEvents: { value: { dlr: 'dlr', mo: 'mo' } },
        webhookActiveStatuses: { value: ['active'] },
      }) as never,
    clock: createFastClock(16),
  })
  const subscription = { id: 'w', status: null, families: ['dlr'], events: ['dlr'], url: '' } as never
  return follow(subscription, { family: 'dlr', hasSecret: true, secretIds: ['s-1'] })
}

function deliver(stored: JournalRow[]): void {
  stored.push({
    seq: stored.length + 1,
    receivedMs: 0,
    verdict: 'signed',
    secretId: 's-1',
    remote: '127.0.0.1',
    headersJson: '[]',
    body: Buffer.from(
      JSON.stringify({ event: 'dlr', message_id: `m-${stored.length}`, status: 'delivered' }),
    ),
  })
}

test('says that an event may be an ordinary one unless it has the ID that the service named', async () => {
  for (const [messageId, ids, seq, maybeOrdinary] of [
    ['m-1', ['m-0', 'm-1'], 2, false],
    ['m-1', ['m-0'], 1, true],
    [null, ['m-0'], 1, true],
    [null, ['m-0', 'm-1'], 1, true],
  ] as const) {
    const stored: JournalRow[] = []
    const trip = await followOver(stored, () => ids.forEach(() => deliver(stored)), undefined, messageId)
    expect(trip).toMatchObject({ verdict: 'passed', seq, maybeOrdinary })
  }
})

test('finds an event that is stored just after a check', async () => {
  const stored: JournalRow[] = []
  let isSent = false
  const onRead = () => {
    if (isSent && stored.length === 0) deliver(stored)
  }
  expect(await followOver(stored, () => (isSent = true), onRead)).toMatchObject({ verdict: 'passed' })
})

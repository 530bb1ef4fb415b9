import { expect, test } from 'vitest'
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
  const { id } = subscriptions[0]!
  const trip = (family: 'dlr' | 'mo', subscriptionId = id) =>
    running.rpc.webhooks.roundTrip({ id: subscriptionId, family })
  return { ...running, id, trip }
}

test('follows a test event over every hop and measures it', async () => {
  const { rpc, trip } = await start(systemClock)
  for (const family of ['dlr', 'mo'] as const) {
    const passed = await trip(family)
    expect(passed.hops.map(({ state }) => state)).toEqual(Array(7).fill('ok'))
    expect(passed).toMatchObject({ verdict: 'passed', family, maybeOrdinary: false })
    expect(passed.tookMs).toBeGreaterThan(0)
    await expect
      .poll(async () => (await rpc.events.search({ filter: { kinds: [family] }, limit: 10 })).items[0]?.seq)
      .toBe(passed.seq)
  }
})

const ok = { state: 'ok' }
const notReached = { state: 'not-reached' }
const failed = (key: string) => ({ state: 'failed', text: { key } })

test.each([
  ['webhook-stops', { service: ok, network: failed('trip.lateOrFirewall'), parser: notReached }],
  ['webhook-bad-signature', { network: ok, signature: failed('trip.mismatch') }],
  ['webhook-unsigned', { network: ok, signature: failed('trip.notSigned') }],
  // Unreadable, but stored.
  ['webhook-odd-body', { storage: ok, parser: failed('trip.quarantined') }],
  ['forbidden', { service: failed('error.FORBIDDEN'), network: notReached }],
] as const)('names the hop at which a test event fails, and why: %s', async (fault, expected) => {
  const { sandbox, id, trip } = await start()
  sandbox.setFault(fault, fault === 'forbidden' ? { path: `/webhooks/${id}/test` } : {})
  const { verdict, hops } = await trip('dlr')
  expect(verdict).toBe('failed')
  expect(Object.fromEntries(hops.map((hop) => [hop.name, hop]))).toMatchObject(expected)
})

test('names a subscription whose path is not the listener’s, and one that is gone', async () => {
  const { rpc, trip } = await start()
  const { url } = (await rpc.listener.get()).status
  const { subscription } = await rpc.webhooks.subscribe(toListener(`${url}/elsewhere`))
  const { hops } = await trip('dlr', subscription!.id)
  expect(hops.find(({ name }) => name === 'network')).toMatchObject({
    state: 'failed',
    text: { key: 'trip.rejected', request: expect.stringMatching(/POST \/webhooks\/elsewhere/) as string },
  })
  await expect(trip('dlr', '00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

/** Follows a test event over a journal of this test. `onTest` runs when the service is asked to send it. */
function followOver(
  stored: JournalRow[],
  onTest: () => void,
  onRead = () => {},
  messageId: string | null = null,
  refusals: { at: string; reason: string }[] = [],
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
      refusals: () => Promise.resolve({ refusals }),
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

function deliver(stored: JournalRow[], secretId: string | null = 's-1'): void {
  stored.push({
    seq: stored.length + 1,
    receivedMs: 0,
    verdict: 'signed',
    secretId,
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

test('takes neither the event of another subscription nor an earlier rejection for its own', async () => {
  const stored: JournalRow[] = []
  const onTest = () => ['s-2', null, 's-1'].forEach((secretId) => deliver(stored, secretId))
  expect(await followOver(stored, onTest)).toMatchObject({ verdict: 'passed', seq: 3 })
  const early = { at: '2020-01-01T00:00:00.000Z', reason: 'signature-missing' }
  const { hops } = await followOver([], () => {}, undefined, null, [early])
  expect(hops.find(({ name }) => name === 'network')).toMatchObject(failed('trip.elsewhere'))
})

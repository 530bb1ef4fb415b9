import { expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import type { AnswersRepository, KeptAnswer } from '#electron/core/platform/answers/answers.repository.ts'
import { createLiveOrLast } from '#electron/core/platform/answers/live-or-last.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { createWebhooksService } from '#electron/core/live/webhooks/webhooks.service.ts'
import { createNetworkWatch } from '#electron/core/service/client/network-watch.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { quietLog } from '../../../../helpers/quiet-log.ts'

/** A service that answers each reading on command and records its lane. */
function start() {
  const clock = createFakeClock()
  const kept = new Map<string, KeptAnswer>()
  const answers: AnswersRepository = {
    get: (key) => kept.get(key),
    put: (key, bodyJson, asOfMs) => void kept.set(key, { bodyJson, asOfMs }),
  }
  const asked: {
    lane: string
    /** As if it had waited for the rate limit until now. */
    sendNow: (() => void) | undefined
    answer: (...ids: string[]) => void
    fail: (error: AppError) => void
  }[] = []
  const empty = { url: null, events: [], status: null, createdAt: null, hasSecret: true }
  const toAnswer = (ids: string[]) => ({
    items: ids.map((id) => ({ subscription: { id, ...empty }, secret: null })),
    total: ids.length,
  })
  const network = createNetworkWatch(clock, () => {})
  const webhooks = createWebhooksService({
    network,
    client: {
      webhooks: {
        create: () => Promise.resolve({}),
        // All subscriptions are on the first page.
        list({ page }: { page: number }, { lane, onSend }: { lane: string; onSend?: () => void }) {
          onSend?.()
          if (page > 1) return Promise.resolve(toAnswer([]))
          return new Promise((resolve, fail) =>
            asked.push({ lane, sendNow: onSend, answer: (...ids) => resolve(toAnswer(ids)), fail }),
          )
        },
      },
    } as never,
    listener: {
      deliveriesSignedWith: () => ({ count: 0, lastMs: null, sinceMs: null }),
      secretIdsLabelled: () => [],
      isAt: () => false,
      view: () => ({ secrets: [] }),
      status: () => ({ silence: null }),
      lastVerifiedMs: () => -Infinity,
      // What waits looks again.
      changed: () => void webhooks.inbound(),
    } as never,
    journal: {} as never,
    fieldNames: () => defaultFieldNames,
    answers: { repository: answers, liveOrLast: createLiveOrLast(answers, clock, quietLog) },
    clock,
    log: quietLog,
  })
  const read = async (background: boolean) => {
    const { subscriptions, freshness } = await webhooks.list({ background })
    return { ids: subscriptions.map(({ id }) => id), source: freshness.source }
  }
  network.onReached(webhooks.readAgain)
  return { clock, asked, read, network, webhooks, inbound: webhooks.inbound }
}

it('sends a background refresh after everyone else’s requests', async () => {
  const { clock, asked, read } = start()
  const first = read(false)
  asked[0]!.answer('a')
  await first
  const background = read(true)
  await clock.advance(30_000)
  asked[1]!.answer('a', 'b')
  expect(await background).toEqual({ ids: ['a', 'b'], source: 'live' })
  expect(asked.map(({ lane }) => lane)).toEqual(['operator', 'live'])
})

it('does not make a person wait for a background refresh, of this or another window, in any order', async () => {
  const { asked, read } = start()
  const first = read(true)
  const mine = read(false)
  asked[1]!.answer('a')
  await mine
  const second = read(true)
  asked[0]!.answer('a')
  await first
  const again = read(false)
  expect(asked.map(({ lane }) => lane)).toEqual(['live', 'operator', 'live', 'operator'])
  for (const { answer } of asked) answer('b')
  expect(await Promise.all([second, again])).toMatchObject([{ ids: ['b'] }, { ids: ['b'] }])
})

it('sends one request when a background refresh joins a person’s', async () => {
  const { asked, read } = start()
  const all = [read(false), read(true), read(false)]
  for (const { answer } of asked) answer('a')
  await Promise.all(all)
  expect(asked.map(({ lane }) => lane)).toEqual(['operator'])
})

it('lets messages wait for a list, not while it is refused, and for a second one that shows no subscription', async () => {
  const { clock, asked, read, inbound } = start()
  const next = async () => {
    await clock.advance(3_000)
    return inbound()
  }
  expect(inbound()).toBe('unread')
  await clock.advance(1)
  asked[0]!.fail(new AppError('SERVICE_UNREACHABLE'))
  expect(await next()).toBe('unread')
  asked[1]!.fail(new AppError('FORBIDDEN'))
  expect(await next()).toBe(null)
  const reading = read(false)
  asked[2]!.answer('a')
  await reading
  expect(inbound()).toBe('unconfirmed')
  const other = start()
  other.inbound()
  await other.clock.advance(1)
  other.asked[0]!.answer('a')
  await other.clock.advance(3_000)
  expect(other.inbound()).toBe('unconfirmed')
  other.asked[1]!.answer('a')
  await other.clock.advance(3_000)
  expect(other.inbound()).toBe('none')
})

it.each(['SERVICE_FAILED', 'SERVICE_TIMEOUT', 'SERVICE_UNREACHABLE'] as const)(
  'lets messages wait while the list alone fails with %s, and says so',
  async (code) => {
    const { clock, asked, inbound, network } = start()
    for (let at = 0; at < 3; at++) {
      expect(inbound()).toBe('unread')
      await clock.advance(3_000)
      asked.at(-1)!.fail(new AppError(code, {}, { acted: 'maybe' }))
      await clock.advance(1)
    }
    // All requests may fail.
    expect(inbound()).toBe('unread')
    network.answered()
    expect(inbound()).toBe('failing')
    await clock.advance(60_000)
    asked.at(-1)!.answer('a')
    await clock.advance(0)
    expect(inbound()).toBe('unconfirmed')
  },
)

it('lets messages wait during an outage, and after it or a new sign-in until the list was read again', async () => {
  const { clock, asked, read, network, webhooks, inbound } = start()
  const listed = async () => {
    const reading = read(false)
    asked.at(-1)!.answer('a')
    await reading
  }
  await listed()
  await listed()
  expect(inbound()).toBe('none')
  await clock.advance(1)
  network.failed(new AppError('SERVICE_UNREACHABLE'))
  network.failed(new AppError('SERVICE_UNREACHABLE'))
  expect(inbound()).toBe('unread')
  network.answered()
  expect(inbound()).toBe('unread')
  await clock.advance(1)
  expect(asked).toHaveLength(3)
  asked[2]!.answer('a')
  await clock.advance(0)
  expect(inbound()).toBe('none')

  // A refusal ends the wait, until the next sign-in.
  await clock.advance(1)
  webhooks.readAgain()
  await clock.advance(1)
  asked[3]!.fail(new AppError('FORBIDDEN'))
  await clock.advance(0)
  expect(inbound()).toBe('none')
  webhooks.readAgain()
  expect(inbound()).toBe('unread')
  await clock.advance(1)
  expect(asked).toHaveLength(5)

  // What a read of the time before finds changes nothing, nor does it delay the next.
  await clock.advance(1)
  webhooks.readAgain()
  await clock.advance(1)
  expect(asked).toHaveLength(6)
  asked[4]!.fail(new AppError('FORBIDDEN'))
  await clock.advance(0)
  expect(inbound()).toBe('unread')

  webhooks.stop()
  asked[5]!.fail(new AppError('SERVICE_UNREACHABLE'))
  await clock.advance(60_000)
  expect(inbound()).toBe('unread')
  await clock.advance(60_000)
  expect(asked).toHaveLength(6)
})

it('shows the list that was sent last, not the one that waited least for the rate limit', async () => {
  const { asked, clock, read } = start()
  const waiting = read(true)
  await clock.advance(1)
  const first = read(false)
  asked[1]!.answer('a')
  await first
  await clock.advance(1)
  asked[0]!.sendNow!()
  asked[0]!.answer('a', 'b')
  expect(await waiting).toEqual({ ids: ['a', 'b'], source: 'live' })
})

it('shows a subscription made meanwhile, however slow a reading from before it is', async () => {
  const { asked, clock, read, webhooks } = start()
  const slow = read(false)
  await clock.advance(1)
  const order = { url: 'https://crm.example.com', receiver: 'elsewhere' } as const
  const made = webhooks.subscribe({ ...order, events: ['mo'], secret: { kind: 'none' }, evenIfFits: false })
  const readings = [['a'], ['a', 'b']]
  for (const [at, ids] of readings.entries()) {
    await expect.poll(() => asked.length).toBe(at + 2)
    asked[at + 1]!.answer(...ids)
  }
  await made
  const shared = read(true)
  asked[0]!.answer('a')
  for (const reading of [slow, shared]) expect((await reading).ids).toEqual(['a', 'b'])
})

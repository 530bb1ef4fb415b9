import { createRouterClient, implement } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { AppError } from '#contract/errors.ts'
import { eventsContract } from '#contract/live/events.ts'
import { type EventsFeature, eventsHandlers } from '#electron/core/live/events/events.feature.ts'
import type { EventsService } from '#electron/core/live/events/events.service.ts'
import { dlr, type EventsFixture, openEventsFixture } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => {
  fixture = openEventsFixture()
})
afterEach(() => fixture.close())

/** The feature's handlers inside a larger router and context, as in the app. */
function connect(events: () => EventsService) {
  const router = implement({ events: eventsContract })
    .$context<{ events: EventsFeature; other: string }>()
    .router({ events: eventsHandlers })
  const context = {
    get events() {
      return events() as EventsFeature
    },
    other: 'x',
  }
  return createRouterClient(router, { context }).events
}

it('answers every call of the contract with its schema', async () => {
  const client = connect(() => fixture.feature().service)
  await fixture.deliver([dlr('a', 'failed', { error_code: 1 }), 'odd'])
  const page = await client.search({ filter: {} })
  expect(page.items).toHaveLength(2)
  expect((await client.get({ seq: 1 })).event.errorCode).toBe(1)
  expect((await client.gaps({})).gaps).toEqual([])
  const to = new Date(fixture.clock.now() + 1_000).toISOString()
  const from = new Date(fixture.clock.now() - 1_000).toISOString()
  expect((await client.series({ from, to, bucketMs: 1_000 })).lines).toHaveLength(6)
})

it('streams until the caller aborts', async () => {
  const client = connect(() => fixture.feature().service)
  const abort = new AbortController()
  const stream = await client.watch({ filter: {}, afterSeq: 0 }, { signal: abort.signal })
  expect((await stream.next()).value).toMatchObject({ items: [], upToSeq: 0 })
  await fixture.deliver([dlr('a', 'submitted')])
  const next = stream.next()
  await fixture.clock.advance(100)
  expect((await next).value).toMatchObject({
    items: [{ seq: 1, messageId: 'a' }],
    upToSeq: 1,
    storedTotal: 1,
  })
  abort.abort()
  expect((await stream.next()).done).toBe(true)
  expect(fixture.clock.pending()).toBe(0)
})

it('reports a missing connection', async () => {
  const client = connect(() => {
    throw new AppError('NO_CONNECTION')
  })
  await expect(client.search({ filter: {} })).rejects.toMatchObject({ code: 'NO_CONNECTION' })
  const watching = async () => (await client.watch({ filter: {}, afterSeq: 0 })).next()
  await expect(watching()).rejects.toMatchObject({ code: 'NO_CONNECTION' })
})

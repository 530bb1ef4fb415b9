import { englishText } from '#electron/contract/phrases.ts'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { EventFilter, EventRow } from '#contract/live/events.ts'
import {
  type Body,
  dlr,
  type EventsFixture,
  mo,
  openEventsFixture,
  recordWatch,
  searchAll,
} from './events-fixture.ts'
import { oddBodies } from './odd-bodies.ts'

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const seqs = (rows: EventRow[]) => rows.map((row) => row.seq)

/** The filter's meaning without SQL. */
function passes(row: EventRow, filter: EventFilter): boolean {
  const among = <T>(list: T[] | undefined, value: T | null) =>
    !list?.length || (value !== null && list.includes(value))
  const number = filter.number ?? ''
  const digits = number.replace(/\D/g, '').replace(/^0+/, '')
  const isStart = /^\+|^00/.test(number)
  const fits = (of: string | null) =>
    isStart ? digitsOf(of).startsWith(digits) : digitsOf(of).includes(digits)
  const has = (text: string | null, part: string) => (text ?? '').toLowerCase().includes(part.toLowerCase())
  const digitsOf = (text: string | null) => (text ?? '').replace(/\D/g, '')
  return (
    among(filter.kinds, row.kind) &&
    among(filter.statuses, row.status) &&
    among(filter.errorCodes, row.errorCode) &&
    (number === '' || (digits !== '' && (fits(row.number) || fits(row.ownNumber)))) &&
    (!filter.text || has(row.messageId, filter.text) || has(row.content, filter.text)) &&
    (!filter.from || row.receivedAt >= filter.from) &&
    (!filter.to || row.receivedAt < filter.to)
  )
}

const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        id: fc.integer({ min: 0, max: 30 }),
        status: fc.constantFrom('submitted', 'delivered', 'failed', 'expired', 'Buffered'),
        error_code: fc.constantFrom(null, 1, 2, 4, 99),
        destination: fc.constantFrom('+1 (555) 000-1111', '+49170123', null),
      })
      .map(({ id, status, ...more }) => dlr(`Msg-${id}`, status, more)),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        id: fc.integer({ min: 0, max: 30 }),
        content: fc.constantFrom('STOP', 'Grüße aus KÖLN', 'hello_100%', 'grüße', 'a\0hello', ''),
        source: fc.constantFrom('+15550001111', '+4917099'),
      })
      .map(({ id, content, source }) => mo(`msg-${id}`, content, { source })),
  },
  { weight: 1, arbitrary: fc.constantFrom('nope', '{"event":"x","message_id":"Msg-7"}', '[]') },
)

/** Seconds until the next delivery; mostly none, so that several are projected together. */
const pause = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
)

const startMs = Date.UTC(2026, 0, 5, 9)
const time = fc
  .integer({ min: -60, max: 400 })
  .map((seconds) => new Date(startMs + seconds * 1_000).toISOString())
const members: { [Name in keyof EventFilter]-?: fc.Arbitrary<NonNullable<EventFilter[Name]>> } = {
  kinds: fc.subarray(['dlr', 'mo', 'quarantined'] as const).map((kinds) => [...kinds]),
  statuses: fc.subarray(['submitted', 'failed', 'Buffered', 'no-such']),
  errorCodes: fc.subarray([1, 4, 99]),
  region: fc.constantFrom('US', 'DE', '??'),
  number: fc.constantFrom(
    ...['', '555', '+49 170', '0049170', '0170', '(555) 000–11', '01111', 'abc', '+555', '9999'],
  ),
  text: fc.constantFrom(
    ...['', 'msg-1', 'MSG', 'stop', 'GRÜSSE', 'grüße', 'köln', '_100%', 'hello', "'; DROP TABLE events"],
  ),
  from: time,
  to: time,
}

/** Mostly one or two conditions: with more nothing would match. */
const filters: fc.Arbitrary<EventFilter> = fc
  .subarray(Object.keys(members) as (keyof EventFilter)[], { maxLength: 3 })
  .chain((names): fc.Arbitrary<EventFilter> =>
    fc.record(Object.fromEntries(names.map((name) => [name, members[name] as fc.Arbitrary<never>]))),
  )

describe('the time limit', () => {
  it('ends a search early, which answers its matches and resumes on the next page', async () => {
    await fixture.deliver([mo('first', 'zebra')])
    await fixture.deliver(Array.from({ length: 25_000 }, (_, n) => dlr(`m-${n}`, 'delivered')))
    await fixture.deliver([mo('last', 'zebra')])
    const { service } = fixture.feature()
    const filter = { text: 'zebra' }
    const found: (string | null)[][] = []
    const totals: (number | null)[] = []
    for (let cursor: number | undefined; ;) {
      const page = await service.search({ filter, limit: 10, cursor, patienceMs: 0 })
      found.push(page.items.map(({ messageId }) => messageId))
      totals.push(page.matchingTotal)
      expect(page.searchedBackTo === undefined).toBe(page.nextCursor === null)
      if (page.nextCursor === null) break
      cursor = page.nextCursor
    }
    expect(found).toEqual([['last'], [], ['first']])
    // Each page counts only new events.
    expect(totals).toEqual([null, null, 2])
    // Without a limit the answer is complete.
    expect(await service.search({ filter, limit: 1 })).toMatchObject({ matchingTotal: 2, nextCursor: 25_002 })
  })

  it('ends the count of a watch too: arrivals stream, the count follows', async () => {
    await fixture.deliver(Array.from({ length: 25_000 }, (_, n) => dlr(`m-${n}`, 'delivered')))
    let nowMs = 0
    Object.assign(fixture.clock, { monotonic: () => (nowMs += 50) })
    const watch = recordWatch(fixture, { text: 'm-2499' }, 0)
    await watch.until(25_000)
    while (watch.batches.at(-1)?.matchingTotal === null) await fixture.clock.advance(100)
    await watch.stop()
    expect(watch.batches[0]!.matchingTotal).toBeNull()
    expect(watch.batches.at(-1)!.matchingTotal).toBe(11)
    expect(watch.items()).toHaveLength(11)
  })
})

describe('a filter', () => {
  it('matches the same events in history and among arrivals', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(body, pause), { minLength: 10, maxLength: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.array(filters, { minLength: 12, maxLength: 12 }),
        async (deliveries, splitAt, eachFilter) => {
          const own = openEventsFixture()
          const deliverAll = async (part: typeof deliveries) => {
            let together: Body[] = []
            for (const [each, seconds] of part) {
              together.push(each)
              if (seconds === 0) continue
              await own.deliver(together)
              together = []
              await own.clock.advance(seconds * 1_000)
            }
            if (together.length > 0) await own.deliver(together)
          }
          try {
            await deliverAll(deliveries.slice(0, splitAt))
            const open = []
            for (const filter of eachFilter) {
              const history = await searchAll(own, filter, 7)
              const { upToSeq } = await own.feature().service.search({ filter, limit: 1 })
              open.push({ filter, history, watch: recordWatch(own, filter, upToSeq) })
            }
            await deliverAll(deliveries.slice(splitAt))
            await own.clock.advance(200)

            const everything = await searchAll(own)
            for (const { filter, history, watch } of open) {
              await watch.stop()
              const wanted = seqs(everything.filter((row) => passes(row, filter)))
              expect(seqs(await searchAll(own, filter, 7))).toEqual(wanted)
              expect([...seqs(watch.items()).reverse(), ...seqs(history)]).toEqual(wanted)
              const totals = { matchingTotal: wanted.length, storedTotal: everything.length }
              expect(watch.batches.at(-1)).toMatchObject(totals)
              expect(await own.feature().service.search({ filter, limit: 1 })).toMatchObject(totals)
            }
          } finally {
            await own.close()
          }
        },
      ),
      { numRuns: 20 },
    )
  }, 60_000)

  it('with an unreadable time is refused', async () => {
    const search = fixture.service.search({ filter: { from: 'yesterday' }, limit: 10 })
    await expect(search).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })
})

describe('a page', () => {
  it('continues after the previous one while newer events arrive, and says when it is the last', async () => {
    const bodies = (from: number, to: number) =>
      Array.from({ length: to - from }, (_item, index) => dlr(`m-${from + index}`, 'submitted'))
    await fixture.deliver(bodies(0, 300))
    const page = (cursor?: number) => fixture.service.search({ filter: {}, limit: 100, cursor })
    const first = await page()
    await fixture.deliver(bodies(300, 350))
    const second = await page(first.nextCursor!)
    const third = await page(second.nextCursor!)
    expect(seqs([...first.items, ...second.items, ...third.items])).toEqual(
      Array.from({ length: 300 }, (_item, index) => 300 - index),
    )
    expect(third.nextCursor).toBeNull()
    expect([first.matchingTotal, second.matchingTotal]).toEqual([300, 350])
  })

  it('marks NUL in a text and cuts a long one, which the detail shows whole', async () => {
    await fixture.deliver([mo('m', 'a\0b'), mo('m', 'x'.repeat(20_000))])
    const [long, odd] = await searchAll(fixture)
    expect(odd!.content).toBe('a\u2400b')
    expect(seqs(await searchAll(fixture, { text: 'b' }))).toEqual([1])
    expect(fixture.service.get({ seq: 1 }).rawBody).toContain('a\\u0000b')
    expect(long!.content).toHaveLength(2_000)
    expect(fixture.service.get({ seq: 2 }).event.content).toHaveLength(20_000)
  })
})

it('odd deliveries are all stored and shown with reason and raw body', async () => {
  await fixture.deliver(oddBodies.map(([, body]) => body))
  const rows = (await searchAll(fixture, { kinds: ['quarantined'] })).reverse()
  expect(rows).toHaveLength(oddBodies.length)
  for (const [index, [name, bytes, reason]] of oddBodies.entries()) {
    expect(englishText(rows[index]!.quarantineReason!), name).toMatch(reason)
    const { rawBody } = fixture.service.get({ seq: rows[index]!.seq })
    expect(rawBody, name).toBe(Buffer.from(bytes).subarray(0, 65_536).toString('utf8'))
  }
})

it('the detail shows headers and the message’s timeline, and names an unknown event', async () => {
  await fixture.deliver([
    dlr('m', 'submitted'),
    dlr('other', 'submitted'),
    dlr('m', 'failed', { error_code: 3 }),
    { event: 'message.opened', message_id: 'm' },
  ])
  const { headers, timeline, messageStatus } = fixture.service.get({ seq: 3 })
  expect(headers).toEqual([['content-type', 'application/json']])
  expect(seqs(timeline)).toEqual([1, 3, 4])
  expect(messageStatus).toBe('failed')
  expect(() => fixture.service.get({ seq: 77 })).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
})

it('a final report says how long after the submitted one it arrived', async () => {
  await fixture.deliver([dlr('m', 'submitted'), dlr('late', 'delivered')])
  await fixture.clock.advance(2_500)
  await fixture.deliver([dlr('m', 'failed'), dlr('late', 'submitted'), mo('m', 'Hi')])
  const rows = await searchAll(fixture)
  expect(rows.reverse().map(({ latencyMs }) => latencyMs)).toEqual([null, null, 2_500, null, null])
})

import { beforeEach, describe, expect, it } from 'vitest'
import { dlr, type EventsFixture, mo, openEventsFixture, recordWatch, searchAll } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const seqs = (rows: readonly { seq: number }[]) => rows.map(({ seq }) => seq)
/** Sequence numbers from..to. */
const through = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_item, at) => from + at)

const reports = (from: number, count: number, status = 'submitted') =>
  Array.from({ length: count }, (_item, index) => dlr(`m-${from + index}`, status))

describe('watching', () => {
  it('neither misses nor repeats events that arrive between search and watch', async () => {
    await fixture.deliver(reports(0, 50))
    const search = fixture.service.search({ filter: {}, limit: 500 })
    fixture.projector.notify(fixture.append(reports(50, 700)))
    const page = await search
    await fixture.clock.advance(1)
    fixture.projector.notify(fixture.append(reports(750, 30)))
    const watch = recordWatch(fixture, {}, page.upToSeq)
    for (let round = 0; round < 20; round++) {
      await fixture.deliver(reports(1_000 + round * 10, 10))
      await fixture.clock.advance(37)
    }
    await fixture.clock.advance(100)
    await watch.until(980)
    await watch.stop()
    expect([...seqs(page.items).reverse(), ...seqs(watch.items())]).toEqual(through(1, 980))
  })

  it('misses nothing that arrives while a search still counts', async () => {
    await fixture.deliver(reports(0, 10_500))
    const filter = { text: 'm-' }
    const search = fixture.service.search({ filter, limit: 500 })
    // The projector runs between two steps of the search.
    await fixture.deliver(reports(20_000, 5))
    const page = await search
    const watch = recordWatch(fixture, filter, page.upToSeq)
    await watch.until(10_505)
    await watch.stop()
    expect(page.items[0]!.seq).toBe(page.upToSeq)
    expect(page.matchingTotal! + watch.items().length).toBe(10_505)
  })

  it('begins with a batch at once, even an empty one, sends a first event at once, then at most one burst in 45 ms', async () => {
    const watch = recordWatch(fixture, {}, 0)
    await fixture.clock.advance(0)
    expect(watch.batches).toEqual([{ items: [], changed: [], upToSeq: 0, storedTotal: 0, matchingTotal: 0 }])
    await fixture.clock.advance(1_000)
    await fixture.deliver(reports(0, 1))
    await fixture.clock.advance(0)
    expect(watch.batches).toHaveLength(2)
    for (let ms = 0; ms < 400; ms += 10) {
      await fixture.deliver(reports(100 + ms, 1))
      await fixture.clock.advance(10)
    }
    await fixture.clock.advance(50)
    await watch.stop()
    expect(watch.batches.length).toBeGreaterThanOrEqual(9)
    expect(watch.batches.length).toBeLessThanOrEqual(11)
    expect(watch.items()).toHaveLength(41)
  })

  it('gives a slow client everything in pages of at most 500', async () => {
    await fixture.deliver([...reports(0, 2_600), ...reports(0, 1_200)])
    const watch = recordWatch(fixture, {}, 10)
    await watch.until(3_800)
    await watch.stop()
    for (const { items, changed } of watch.batches)
      expect(Math.max(items.length, changed.length)).toBeLessThanOrEqual(500)
    expect(seqs(watch.items())).toEqual(through(11, 2_600))
    expect(watch.batches.at(-1)!.upToSeq).toBe(3_800)
    const positions = watch.batches.map((batch) => batch.upToSeq)
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
  })

  it('shows the new count of an older event after a duplicate, if the filter matches', async () => {
    await fixture.deliver([dlr('a', 'delivered'), mo('b', 'hello')])
    const all = recordWatch(fixture, {}, 2)
    const mos = recordWatch(fixture, { kinds: ['mo'] }, 2)
    await fixture.clock.advance(0)
    await fixture.deliver([dlr('a', 'delivered'), dlr('a', 'delivered')])
    await fixture.clock.advance(100)
    await all.stop()
    await mos.stop()
    expect(all.items()).toEqual([])
    expect(all.batches.flatMap((batch) => batch.changed).map((row) => [row.seq, row.copies])).toEqual([
      [1, 3],
    ])
    expect(mos.batches.flatMap((batch) => batch.changed)).toEqual([])
    expect(mos.batches.at(-1)).toMatchObject({ upToSeq: 4, matchingTotal: 1, storedTotal: 2 })
  })

  it('recounts when a signed duplicate replaces an unsigned event', async () => {
    const filter = { errorCodes: [2] }
    await fixture.deliver([dlr('m', 'failed', { error_code: 1 })], { verdict: 'unsigned' })
    expect((await fixture.service.search({ filter, limit: 1 })).matchingTotal).toBe(0)
    await fixture.deliver([dlr('m', 'failed', { error_code: 2 })])
    expect((await fixture.service.search({ filter, limit: 1 })).matchingTotal).toBe(1)
  })

  it('neither repeats nor misses events during a rebuild', async () => {
    await fixture.deliver(reports(0, 1_500))
    const watch = recordWatch(fixture, {}, 0)
    await fixture.clock.advance(100)
    const rebuilt = fixture.projector.rebuild()
    fixture.projector.notify(fixture.append(reports(9_000, 20)))
    await rebuilt
    await fixture.clock.advance(200)
    await watch.until(1_520)
    await watch.stop()
    expect(seqs(watch.items())).toEqual(through(1, 1_520))
  })

  it('shows only new arrivals from a position beyond all deliveries', async () => {
    await fixture.deliver(reports(0, 3))
    const watch = recordWatch(fixture, {}, 9_999)
    await fixture.clock.advance(0)
    await fixture.deliver(reports(10, 2))
    await fixture.clock.advance(100)
    await watch.stop()
    expect(seqs(watch.items())).toEqual([4, 5])
  })

  it('leaves nothing behind when it ends', async () => {
    const watch = recordWatch(fixture, {}, 0)
    await fixture.clock.advance(10)
    await watch.stop()
    await fixture.clock.advance(60_000)
    expect(fixture.clock.pending()).toBe(0)
    expect(await searchAll(fixture)).toEqual([])
  })
})

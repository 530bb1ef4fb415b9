import { beforeEach, describe, expect, it, vi } from 'vitest'
import { compileFilter } from '#electron/core/live/events/event-filter.ts'
import { createEventScan } from '#electron/core/live/events/event-scan.ts'
import {
  createEventsRepository,
  type EventsRepository,
  type FilteredEvents,
} from '#electron/core/live/events/events.repository.ts'
import { seededRandom } from '#electron/lib/random.ts'
import { dlr, type EventsFixture, openEventsFixture, recordWatch } from './events-fixture.ts'

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const hourMs = 3_600_000
const iso = (ms: number) => new Date(ms).toISOString()
const turn = () => new Promise((resolve) => setImmediate(resolve))
const reports = (from: number, count: number) =>
  Array.from({ length: count }, (_item, index) => dlr(`m-${from + index}`, 'submitted'))

/** A scan of the fixture's events that records its queries. */
function watchedScan() {
  const repository = createEventsRepository(fixture.state())
  const asked = { bounds: 0, seqs: 0 }
  const select: EventsRepository['select'] = (filter) => {
    const events = repository.select(filter)
    const count: FilteredEvents['count'] = (afterSeq, upToSeq) => {
      asked.seqs += upToSeq - afterSeq
      return events.count(afterSeq, upToSeq)
    }
    return { ...events, count }
  }
  const scan = createEventScan({
    ...repository,
    select,
    seqBounds(fromMs, toMs) {
      asked.bounds++
      return repository.seqBounds(fromMs, toMs)
    },
  })
  return { scan, asked }
}

describe('a count', () => {
  it('of a time range locates it once, not for each event', async () => {
    await fixture.deliver(reports(0, 12_000))
    const { scan, asked } = watchedScan()
    const filter = compileFilter({ from: iso(fixture.clock.now() - hourMs) })
    expect(await scan.count(filter, 12_000)).toBe(12_000)
    expect(asked.bounds).toBe(1)
    for (let round = 1; round <= 5; round++) {
      await fixture.deliver(reports(20_000 + round * 10, 10))
      expect(await scan.count(filter, 12_000 + round * 10)).toBe(12_000 + round * 10)
    }
    expect(asked).toEqual({ bounds: 1, seqs: 12_050 })
  })

  it('of several turns runs once for two callers, goes on after a cancel, and stops with its watch', async () => {
    await fixture.deliver(reports(0, 22_000))
    const filter = compileFilter({ text: 'm-' })
    const shared = watchedScan()
    const both = [shared.scan.count(filter, 21_990), shared.scan.count(filter, 22_000)]
    expect(await Promise.all(both)).toEqual([21_990, 22_000])
    expect(shared.asked.seqs).toBeLessThanOrEqual(22_020)
    expect(await shared.scan.count(filter, 15_000)).toBe(15_000)
    expect(await shared.scan.count(filter, 22_000)).toBe(22_000)

    const { scan, asked } = watchedScan()
    const abort = new AbortController()
    const given = scan.count(filter, 22_000, { signal: abort.signal })
    abort.abort(new Error('left'))
    await expect(given).rejects.toThrow('left')
    expect(asked.seqs).toBe(10_000)
    expect(await scan.count(filter, 22_000)).toBe(22_000)
    expect(asked.seqs).toBe(22_000)

    const prepare = vi.spyOn(fixture.state(), 'prepare')
    const counting = () =>
      prepare.mock.results.find((_result, at) => prepare.mock.calls[at]![0].startsWith('SELECT count(*)'))
    const watch = recordWatch(fixture, { text: 'no such text' }, 22_000)
    while (!counting()) await turn()
    const count = vi.spyOn(counting()!.value as { get(): unknown }, 'get')
    await watch.stop()
    for (let turns = 0; turns < 10; turns++) await turn()
    // The whole count takes three.
    expect(count.mock.calls.length).toBeLessThanOrEqual(1)
    expect(watch.batches).toEqual([])
  })
})

it('the position of a time among the events is found from sums per hour and minute, despite jumps of the clock', async () => {
  const random = seededRandom(3)
  const startMs = Date.UTC(2026, 0, 5, 9)
  const arrivals: number[] = []
  for (let index = 0; index < 300; index++) {
    const receivedMs = Math.floor(startMs + (index / 300 + (random() - 0.5) / 20) * 30 * hourMs)
    arrivals.push(receivedMs)
    fixture.append([dlr(`m-${index}`, 'submitted')], { receivedMs })
  }
  await fixture.deliver([])
  const repository = createEventsRepository(fixture.state())
  const minuteOf = (ms: number) => Math.floor(ms / 60_000) * 60_000
  for (let round = 0; round < 400; round++) {
    const time = () => Math.floor(startMs + (random() * 34 - 2) * hourMs)
    const fromMs = round % 5 === 0 ? null : time()
    const length = [30_000, 20 * 60_000, 5 * hourMs, -hourMs][round % 4]!
    const toMs = round % 7 === 0 ? null : (fromMs ?? time()) + length
    // Accurate to a minute or better.
    const within = arrivals.flatMap((ms, index) =>
      (fromMs === null || ms >= fromMs) && (toMs === null || ms < toMs) ? [index + 1] : [],
    )
    const around = arrivals.flatMap((ms, index) =>
      (fromMs === null || minuteOf(ms) >= minuteOf(fromMs)) && (toMs === null || minuteOf(ms) < toMs)
        ? [index + 1]
        : [],
    )
    const bounds = repository.seqBounds(fromMs, toMs)
    if (within.length > 0) {
      expect(bounds!.firstSeq).toBeLessThanOrEqual(Math.min(...within))
      expect(bounds!.lastSeq).toBeGreaterThanOrEqual(Math.max(...within))
    }
    if (bounds && around.length > 0) {
      expect(bounds.firstSeq).toBeGreaterThanOrEqual(Math.min(...around))
      expect(bounds.lastSeq).toBeLessThanOrEqual(Math.max(...around))
    }
    if (around.length === 0) expect(bounds).toBeNull()
  }
})

import { beforeEach, expect, test } from 'vitest'
import type { EventFilter } from '#contract/live/events.ts'
import { dlr, type EventsFixture, openEventsFixture, searchAll } from './events-fixture.ts'

const daysMs = 3 * 86_400_000

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const ids = async (filter?: EventFilter) =>
  (await searchAll(fixture, filter)).map(({ messageId }) => messageId).reverse()

/** Two runs: `aheadMs` wrong and right again. */
async function run(aheadMs: number): Promise<void> {
  const { clock, journal } = fixture
  clock.jumpWall(aheadMs)
  journal.beginSpan(clock.now(), 8787)
  await fixture.deliver(['m-1', 'm-2', 'm-3'].map((id) => dlr(id, 'delivered')))
  await clock.advance(4_000)
  journal.touch(clock.now())
  journal.endSpan(clock.now(), 'closed')
  clock.jumpWall(-aheadMs)
  await fixture.reopen()
  journal.beginSpan(clock.now(), 8787)
  await fixture.deliver(['m-4', 'm-5'].map((id) => dlr(id, 'delivered')))
  await clock.advance(4_000)
  journal.touch(clock.now())
}

test.each([
  // The gap would be in the future.
  ['ahead leaves no gap', daysMs, []],
  ['behind leaves a gap that ended', -daysMs, [{ reason: 'closed', durationMs: daysMs }]],
])('a clock that was three days %s, and events in order of arrival', async (_what, aheadMs, expected) => {
  await run(aheadMs)
  const { gaps, recordedSince, asOf } = fixture.service.gaps({ days: 7 })
  expect(gaps).toMatchObject(expected)
  for (const time of [recordedSince, ...gaps.map(({ to }) => to)]) expect(time! <= asOf).toBe(true)
  expect(await ids()).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5'])
  const now = fixture.clock.now()
  const iso = (ms: number) => new Date(ms).toISOString()
  expect(await ids({ from: iso(now - 60_000), to: iso(now + 60_000) })).toEqual(['m-4', 'm-5'])
})

test('a clock that is set back while listening begins a new period', async () => {
  const { clock, journal } = fixture
  clock.jumpWall(daysMs)
  journal.beginSpan(clock.now(), 8787)
  await clock.advance(4_000)
  clock.jumpWall(-daysMs)
  journal.touch(clock.now())
  await clock.advance(4_000)
  expect(fixture.service.gaps({ days: 7 }).gaps).toEqual([])
  // The end of a crash is its last sign of life by the right clock.
  fixture.listening = false
  await clock.advance(60_000)
  expect(fixture.service.gaps({ days: 7 }).gaps).toMatchObject([{ to: null, durationMs: 64_000 }])
})

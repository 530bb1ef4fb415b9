import { beforeEach, expect, test } from 'vitest'
import { dlr, type EventsFixture, openEventsFixture, searchAll } from './events-fixture.ts'

const daysMs = 3 * 86_400_000

let fixture: EventsFixture
beforeEach(() => void (fixture = openEventsFixture()))

const ids = async () => (await searchAll(fixture)).map(({ messageId }) => messageId).reverse()

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

test('a clock that was three days ahead leaves no gap in the future, and events in order of arrival', async () => {
  await run(daysMs)
  const { service } = fixture.feature()
  const { gaps, recordedSince, asOf } = service.gaps(7)
  expect(gaps).toEqual([])
  expect(recordedSince! <= asOf).toBe(true)
  expect(await ids()).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5'])
  const now = fixture.clock.now()
  const recent = await searchAll(fixture, {
    from: new Date(now - 60_000).toISOString(),
    to: new Date(now + 60_000).toISOString(),
  })
  expect(recent.map(({ messageId }) => messageId)).toEqual(['m-5', 'm-4'])
})

test('a clock that was behind leaves a gap that ended, and events in order of arrival', async () => {
  await run(-daysMs)
  const { gaps, asOf } = fixture.service.gaps(7)
  expect(gaps).toMatchObject([{ reason: 'closed', durationMs: daysMs }])
  expect(gaps[0]!.to! <= asOf).toBe(true)
  expect(await ids()).toEqual(['m-1', 'm-2', 'm-3', 'm-4', 'm-5'])
})

test('a clock that is set back while listening begins a new period', async () => {
  const { clock, journal } = fixture
  clock.jumpWall(daysMs)
  journal.beginSpan(clock.now(), 8787)
  await clock.advance(4_000)
  clock.jumpWall(-daysMs)
  journal.touch(clock.now())
  await clock.advance(4_000)
  expect(fixture.service.gaps(7).gaps).toEqual([])
  // The end of a crash is its last sign of life by the right clock.
  fixture.listening = false
  await clock.advance(60_000)
  expect(fixture.service.gaps(7).gaps).toMatchObject([{ to: null, durationMs: 64_000 }])
})

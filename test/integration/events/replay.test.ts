import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventBatch, EventFilter } from '#contract/events.ts'
import type { Replay, ReplaySpeed } from '#contract/replay.ts'
import { createReplayService } from '#electron/core/replay/replay.service.ts'
import { quietLog } from '../../helpers/quiet-log.ts'
import { bytesOf, dlr, type EventsFixture, mo, openEventsFixture } from './events-fixture.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

let fixture: EventsFixture
let replay: ReturnType<typeof createReplayService>
/** Two hours before the fixture's clock, on a whole hour. */
let startMs: number
beforeEach(() => {
  fixture = openEventsFixture()
  startMs = fixture.clock.now() - 2 * hourMs
  replay = createReplayService({
    stateDb: fixture.state(),
    events: fixture.feature().repository,
    journal: fixture.reader(),
    projector: fixture.feature().projector,
    recovered: () => null,
    holes: fixture.feature().service.holes,
    recordingsDir: join(tmpdir(), 'replay-of-no-file'),
    clock: fixture.clock,
    log: quietLog,
  })
})
afterEach(async () => {
  await replay.dispose()
  await fixture.close()
})

const iso = (ms: number) => new Date(ms).toISOString()
/** One report `m-<n>` at each of these times. */
async function reportAt(times: readonly number[], statusOf = (_index: number) => 'submitted'): Promise<void> {
  fixture.journal.append(
    times.map((atMs, index) => ({
      receivedMs: startMs + atMs,
      verdict: 'signed',
      secretId: null,
      remote: '127.0.0.1',
      headersJson: '[]',
      body: bytesOf(dlr(`m-${index}`, statusOf(index))),
    })),
  )
  await fixture.deliver([dlr('live', 'submitted')])
}
const timesOf = (count: number, everyMs: number, firstMs = 0) =>
  Array.from({ length: count }, (_item, index) => firstMs + index * everyMs)
const deliverAt = (atMs: number, bodies: Parameters<EventsFixture['deliver']>[0]) =>
  fixture.deliver(bodies, { receivedMs: startMs + atMs })

function start(fromMs: number, toMs: number, speed: ReplaySpeed = 1, skipQuiet = false): Replay {
  return replay.start({ from: iso(startMs + fromMs), to: iso(startMs + toMs), speed, skipQuiet })
}

async function state(): Promise<Replay> {
  const abort = new AbortController()
  for await (const { replay: now } of replay.watchState(abort.signal)) {
    abort.abort()
    if (now) return now
  }
  throw new Error('no replay runs')
}

const shownIds = async (filter: EventFilter = {}) =>
  (await replay.search({ filter, limit: 500 })).items.map(({ messageId }) => messageId)

/** Follows the replay as a window does. */
function follow(filter: EventFilter, afterSeq: number) {
  const abort = new AbortController()
  const batches: EventBatch[] = []
  const done = (async () => {
    for await (const batch of replay.watch({ filter, afterSeq }, abort.signal)) batches.push(batch)
  })()
  return {
    batches,
    ids: () => batches.flatMap(({ items }) => items.map(({ messageId }) => messageId)),
    async stop() {
      abort.abort()
      await fixture.clock.advance(1)
      await done
    },
  }
}

describe('a replay', () => {
  it('shows each event when its time has come, and nothing of before and after the span', async () => {
    await deliverAt(-1, [dlr('before', 'submitted')])
    await deliverAt(0, [dlr('m-0', 'submitted')])
    await deliverAt(10 * secondMs, [dlr('m-10', 'submitted')])
    await deliverAt(10 * secondMs + 400, [mo('in-10', 'hello')])
    await deliverAt(60 * secondMs, [dlr('after', 'submitted')])
    const begun = start(0, minuteMs)
    expect(begun).toMatchObject({ shown: 0, total: 3, playing: true, atEnd: false })
    expect(await shownIds()).toEqual([])
    await fixture.clock.advance(200)
    expect(await shownIds()).toEqual(['m-0'])
    await fixture.clock.advance(10 * secondMs)
    expect(await shownIds()).toEqual(['m-10', 'm-0'])
    await fixture.clock.advance(secondMs)
    expect(await shownIds()).toEqual(['in-10', 'm-10', 'm-0'])
    expect(await shownIds({ kinds: ['mo'] })).toEqual(['in-10'])
    expect((await replay.search({ filter: { text: 'HELL' }, limit: 5 })).matchingTotal).toBe(1)
    await fixture.clock.advance(minuteMs)
    expect(await state()).toMatchObject({ shown: 3, total: 3, playing: false, atEnd: true })
    expect(() => replay.get(1)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }))
  })

  it('streams what the list has, once each, at any speed, also through a filter', async () => {
    await reportAt(timesOf(60, minuteMs + 7), (index) => (index % 2 ? 'failed' : 'delivered'))
    for (const speed of [30, 120, 'max'] as const) {
      start(0, hourMs, speed)
      const { upToSeq } = await replay.search({ filter: {}, limit: 1 })
      const all = follow({}, upToSeq)
      const failed = follow({ statuses: ['failed'] }, upToSeq)
      await fixture.clock.advance(speed === 'max' ? 2 * secondMs : hourMs / speed + 2 * secondMs)
      await all.stop()
      await failed.stop()
      const seen = [...(await shownIds())].reverse()
      expect(seen).toHaveLength(60)
      expect(all.ids()).toEqual(seen)
      expect(all.batches.at(-1)).toMatchObject({ storedTotal: 60, matchingTotal: 60 })
      expect(failed.ids()).toHaveLength(30)
      expect(failed.batches.at(-1)).toMatchObject({ storedTotal: 60, matchingTotal: 30 })
    }
  })

  it('shows the copies, the timeline and the status that a message had at that moment', async () => {
    await deliverAt(secondMs, [dlr('m-1', 'submitted')])
    await deliverAt(6 * secondMs, [dlr('m-1', 'submitted')])
    await deliverAt(20 * secondMs, [dlr('m-1', 'delivered')])
    await deliverAt(30 * secondMs, [dlr('m-1', 'submitted')])
    start(0, minuteMs)
    const { upToSeq } = await replay.search({ filter: {}, limit: 1 })
    const watched = follow({}, upToSeq)
    await fixture.clock.advance(2 * secondMs)
    const [first] = (await replay.search({ filter: {}, limit: 1 })).items
    expect(first).toMatchObject({ copies: 1 })
    expect(replay.get(first!.seq)).toMatchObject({
      copies: [{ afterFirstMs: 0 }],
      messageStatus: 'submitted',
    })
    expect(replay.get(first!.seq).timeline).toHaveLength(1)
    await fixture.clock.advance(6 * secondMs)
    expect(watched.batches.flatMap(({ changed }) => changed)).toMatchObject([{ seq: first!.seq, copies: 2 }])
    expect(replay.get(first!.seq)).toMatchObject({ event: { copies: 2 }, messageStatus: 'submitted' })
    await fixture.clock.advance(20 * secondMs)
    expect(replay.get(first!.seq)).toMatchObject({ event: { copies: 2 }, messageStatus: 'delivered' })
    expect(replay.get(first!.seq).timeline).toHaveLength(2)
    await fixture.clock.advance(minuteMs)
    await watched.stop()
    expect(replay.get(first!.seq).copies).toHaveLength(3)
    expect(fixture.feature().service.get(first!.seq).copies).toHaveLength(3)
  })

  it('pauses, steps, goes on, is set to a time and back, with counts that hold', async () => {
    await reportAt(timesOf(100, 30 * secondMs, 250))
    start(0, hourMs)
    await fixture.clock.advance(31 * secondMs)
    expect(replay.control({ action: 'pause' })).toMatchObject({ playing: false, shown: 2 })
    await fixture.clock.advance(10 * minuteMs)
    expect(await state()).toMatchObject({ shown: 2 })
    expect(replay.control({ action: 'step' })).toMatchObject({
      shown: 3,
      playing: false,
      clock: iso(startMs + 60_251),
    })
    expect(await shownIds()).toEqual(['m-2', 'm-1', 'm-0'])

    const ahead = replay.control({ action: 'seek', at: iso(startMs + 20 * minuteMs + 700) })
    expect(ahead).toMatchObject({ shown: 40, clock: iso(startMs + 20 * minuteMs), jump: 1 })
    expect((await replay.search({ filter: {}, limit: 500 })).items).toHaveLength(40)
    expect((await replay.search({ filter: { text: 'm-1' }, limit: 500 })).matchingTotal).toBe(11)
    const back = replay.control({ action: 'seek', at: iso(startMs + minuteMs) })
    expect(back).toMatchObject({ shown: 2, jump: 2 })
    expect((await replay.search({ filter: { text: 'm-1' }, limit: 500 })).matchingTotal).toBe(1)
    replay.control({ action: 'speed', speed: 120 })
    expect(replay.control({ action: 'resume' })).toMatchObject({ playing: true, speed: 120 })
    await fixture.clock.advance(minuteMs)
    expect(await state()).toMatchObject({ shown: 100, atEnd: true })
    expect(replay.control({ action: 'resume' })).toMatchObject({ shown: 0, atEnd: false, playing: true })
    for (const at of [iso(startMs - 1), iso(startMs + hourMs + 1_000), 'soon'])
      expect(() => replay.control({ action: 'seek', at })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      )
  })

  it('tells a window that follows from before where it stands after the clock was set back', async () => {
    await reportAt(timesOf(10, secondMs))
    start(0, minuteMs, 'max')
    await fixture.clock.advance(secondMs)
    const { upToSeq } = await replay.search({ filter: {}, limit: 1 })
    const before = follow({}, upToSeq)
    await fixture.clock.advance(1)
    replay.control({ action: 'pause' })
    replay.control({ action: 'seek', at: iso(startMs + 5 * secondMs) })
    await fixture.clock.advance(100)
    await before.stop()
    const again = follow({}, upToSeq)
    await fixture.clock.advance(1)
    await again.stop()
    expect(again.batches[0]!.upToSeq).toBeLessThan(upToSeq)
    expect(again.batches[0]).toMatchObject({ items: [], storedTotal: 5 })
  })

  it('passes over quiet times on request, and leaves out nothing for it', async () => {
    await deliverAt(0, [dlr('m-0', 'submitted')])
    await deliverAt(50 * minuteMs, [dlr('m-50', 'submitted')])
    start(0, hourMs, 1, true)
    await fixture.clock.advance(3 * secondMs)
    expect(await shownIds()).toEqual(['m-50', 'm-0'])
    await fixture.clock.advance(secondMs)
    expect(await state()).toMatchObject({ atEnd: true, shown: 2 })
    start(0, hourMs)
    await fixture.clock.advance(3 * secondMs)
    expect(await shownIds()).toEqual(['m-0'])
  })

  it('answers a search through many events with what it found by then, and goes on where it stopped', async () => {
    await reportAt(timesOf(25_000, 200))
    start(0, 2 * hourMs, 'max')
    replay.control({ action: 'pause' })
    replay.control({ action: 'seek', at: iso(startMs + 80 * minuteMs) })
    // Time passes with each look at the clock: nobody waits for the second piece.
    const impatient = { filter: { text: 'm-7' }, limit: 500, patienceMs: 10 }
    const { monotonic } = fixture.clock
    let looks = 0
    fixture.clock.monotonic = () => monotonic() + 20 * looks++
    const first = await replay.search(impatient)
    fixture.clock.monotonic = monotonic
    expect(first).toMatchObject({ matchingTotal: null, searchedBackTo: expect.any(String) as string })
    const rest = await replay.search({ filter: { text: 'm-7' }, limit: 500, cursor: first.nextCursor! })
    const seqs = [...first.items, ...rest.items].map(({ seq }) => seq)
    expect(new Set(seqs).size).toBe(seqs.length)
    const all = await replay.search({ filter: { text: 'm-7' }, limit: 500 })
    expect(seqs.slice(0, 500)).toEqual(all.items.map(({ seq }) => seq))
  })

  it('counts arrivals up to its clock only, in every width of bucket', async () => {
    await reportAt(timesOf(600, 6 * secondMs))
    start(0, hourMs)
    replay.control({ action: 'pause' })
    for (const atMs of [0, 61 * secondMs, 30 * minuteMs + 7 * secondMs, hourMs]) {
      const { shown } = replay.control({ action: 'seek', at: iso(startMs + atMs) })
      expect(shown).toBe(Math.ceil(atMs / (6 * secondMs)))
      for (const bucketMs of [5_000, 20_000, 600_000, hourMs]) {
        const { lines } = replay.series({ from: iso(startMs - hourMs), to: iso(startMs + hourMs), bucketMs })
        expect(lines.flatMap(({ counts }) => counts).reduce((sum, count) => sum + count, 0)).toBe(shown)
      }
    }
  })

  it('shows a hole from the moment it began, and as lasting while the clock is in it', async () => {
    const spans = [
      { from: -hourMs, to: 10 * minuteMs },
      { from: 20 * minuteMs, to: 90 * minuteMs },
    ]
    for (const { from, to } of spans) {
      fixture.journal.beginSpan(startMs + from, 8787)
      // Without signs of life it would count as asleep.
      for (let atMs = from; atMs < to; atMs += 10 * secondMs) fixture.journal.touch(startMs + atMs)
      fixture.journal.endSpan(startMs + to, 'closed')
    }
    await deliverAt(0, [dlr('m-0', 'submitted')])
    await deliverAt(30 * minuteMs, [dlr('m-30', 'submitted')])
    start(0, hourMs)
    replay.control({ action: 'pause' })
    const holesAt = (atMs: number) => {
      replay.control({ action: 'seek', at: iso(startMs + atMs) })
      return replay.holes().holes
    }
    expect(holesAt(10 * minuteMs)).toEqual([])
    expect(holesAt(10 * minuteMs + 20 * secondMs)).toMatchObject([
      { to: null, durationMs: 20_000, proven: false },
    ])
    expect(holesAt(15 * minuteMs)).toMatchObject([{ to: null, durationMs: 5 * minuteMs, proven: true }])
    expect(holesAt(40 * minuteMs)).toMatchObject([
      { to: iso(startMs + 20 * minuteMs), durationMs: 10 * minuteMs },
    ])
  })

  it('leaves out nothing and doubles nothing where the clock of the machine was set back', async () => {
    await reportAt([0, 10, 20, 30, 12, 14, 40, -500, 45].map((second) => second * secondMs))
    for (const seekMs of [0, 13_000, 25_000, 41_000]) {
      start(0, minuteMs)
      replay.control({ action: 'pause' })
      const { shown } = replay.control({ action: 'seek', at: iso(startMs + seekMs) })
      expect((await replay.search({ filter: {}, limit: 500 })).items).toHaveLength(shown)
      replay.control({ action: 'speed', speed: 'max' })
      replay.control({ action: 'resume' })
      await fixture.clock.advance(secondMs)
      expect(await state()).toMatchObject({ shown: 8, total: 8, atEnd: true })
      expect(await shownIds()).toHaveLength(8)
    }
  })

  it('shows at most 2,000 in one go, and its clock waits for them', async () => {
    await deliverAt(
      0,
      Array.from({ length: 7_000 }, (_item, index) => dlr(`m-${index}`, 'submitted')),
    )
    await deliverAt(30 * secondMs, [dlr('last', 'submitted')])
    start(0, minuteMs, 'max')
    const { upToSeq } = await replay.search({ filter: {}, limit: 1 })
    const all = follow({}, upToSeq)
    await fixture.clock.advance(100)
    expect(await state()).toMatchObject({ shown: 2_000, clock: iso(startMs + 1) })
    await vi.waitFor(async () => {
      await fixture.clock.advance(secondMs)
      expect(all.batches.at(-1)).toMatchObject({ matchingTotal: 7_001, upToSeq: 7_001 })
    }, 20_000)
    await all.stop()
    expect(await state()).toMatchObject({ shown: 7_001 })
    expect(new Set(all.ids()).size).toBe(7_001)
    expect(Math.max(...all.batches.map(({ items }) => items.length))).toBeLessThanOrEqual(500)
  })

  it('writes nothing, and live receiving goes on beside it without being shown', async () => {
    await deliverAt(0, [dlr('m-0', 'submitted')])
    await deliverAt(5 * secondMs, [mo('in-5', 'STOP')])
    const tables = ['events', 'copies', 'messages', 'arrivals', 'projector', 'holds', 'outbox_items']
    const dump = () =>
      tables.map((table) => {
        const exists = fixture
          .state()
          .prepare('SELECT count(*) FROM sqlite_schema WHERE name = ?')
          .pluck()
          .get(table)
        return exists === 0 ? null : fixture.state().prepare(`SELECT * FROM ${table}`).all()
      })
    const before = dump()
    const changes = fixture.state().prepare('SELECT total_changes()').pluck()
    const changed = changes.get()
    start(0, minuteMs, 'max')
    await fixture.clock.advance(2 * secondMs)
    expect(await shownIds()).toEqual(['in-5', 'm-0'])
    expect(dump()).toEqual(before)
    expect(changes.get()).toBe(changed)
    await fixture.deliver([dlr('live', 'submitted')])
    await fixture.clock.advance(secondMs)
    expect(await shownIds()).toEqual(['in-5', 'm-0'])
    replay.stop()
    await expect(replay.search({ filter: {}, limit: 1 })).rejects.toMatchObject({ code: 'REPLAY_ENDED' })
    const live = await fixture.feature().service.search({ filter: {}, limit: 10 })
    expect(live.items.map(({ messageId }) => messageId)).toEqual(['live', 'in-5', 'm-0'])
  })

  it('goes up to now where the span does, with what is projected late', async () => {
    await fixture.clock.advance(250)
    await fixture.deliver([dlr('m-0', 'submitted')])
    fixture.append([dlr('late', 'submitted')])
    await fixture.clock.advance(secondMs)
    const nowMs = fixture.clock.now()
    const begun = replay.start({
      from: iso(nowMs - hourMs),
      to: iso(nowMs + hourMs),
      speed: 'max',
      skipQuiet: false,
    })
    expect(begun.total).toBe(1)
    expect(Date.parse(begun.to)).toBe(Math.floor(nowMs / secondMs) * secondMs)
    fixture.feature().notifyJournalGrew(2)
    await fixture.feature().projector.caughtUp()
    await fixture.clock.advance(secondMs)
    expect(await shownIds()).toEqual(['late', 'm-0'])
    expect(await state()).toMatchObject({ shown: 2, total: 2, atEnd: true })
  })

  it('counts what is kept where old events were deleted, and says how many are gone', async () => {
    const { projector } = fixture.feature()
    await reportAt(timesOf(240, 30 * secondMs))
    await projector.prune(
      { upToSeq: 150, beforeMs: startMs + 70 * minuteMs },
      () => {},
      new AbortController().signal,
    )
    const whole = start(-hourMs, 2 * hourMs, 'max')
    // Those of the first 70 minutes went.
    expect(whole).toMatchObject({ total: 100, gone: 140, shown: 0 })
    await fixture.clock.advance(secondMs)
    expect(await state()).toMatchObject({ shown: 100, atEnd: true })
    expect(await shownIds()).toHaveLength(100)
    replay.control({ action: 'pause' })
    for (const [minute, shown] of [
      [0, 0],
      [69, 0],
      [71, 2],
      [100, 60],
    ] as const) {
      expect(replay.control({ action: 'seek', at: iso(startMs + minute * minuteMs) })).toMatchObject({
        shown,
      })
      expect((await replay.search({ filter: {}, limit: 500 })).items).toHaveLength(shown)
    }
    expect(() => start(0, hourMs)).toThrow(expect.objectContaining({ code: 'REPLAY_EMPTY' }))
    expect(start(hourMs, 2 * hourMs)).toMatchObject({ total: 100, gone: 20 })
  })

  it('tells a search that is under way when another replay takes its place', async () => {
    await deliverAt(0, [dlr('m-0', 'submitted')])
    await fixture.deliver([dlr('m-1', 'submitted')], { receivedMs: startMs + secondMs })
    start(0, minuteMs, 'max')
    await fixture.clock.advance(secondMs)
    const search = replay.search({ filter: { text: 'm-' }, limit: 10 })
    start(0, minuteMs)
    await expect(search).rejects.toMatchObject({ code: 'REPLAY_ENDED' })
  })

  it('refuses a span with nothing in it, and times that do not rise', async () => {
    await deliverAt(0, [dlr('m-0', 'submitted')])
    expect(() => start(minuteMs, hourMs)).toThrow(expect.objectContaining({ code: 'REPLAY_EMPTY' }))
    expect(() => start(minuteMs, 0)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }))
    expect(() => replay.control({ action: 'pause' })).toThrow(
      expect.objectContaining({ code: 'REPLAY_ENDED' }),
    )
  })
})

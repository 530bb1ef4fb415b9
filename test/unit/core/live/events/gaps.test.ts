import { describe, expect, it } from 'vitest'
import { findGaps, type Listening, type ListeningSpan } from '#electron/core/live/events/gaps.ts'

/** 12:00:00 UTC; all times below are seconds after it. */
const noonMs = Date.UTC(2026, 0, 5, 12)
const at = (seconds: number) => noonMs + seconds * 1_000
const iso = (seconds: number) => new Date(at(seconds)).toISOString()

const span = (
  from: number,
  to: number | null,
  endReason: ListeningSpan['endReason'] = 'closed',
  // A running listener sends heartbeats.
  alive = to ?? 1_000_000,
): ListeningSpan => ({
  startedMs: at(from),
  aliveMs: at(alive),
  endedMs: to === null ? null : at(to),
  endReason: to === null ? null : endReason,
  port: 8787,
  firstDeliveryMs: null,
})

const gaps = (
  spans: ListeningSpan[],
  more: { listening?: Listening; now?: number; since?: number; failed?: number } = {},
) =>
  findGaps({
    spans,
    listening: more.listening ?? 'yes',
    nowMs: at(more.now ?? 1_000),
    sinceMs: at(more.since ?? -1_000_000),
    firstFailure: more.failed === undefined ? null : { atMs: at(more.failed), reason: 'port-taken' },
  })

describe('a gap', () => {
  it('begins when the first start fails and stays open until the listener is up', () => {
    expect(gaps([], { listening: 'no', failed: 100, now: 160 })).toMatchObject([
      { to: null, durationMs: 60_000, proven: true, reason: 'port-taken' },
    ])
    expect(gaps([span(150, null)], { failed: 100 })).toMatchObject([{ durationMs: 50_000, proven: true }])
    expect(gaps([span(0, null)], { failed: 100 })).toEqual([])
  })

  it('is the time between two periods, with the reason why the first ended', () => {
    expect(gaps([span(0, 100, 'moved'), span(160, null)])).toEqual([
      { from: iso(100), to: iso(160), durationMs: 60_000, proven: true, reason: 'moved' },
    ])
  })

  it('lasts after a move until a delivery shows that the service knows the new address', () => {
    const elsewhere = (first: number | null) => ({
      ...span(101, null),
      port: 9999,
      firstDeliveryMs: first === null ? null : at(first),
    })
    expect(gaps([span(0, 100, 'moved'), elsewhere(null)], { now: 400 })).toEqual([
      { from: iso(100), to: null, durationMs: 300_000, proven: true, reason: 'moved' },
    ])
    expect(gaps([span(0, 100, 'moved'), elsewhere(160)])).toEqual([
      { from: iso(100), to: iso(160), durationMs: 60_000, proven: true, reason: 'moved' },
    ])
  })

  it('is certain after any move: retries go to the old address', () => {
    const elsewhere = { ...span(101, null), port: 9999, firstDeliveryMs: at(104) }
    expect(gaps([span(0, 100, 'moved'), elsewhere])).toMatchObject([{ durationMs: 4_000, proven: true }])
    expect(gaps([span(0, 100, 'moved'), span(104, null)])).toMatchObject([{ proven: false }])
  })

  it('ends when the listener returns to the known address, after any moves between', () => {
    const between = { ...span(101, 150, 'moved'), port: 9999 }
    expect(gaps([span(0, 100, 'moved'), between, span(151, null)])).toEqual([
      { from: iso(100), to: iso(151), durationMs: 51_000, proven: true, reason: 'moved' },
    ])
  })

  it('is certain only beyond the last retry', () => {
    const proven = (seconds: number) => gaps([span(0, 100), span(100 + seconds, null)])[0]?.proven
    expect(proven(5)).toBe(false)
    expect(proven(30)).toBe(false)
    expect(proven(30.001)).toBe(true)
  })

  it('stays open from the last heartbeat until the listener reports after a sleep', () => {
    expect(gaps([span(0, null, 'closed', 95)], { now: 400 })).toMatchObject([
      { from: iso(95), to: null, reason: 'suspended' },
    ])
    expect(gaps([span(0, null, 'closed', 95)], { now: 105 })).toEqual([])
  })

  it('begins at the last heartbeat after a crash', () => {
    const crashed = { ...span(0, null), aliveMs: at(95) }
    expect(gaps([crashed, span(200, null)])).toEqual([
      { from: iso(95), to: iso(200), durationMs: 105_000, proven: true, reason: 'crashed' },
    ])
  })

  it('stays open while the listener is not up', () => {
    expect(gaps([span(0, 100)], { listening: 'no', now: 120 })).toEqual([
      { from: iso(100), to: null, durationMs: 20_000, proven: false, reason: 'closed' },
    ])
    expect(gaps([span(0, 100)], { listening: 'no', now: 140 })[0]?.proven).toBe(true)
    expect(gaps([{ ...span(0, null), aliveMs: at(90) }], { listening: 'no', now: 140 })).toEqual([
      { from: iso(90), to: null, durationMs: 50_000, proven: true, reason: 'crashed' },
    ])
  })

  it('stays open with its reason when nothing can be stored', () => {
    expect(
      gaps([{ ...span(0, null), aliveMs: at(90) }], { listening: 'not-stored', now: 140 }),
    ).toMatchObject([{ to: null, reason: 'not-stored' }])
  })

  it('neither precedes the first period nor includes now while the listener is up', () => {
    expect(gaps([])).toEqual([])
    expect(gaps([], { listening: 'no' })).toEqual([])
    expect(gaps([span(500, null)])).toEqual([])
  })

  it('does not exist where periods touch or overlap, or where the clock was set back', () => {
    expect(gaps([span(0, 100), span(100, null)])).toEqual([])
    expect(gaps([span(0, 100), span(90, null)])).toEqual([])
    expect(gaps([span(0, 100), span(-50, null)])).toEqual([])
    expect(gaps([span(0, 100), { ...span(50, null), endedMs: at(40), endReason: 'closed' }])).toMatchObject([
      { from: iso(50), to: null },
    ])
  })

  it('never lies in the future: periods are in the order in which they happened', () => {
    const days = 3 * 86_400
    expect(gaps([span(days, days + 10), span(0, null)], { now: 20 })).toEqual([])
    expect(gaps([span(days, days + 10), span(0, 10)], { now: 20, listening: 'no' })).toMatchObject([
      { from: iso(10), to: null },
    ])
    // What the period with the wrong clock covered is unknown.
    const later = [span(-100, -50), span(days, days + 10), span(0, null)]
    expect(gaps(later, { now: 20 })).toMatchObject([{ from: iso(-50), to: iso(0) }])
    // Once that future is past, it covers nothing of it.
    expect(
      gaps([span(days, days + 10), span(0, 100), span(2 * days, null)], { now: 2 * days }),
    ).toMatchObject([{ from: iso(100), to: iso(2 * days) }])
    // Behind, then right.
    expect(gaps([span(-days, 10 - days), span(0, null)], { now: 20 })).toMatchObject([
      { from: iso(10 - days), to: iso(0) },
    ])
  })

  it('is the same with a period in which the clock was reset', () => {
    const reset = { ...span(0, null), startedMs: Date.UTC(2000, 0), endedMs: Date.UTC(2000, 0, 1, 0, 1) }
    expect(gaps([span(0, 100), reset, span(160, null)])).toMatchObject([{ from: iso(100), to: iso(160) }])
    expect(gaps([reset, span(160, null)])).toEqual([])
  })

  it('is listed newest first, if it reaches into the requested time', () => {
    const spans = [span(0, 10), span(100, 110), span(200, 210), span(300, null)]
    expect(gaps(spans).map((gap) => gap.from)).toEqual([iso(210), iso(110), iso(10)])
    expect(gaps(spans, { since: 150 }).map((gap) => gap.from)).toEqual([iso(210), iso(110)])
    expect(gaps([span(0, 10), span(5_000, null)], { now: 5_100, since: 4_000 })).toHaveLength(1)
  })
})

describe('a gap with a relay', () => {
  const period = (from: number, to: number | null, alive = to ?? 900) => ({
    startedMs: at(from),
    aliveMs: at(alive),
    endedMs: to === null ? null : at(to),
    isNewest: true,
  })
  const withRelay = (
    spans: ListeningSpan[],
    periods: ReturnType<typeof period>[],
    more: { readsRelay?: boolean; losses?: { fromMs: number; toMs: number | null }[] } = {},
  ) =>
    findGaps({
      spans,
      listening: 'no',
      nowMs: at(1_000),
      sinceMs: at(-1_000_000),
      relays: { periods, losses: more.losses ?? [] },
      readsRelay: more.readsRelay ?? true,
    })

  it('is not the time for which the console was stopped', () => {
    // Stopped for five minutes.
    expect(withRelay([span(0, 100), span(400, 500)], [period(50, null)])).toEqual([])
    expect(withRelay([], [period(0, null, 700)])).toEqual([])
  })

  it('is the time in which neither could receive', () => {
    expect(withRelay([span(0, 200)], [period(100, 300), period(400, null)])).toEqual([
      { from: iso(300), to: iso(400), durationMs: 100_000, proven: true, reason: 'relay-stopped' },
    ])
    expect(withRelay([span(250, 450)], [period(100, 300), period(400, null)])).toEqual([])
  })

  it('does not begin when one of several relays ends', () => {
    expect(withRelay([], [period(0, null, 900), period(100, 300)])).toEqual([])
  })

  it('begins at its last sign of life once the relay is no longer read', () => {
    expect(withRelay([], [period(0, null, 700)], { readsRelay: false })).toMatchObject([
      { from: iso(700), to: null, reason: 'relay-stopped' },
    ])
  })

  it('lists deliveries that the relay dropped unread', () => {
    const losses = [{ fromMs: at(10), toMs: at(15) }]
    expect(withRelay([], [period(0, null)], { losses })).toEqual([
      { from: iso(10), to: iso(15), durationMs: 5_000, proven: true, reason: 'relay-dropped' },
    ])
  })
})

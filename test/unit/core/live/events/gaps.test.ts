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

/** A gap as expected, in seconds. */
const gap = (
  from: number,
  to: number | null,
  more: { durationMs?: number; proven?: boolean; reason?: string } = {},
) => ({
  from: iso(from),
  to: to === null ? null : iso(to),
  ...(to === null ? {} : { durationMs: (to - from) * 1_000 }),
  ...more,
})

interface Situation {
  listening?: Listening
  now?: number
  since?: number
  failed?: number
}
const gaps = (
  spans: ListeningSpan[],
  { listening = 'yes', now = 1_000, since = -1_000_000, failed }: Situation = {},
) =>
  findGaps({
    spans,
    listening,
    nowMs: at(now),
    sinceMs: at(since),
    firstFailure: failed === undefined ? null : { atMs: at(failed), reason: 'port-taken' },
  })

const crashed = { ...span(0, null), aliveMs: at(90) }
const moved = span(0, 100, 'moved')
/** A period at another port, since second 101. */
const elsewhere = (firstDelivery: number | null) => ({
  ...span(101, null),
  port: 9999,
  firstDeliveryMs: firstDelivery === null ? null : at(firstDelivery),
})
const days = 3 * 86_400
const wrongClock = { ...span(0, null), startedMs: Date.UTC(2000, 0), endedMs: Date.UTC(2000, 0, 1, 0, 1) }

type Case = [ListeningSpan[], Situation, object[]]
it.each<[string, ...Case[]]>([
  [
    'begins when the first start fails and stays open until the listener is up',
    [
      [],
      { listening: 'no', failed: 100, now: 160 },
      [gap(100, null, { durationMs: 60_000, proven: true, reason: 'port-taken' })],
    ],
    [[span(150, null)], { failed: 100 }, [gap(100, 150, { proven: true })]],
    [[span(0, null)], { failed: 100 }, []],
  ],
  [
    'is the time between two periods, with the reason why the first ended',
    [[moved, span(160, null)], {}, [gap(100, 160, { proven: true, reason: 'moved' })]],
  ],
  [
    'lasts after a move until a delivery shows that the service knows the new address',
    [
      [moved, elsewhere(null)],
      { now: 400 },
      [gap(100, null, { durationMs: 300_000, proven: true, reason: 'moved' })],
    ],
    [[moved, elsewhere(160)], {}, [gap(100, 160, { proven: true, reason: 'moved' })]],
  ],
  [
    'is certain after any move: retries go to the old address',
    [[moved, elsewhere(104)], {}, [gap(100, 104, { proven: true })]],
    [[moved, span(104, null)], {}, [gap(100, 104, { proven: false })]],
  ],
  [
    'ends when the listener returns to the known address, after any moves between',
    [
      [moved, { ...span(101, 150, 'moved'), port: 9999 }, span(151, null)],
      {},
      [gap(100, 151, { proven: true, reason: 'moved' })],
    ],
  ],
  [
    'is certain only beyond the last retry',
    [[span(0, 100), span(105, null)], {}, [gap(100, 105, { proven: false })]],
    [[span(0, 100), span(130, null)], {}, [gap(100, 130, { proven: false })]],
    [[span(0, 100), span(130.001, null)], {}, [{ proven: true }]],
  ],
  [
    'stays open from the last heartbeat until the listener reports after a sleep',
    [[span(0, null, 'closed', 95)], { now: 400 }, [gap(95, null, { reason: 'suspended' })]],
    [[span(0, null, 'closed', 95)], { now: 105 }, []],
  ],
  [
    'begins at the last heartbeat after a crash',
    [[crashed, span(200, null)], {}, [gap(90, 200, { proven: true, reason: 'crashed' })]],
  ],
  [
    'stays open while the listener is not up',
    [
      [span(0, 100)],
      { listening: 'no', now: 120 },
      [gap(100, null, { durationMs: 20_000, proven: false, reason: 'closed' })],
    ],
    [[span(0, 100)], { listening: 'no', now: 140 }, [gap(100, null, { proven: true })]],
    [
      [crashed],
      { listening: 'no', now: 140 },
      [gap(90, null, { durationMs: 50_000, proven: true, reason: 'crashed' })],
    ],
  ],
  [
    'stays open with its reason when nothing can be stored',
    [[crashed], { listening: 'not-stored', now: 140 }, [gap(90, null, { reason: 'not-stored' })]],
  ],
  [
    'neither precedes the first period nor includes now while the listener is up',
    [[], {}, []],
    [[], { listening: 'no' }, []],
    [[span(500, null)], {}, []],
  ],
  [
    'does not exist where periods touch or overlap, or where the clock was set back',
    [[span(0, 100), span(100, null)], {}, []],
    [[span(0, 100), span(90, null)], {}, []],
    [[span(0, 100), span(-50, null)], {}, []],
    [[span(0, 100), { ...span(50, null), endedMs: at(40), endReason: 'closed' }], {}, [gap(50, null)]],
  ],
  [
    'never lies in the future: periods are in the order in which they happened',
    [[span(days, days + 10), span(0, null)], { now: 20 }, []],
    [[span(days, days + 10), span(0, 10)], { now: 20, listening: 'no' }, [gap(10, null)]],
    // What the period with the wrong clock covered is unknown.
    [[span(-100, -50), span(days, days + 10), span(0, null)], { now: 20 }, [gap(-50, 0)]],
    // Once that future is past, it covers nothing of it.
    [[span(days, days + 10), span(0, 100), span(2 * days, null)], { now: 2 * days }, [gap(100, 2 * days)]],
    // Behind, then right.
    [[span(-days, 10 - days), span(0, null)], { now: 20 }, [gap(10 - days, 0)]],
  ],
  [
    'is the same with a period in which the clock was reset',
    [[span(0, 100), wrongClock, span(160, null)], {}, [gap(100, 160)]],
    [[wrongClock, span(160, null)], {}, []],
  ],
  [
    'is listed newest first, if it reaches into the requested time',
    [
      [span(0, 10), span(100, 110), span(200, 210), span(300, null)],
      {},
      [gap(210, 300), gap(110, 200), gap(10, 100)],
    ],
    [
      [span(0, 10), span(100, 110), span(200, 210), span(300, null)],
      { since: 150 },
      [gap(210, 300), gap(110, 200)],
    ],
    [[span(0, 10), span(5_000, null)], { now: 5_100, since: 4_000 }, [gap(10, 5_000)]],
  ],
])('a gap %s', (_rule, ...cases) => {
  for (const [spans, situation, expected] of cases) expect(gaps(spans, situation)).toMatchObject(expected)
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

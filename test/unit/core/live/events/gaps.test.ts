import { describe, expect, it } from 'vitest'
import { findGaps, type Listening, type ListeningSpan } from '#electron/core/live/events/gaps.ts'

/** 12:00:00 UTC; all times below are seconds after it. */
const noonMs = Date.UTC(2026, 0, 5, 12)
const at = (seconds: number) => noonMs + seconds * 1_000

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

type Parts = Parameters<typeof findGaps>[0]

/** Gaps as text, in seconds after noon; `now` is their end when they are open. */
function texts(parts: Omit<Parts, 'nowMs' | 'sinceMs'>, now = 1_000, since = -1_000_000): string[] {
  return findGaps({ ...parts, nowMs: at(now), sinceMs: at(since) }).map(
    ({ from, to, durationMs, proven, reason }) => {
      const seconds = (time: string) => (Date.parse(time) - noonMs) / 1_000
      expect(durationMs).toBe(Math.round(((to === null ? now : seconds(to)) - seconds(from)) * 1_000))
      return `${seconds(from)} to ${to === null ? 'now' : seconds(to)}: ${reason}${proven ? ', proven' : ''}`
    },
  )
}

interface Situation {
  listening?: Listening
  now?: number
  since?: number
  failed?: number
}
function gaps(spans: ListeningSpan[], { listening = 'yes', now, since, failed }: Situation = {}): string[] {
  const firstFailure = failed === undefined ? null : { atMs: at(failed), reason: 'port-taken' as const }
  return texts({ spans, listening, firstFailure }, now, since)
}

const crashed = { ...span(0, null), aliveMs: at(90) }
const moved = span(0, 100, 'moved')
/** A period at another port, since second 101. */
const elsewhere = (firstDelivery: number | null) => ({
  ...span(101, null),
  port: 9999,
  firstDeliveryMs: firstDelivery === null ? null : at(firstDelivery),
})
const days = 3 * 86_400

describe('a gap', () => {
  it('begins when the first start fails and stays open until the listener is up', () => {
    expect(gaps([], { listening: 'no', failed: 100, now: 160 })).toEqual(['100 to now: port-taken, proven'])
    expect(gaps([span(150, null)], { failed: 100 })).toEqual(['100 to 150: port-taken, proven'])
    expect(gaps([span(0, null)], { failed: 100 })).toEqual([])
  })

  it('is the time between two periods, with the reason why the first ended', () => {
    expect(gaps([moved, span(160, null)])).toEqual(['100 to 160: moved, proven'])
  })

  it('lasts after a move until a delivery shows that the service knows the new address', () => {
    expect(gaps([moved, elsewhere(null)], { now: 400 })).toEqual(['100 to now: moved, proven'])
    expect(gaps([moved, elsewhere(160)])).toEqual(['100 to 160: moved, proven'])
  })

  it('is certain after any move: retries go to the old address', () => {
    expect(gaps([moved, elsewhere(104)])).toEqual(['100 to 104: moved, proven'])
    expect(gaps([moved, span(104, null)])).toEqual(['100 to 104: moved'])
  })

  it('ends when the listener returns to the known address, after any moves between', () => {
    const between = { ...span(101, 150, 'moved'), port: 9999 }
    expect(gaps([moved, between, span(151, null)])).toEqual(['100 to 151: moved, proven'])
  })

  it('is certain only beyond the last retry', () => {
    expect(gaps([span(0, 100), span(105, null)])).toEqual(['100 to 105: closed'])
    expect(gaps([span(0, 100), span(130, null)])).toEqual(['100 to 130: closed'])
    expect(gaps([span(0, 100), span(130.001, null)])).toEqual(['100 to 130.001: closed, proven'])
  })

  it('stays open from the last heartbeat until the listener reports after a sleep', () => {
    const asleep = [span(0, null, 'closed', 95)]
    expect(gaps(asleep, { now: 400 })).toEqual(['95 to now: suspended, proven'])
    expect(gaps(asleep, { now: 105 })).toEqual([])
  })

  it('begins at the last heartbeat after a crash', () => {
    expect(gaps([crashed, span(200, null)])).toEqual(['90 to 200: crashed, proven'])
  })

  it('stays open while the listener is not up or nothing can be stored', () => {
    expect(gaps([span(0, 100)], { listening: 'no', now: 120 })).toEqual(['100 to now: closed'])
    expect(gaps([span(0, 100)], { listening: 'no', now: 140 })).toEqual(['100 to now: closed, proven'])
    expect(gaps([crashed], { listening: 'no', now: 140 })).toEqual(['90 to now: crashed, proven'])
    expect(gaps([crashed], { listening: 'not-stored', now: 140 })).toEqual(['90 to now: not-stored, proven'])
  })

  it('neither precedes the first period nor includes now while the listener is up', () => {
    expect(gaps([])).toEqual([])
    expect(gaps([], { listening: 'no' })).toEqual([])
    expect(gaps([span(500, null)])).toEqual([])
  })

  it('does not exist where periods touch or overlap, or where the clock was set back', () => {
    for (const next of [100, 90, -50]) expect(gaps([span(0, 100), span(next, null)])).toEqual([])
    const back = { ...span(50, null), endedMs: at(40), endReason: 'closed' as const }
    expect(gaps([span(0, 100), back])).toEqual(['50 to now: closed, proven'])
  })

  it('never lies in the future: periods are in the order in which they happened', () => {
    const future = span(days, days + 10)
    expect(gaps([future, span(0, null)], { now: 20 })).toEqual([])
    expect(gaps([future, span(0, 10)], { now: 20, listening: 'no' })).toEqual(['10 to now: closed'])
    // What the period with the wrong clock covered is unknown.
    const later = [span(-100, -50), future, span(0, null)]
    expect(gaps(later, { now: 20 })).toEqual(['-50 to 0: closed, proven'])
    // Once that future is past, it covers nothing of it.
    const past = [future, span(0, 100), span(2 * days, null)]
    expect(gaps(past, { now: 2 * days })).toEqual([`100 to ${2 * days}: closed, proven`])
    // Behind, then right.
    const behind = [span(-days, 10 - days), span(0, null)]
    expect(gaps(behind, { now: 20 })).toEqual([`${10 - days} to 0: closed, proven`])
  })

  it('is the same with a period in which the clock was reset', () => {
    const reset = { ...span(0, null), startedMs: Date.UTC(2000, 0), endedMs: Date.UTC(2000, 0, 1, 0, 1) }
    expect(gaps([span(0, 100), reset, span(160, null)])).toEqual(['100 to 160: closed, proven'])
    expect(gaps([reset, span(160, null)])).toEqual([])
  })

  it('is listed newest first, if it reaches into the requested time', () => {
    const spans = [span(0, 10), span(100, 110), span(200, 210), span(300, null)]
    const [newest, newer] = ['210 to 300: closed, proven', '110 to 200: closed, proven']
    expect(gaps(spans)).toEqual([newest, newer, '10 to 100: closed, proven'])
    expect(gaps(spans, { since: 150 })).toEqual([newest, newer])
    const long = [span(0, 10), span(5_000, null)]
    expect(gaps(long, { now: 5_100, since: 4_000 })).toEqual(['10 to 5000: closed, proven'])
  })
})

describe('a gap of an alarm', () => {
  const missed = (from: number, until: number, lasts = false) => ({
    fromMs: at(from),
    untilMs: at(until),
    reason: 'no-reports' as const,
    lasts,
  })
  const withMissed = (spans: ListeningSpan[], ...times: ReturnType<typeof missed>[]) =>
    texts({ spans, listening: 'yes', missed: times })

  it('is listed beside those of the listener, and stays open while it lasts', () => {
    expect(withMissed([span(0, null)], missed(100, 160), missed(900, 990, true))).toEqual([
      '900 to now: no-reports',
      '100 to 160: no-reports',
    ])
  })

  it('has no time in which the listener could not receive', () => {
    const spans = [span(0, 100), span(150, 300), span(310, null)]
    const own = ['300 to 310: closed', '100 to 150: closed, proven'] as const
    const [newer, older] = own
    const [before, between] = ['50 to 100: no-reports', '150 to 300: no-reports']
    expect(withMissed(spans, missed(120, 250))).toEqual([newer, '150 to 250: no-reports', older])
    const ended = ['310 to 400: no-reports', newer, between, older, before]
    expect(withMissed(spans, missed(50, 400))).toEqual(ended)
    expect(withMissed(spans, missed(50, 990, true))).toEqual(['310 to now: no-reports', ...ended.slice(1)])
    expect(withMissed(spans, missed(110, 140))).toEqual(own)
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
    losses: { fromMs: number; toMs: number | null }[] = [],
    readsRelay = true,
  ) => texts({ spans, listening: 'no', relays: { periods, losses }, readsRelay })

  it('is not the time for which the console was stopped', () => {
    // Stopped for five minutes.
    expect(withRelay([span(0, 100), span(400, 500)], [period(50, null)])).toEqual([])
    expect(withRelay([], [period(0, null, 700)])).toEqual([])
  })

  it('is the time in which neither could receive', () => {
    const periods = [period(100, 300), period(400, null)]
    expect(withRelay([span(0, 200)], periods)).toEqual(['300 to 400: relay-stopped, proven'])
    expect(withRelay([span(250, 450)], periods)).toEqual([])
  })

  it('lies between a relay that was left and the next one, and lost nothing if it is short', () => {
    expect(withRelay([], [period(0, null, 500), period(600, null)])).toEqual([
      '500 to 600: relay-stopped, proven',
    ])
    expect(withRelay([span(0, 100)], [period(110, null)])).toEqual(['100 to 110: closed'])
  })

  it('does not begin when one of several relays ends', () => {
    expect(withRelay([], [period(0, null, 900), period(100, 300)])).toEqual([])
    // One that was left open ended when its relay began the next.
    const left = { ...period(0, null, 200), isNewest: false }
    expect(withRelay([], [left, period(100, 300)])).toEqual(['300 to now: relay-stopped, proven'])
  })

  it('begins at its last sign of life once the relay is no longer read', () => {
    expect(withRelay([], [period(0, null, 700)], [], false)).toEqual(['700 to now: relay-stopped, proven'])
  })

  it('lists deliveries that the relay dropped unread', () => {
    const losses = [{ fromMs: at(10), toMs: at(15) }]
    expect(withRelay([], [period(0, null)], losses)).toEqual(['10 to 15: relay-dropped, proven'])
    // An open gap is first.
    expect(withRelay([span(-50, 0)], [], losses)).toEqual([
      '0 to now: closed, proven',
      '10 to 15: relay-dropped, proven',
    ])
  })
})

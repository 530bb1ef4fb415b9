import { randomUUID } from 'node:crypto'
import { AppError } from '../../contract/errors.ts'
import type { Replay, ReplaySpeed } from '../../contract/replay.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Pulse } from '../../lib/pulse.ts'
import { isoOf } from '../live/events/events.repository.ts'
import type { ReplayPlace } from './replay-view.ts'
import type { StoredArrival } from './replay.repository.ts'
import type { ReplaySource } from './replay-source.ts'

/** How often the clock goes on, milliseconds. */
const tickMs = 100

/** Deliveries shown in one go at most: 20,000 a second. The replay's clock waits for them, so that nothing is left out. */
const arrivalsPerTick = 2_000

/** With nothing for longer than this (in the time of the record) a silence is passed over, up to so long before its end, milliseconds. */
const quietMs = 5_000
const quietLeadMs = 1_000

/** A span that ends this close to the present may still be added to by what is not projected yet, milliseconds. */
const settledMs = 60_000

/** One replay: its clock and how far it showed the deliveries of its span. Holds one page of them. */
export interface ReplayPlayer {
  state(): Replay
  place(): ReplayPlace
  /** Aborted when the clock is set, and at the end: what follows the record goes no further. */
  signal(): AbortSignal
  resume(): void
  pause(): void
  /** Shows what arrived next, and stays there. */
  step(): void
  /** Throws `INVALID_INPUT` for a time outside of the span. */
  seek(atMs: number): void
  setSpeed(speed: ReplaySpeed): void
  skipQuiet(on: boolean): void
  stop(): void
}

export function createReplayPlayer(parts: {
  source: Pick<ReplaySource, 'repository' | 'watermark' | 'goneBefore' | 'recording'>
  clock: Clock
  /** Fired after each change. */
  pulse: Pulse
  /** [fromMs, toMs), whole seconds. */
  fromMs: number
  toMs: number
  speed: ReplaySpeed
  skipQuiet: boolean
}): ReplayPlayer {
  const { source, clock, pulse, fromMs, toMs } = parts
  const { repository } = source
  const id = randomUUID()
  const isRecent = toMs > clock.now() - settledMs
  let { speed, skipQuiet } = parts
  let playing = false
  let clockMs = fromMs
  let position = 0
  /** The last delivery that can be of the span. */
  let lastSeq = 0
  let shown = 0
  let total = 0
  let gone = 0
  let jump = 0
  let ahead: StoredArrival[] = []
  let at = 0
  let tickedMs = 0
  let cancelTick = () => {}
  let following = new AbortController()

  /** Copies of the span lie up to the first event after it. */
  function findEnd(): void {
    const after = repository.firstSeq(toMs, 8.64e15)
    const events = repository.lastSeq(fromMs, toMs) ?? 0
    lastSeq = Math.max(events, after === null ? source.watermark() : after - 1)
    repository.findDeleted()
    total = repository.count(fromMs, toMs, Number.MAX_SAFE_INTEGER)
    gone = repository.arrived(fromMs, toMs) - total + source.goneBefore
  }

  function goTo(nextMs: number): void {
    clockMs = nextMs
    findEnd()
    const first = repository.firstSeq(nextMs, toMs)
    position =
      first === null ? (nextMs >= toMs ? lastSeq : (repository.lastSeq(fromMs, nextMs) ?? 0)) : first - 1
    shown = repository.count(fromMs, toMs, position)
    ahead = []
    at = 0
  }

  /** The next delivery of the span, or null. Those between that are none of it are passed over. */
  function next(): StoredArrival | null {
    for (;;) {
      for (; at < ahead.length; at++) {
        const arrival = ahead[at]!
        if (arrival.receivedMs >= fromMs && arrival.receivedMs < toMs) return arrival
        position = arrival.seq
      }
      ahead = repository.arrivals(position, lastSeq, arrivalsPerTick)
      at = 0
      if (ahead.length > 0) continue
      const before = lastSeq
      if (isRecent && clockMs >= toMs) findEnd()
      if (lastSeq === before) return null
    }
  }

  function take({ seq, isEvent }: StoredArrival): void {
    position = seq
    at++
    if (isEvent) shown++
  }

  /** Shows what arrived before `untilMs`, as much as one go may. */
  function showUntil(untilMs: number): void {
    for (let count = 0; count < arrivalsPerTick; count++) {
      const arrival = next()
      if (arrival === null || arrival.receivedMs >= untilMs) {
        clockMs = Math.max(clockMs, Math.min(untilMs, toMs))
        if (skipQuiet && playing) passOver(arrival)
        return
      }
      take(arrival)
      clockMs = Math.max(clockMs, arrival.receivedMs + 1)
    }
  }

  function passOver(upcoming: StoredArrival | null): void {
    if (upcoming === null) clockMs = toMs
    else if (upcoming.receivedMs - clockMs > quietMs) clockMs = upcoming.receivedMs - quietLeadMs
  }

  function tick(): void {
    const nowMs = clock.monotonic()
    const wentMs = nowMs - tickedMs
    tickedMs = nowMs
    showUntil(speed === 'max' ? toMs : Math.min(toMs, clockMs + wentMs * speed))
    if (clockMs >= toMs && next() === null) playing = false
    else schedule()
    pulse.fire()
  }

  function schedule(): void {
    cancelTick()
    cancelTick = clock.after(tickMs, tick)
  }

  function halt(): void {
    playing = false
    cancelTick()
  }

  function jumpTo(nextMs: number): void {
    jump++
    following.abort()
    following = new AbortController()
    goTo(nextMs)
  }

  goTo(fromMs)

  return {
    state: () => ({
      id,
      from: isoOf(fromMs),
      to: isoOf(toMs),
      clock: isoOf(Math.floor(clockMs)),
      speed,
      playing,
      atEnd: clockMs >= toMs,
      skipQuiet,
      shown,
      total: Math.max(total, shown),
      gone: Math.max(0, gone),
      jump,
      recording: source.recording,
    }),
    place: () => ({ fromMs, toMs, clockMs, position }),
    signal: () => following.signal,
    resume() {
      if (playing) return
      // At its end there is nothing to go on with: it begins again.
      if (clockMs >= toMs) jumpTo(fromMs)
      playing = true
      tickedMs = clock.monotonic()
      schedule()
      pulse.fire()
    },
    pause() {
      halt()
      pulse.fire()
    },
    step() {
      halt()
      const arrival = next()
      if (arrival === null) clockMs = toMs
      else {
        take(arrival)
        clockMs = Math.max(clockMs, arrival.receivedMs + 1)
      }
      pulse.fire()
    },
    seek(atMs) {
      const second = Math.floor(atMs / 1_000) * 1_000
      if (!(second >= fromMs && second <= toMs))
        throw new AppError('INVALID_INPUT', { detail: 'this time is not in the span of the replay' })
      jumpTo(second)
      tickedMs = clock.monotonic()
      pulse.fire()
    },
    setSpeed(next) {
      speed = next
      tickedMs = clock.monotonic()
      pulse.fire()
    },
    skipQuiet(on) {
      skipQuiet = on
      pulse.fire()
    },
    stop() {
      halt()
      following.abort()
      pulse.fire()
    },
  }
}

import { type Clock, sleepWith, systemClock } from '#electron/lib/clock.ts'

/** How long the console waits for answers. Another wait of the same length is kept, too: that only takes longer. */
const deadlinesMs = [3_000, 10_000, 30_000]

/** A clock whose waits pass `factor` times faster; its deadlines too, unless the machine may be too busy for that. */
export function createFastClock(factor: number, { keepDeadlines = false } = {}): Clock {
  const after: Clock['after'] = (delayMs, callback) =>
    systemClock.after(keepDeadlines && deadlinesMs.includes(delayMs) ? delayMs : delayMs / factor, callback)
  const startMs = systemClock.monotonic()
  return {
    now: () => systemClock.now(),
    monotonic: () => startMs + (systemClock.monotonic() - startMs) * factor,
    after,
    every: (periodMs, callback) => systemClock.every(periodMs / factor, callback),
    sleep: sleepWith(after),
  }
}

/** A fast clock whose time of day is fast too, so that undo windows end soon. */
export function createFastDayClock(factor: number, options: { keepDeadlines?: boolean } = {}): Clock {
  const startMs = systemClock.now()
  return {
    ...createFastClock(factor, options),
    now: () => startMs + (systemClock.now() - startMs) * factor,
  }
}

import { type Clock, sleepWith, systemClock } from '#electron/lib/clock.ts'

/** A clock whose waits and deadlines pass `factor` times faster. */
export function createFastClock(factor: number): Clock {
  const after: Clock['after'] = (delayMs, callback) => systemClock.after(delayMs / factor, callback)
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
export function createFastDayClock(factor: number): Clock {
  const startMs = systemClock.now()
  return {
    ...createFastClock(factor),
    now: () => startMs + (systemClock.now() - startMs) * factor,
  }
}

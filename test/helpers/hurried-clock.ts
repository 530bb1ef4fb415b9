import { type Clock, sleepWith, systemClock } from '#electron/lib/clock.ts'

/** A clock whose waits and deadlines pass `factor` times faster. */
export function createHurriedClock(factor: number): Clock {
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

/** A hurried clock whose time of day passes as fast, so that the undo window of a deletion or a send ends soon. */
export function createFastDayClock(factor: number): Clock {
  const startMs = systemClock.now()
  return {
    ...createHurriedClock(factor),
    now: () => startMs + (systemClock.now() - startMs) * factor,
  }
}

import type { Clock } from '../../../lib/clock.ts'

/** A wall clock that gained this much on the monotonic one since the last look: the machine slept. Less is a correction of the time. */
const sleptMs = 5_000

/**
 * `clock` with a monotonic time that also counts sleep. Linux and macOS stop the monotonic clock while the machine sleeps, but
 * the service's minutes and a token's life go on. Sleep shows as a wall clock that gained more than 5 s between two looks;
 * so does a clock set forward, which only makes tokens and pauses seem older: one refresh, or one more 429. A wall clock set
 * back changes nothing. Timers stay those of `clock`: what waits for long must look again now and then.
 */
export function createWakingClock(clock: Clock): Clock {
  let lastMs = clock.monotonic()
  let lastWallMs = clock.now()
  let sleptSoFarMs = 0
  return {
    ...clock,
    monotonic() {
      const nowMs = clock.monotonic()
      const nowWallMs = clock.now()
      const gainedMs = nowWallMs - lastWallMs - (nowMs - lastMs)
      if (gainedMs > sleptMs) sleptSoFarMs += gainedMs
      lastMs = nowMs
      lastWallMs = nowWallMs
      return nowMs + sleptSoFarMs
    },
  }
}

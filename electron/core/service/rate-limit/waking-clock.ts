import type { Clock } from '../../../lib/clock.ts'

/** A wall clock that gained this much on the monotonic one means sleep; less is a correction. */
const sleptMs = 5_000

/**
 * `clock` with a monotonic time that counts sleep. Linux and macOS stop the monotonic clock during sleep, but rate windows and tokens
 * continue. Setting the clock forward looks like sleep and costs one refresh or one more 429; setting it back changes nothing. Timers are
 * those of `clock`, so long waits must be rechecked.
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

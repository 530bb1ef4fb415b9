import type { Clock } from '../lib/clock.ts'

const pingPeriodMs = 5_000
/** Missed pings in a row that mean a stall: 30 s, far above the core's longest step. */
const missedMax = 6

/**
 * Calls `onStall` once when the core answers no `ping` for 30 s. Counts pings, so sleep doesn't look like a
 * stall. Returns its stop.
 */
export function watchForStall(ping: () => Promise<unknown>, clock: Clock, onStall: () => void): () => void {
  let missed = 0
  const stop = clock.every(pingPeriodMs, () => {
    if (missed === missedMax) {
      stop()
      return onStall()
    }
    if (missed++ > 0) return
    ping().then(
      () => (missed = 0),
      () => stop(),
    )
  })
  return stop
}

import type { Clock } from '../lib/clock.ts'

/** The core is asked for a sign of life this often, milliseconds. */
const pingPeriodMs = 5_000
/** Pings in a row without an answer that mean it is stalled: 30 s, far above its longest step. */
const missedMax = 6

/**
 * Calls `onStall` once when the core answers no `ping` for 30 s. Counts pings rather than time, so a computer that slept is no
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

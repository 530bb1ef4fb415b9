import { sleptMs } from './silence.ts'

const minuteMs = 60_000
/** A shorter outage ends before anyone can act on it. */
export const outageMs = 2 * minuteMs

/** Tells an outage from one failed request, look by look: the newest failure is this much later than the first. Times are monotonic. */
export function createOutageRule() {
  let lastLookMs: number | null = null
  let awakeSinceMs = 0
  return function look(atMs: number, failures: { firstMs: number; lastMs: number } | null): boolean {
    // Failures before a sleep say nothing about the time of the sleep.
    if (lastLookMs !== null && atMs - lastLookMs > sleptMs) awakeSinceMs = atMs
    lastLookMs = atMs
    return failures !== null && failures.lastMs - Math.max(failures.firstMs, awakeSinceMs) >= outageMs
  }
}

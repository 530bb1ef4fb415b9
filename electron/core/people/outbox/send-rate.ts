const spanMs = 60_000
/** A shorter time tells little about the next minutes. */
const leastMs = 10_000

export function createSendRate() {
  /** When each of the last minute's items finished. */
  const doneAtMs: number[] = []
  let lastDone: number | null = null
  let movingSinceMs: number | null = null
  /** Items finished since they move, at most in the last minute, and that time; null while nothing moves. */
  function measured(nowMs: number): { count: number; forMs: number } | null {
    while (doneAtMs[0] !== undefined && doneAtMs[0] < nowMs - spanMs) doneAtMs.shift()
    if (movingSinceMs === null) return null
    const sinceMs = movingSinceMs
    const count = doneAtMs.filter((atMs) => atMs >= sinceMs).length
    return { count, forMs: Math.min(spanMs, nowMs - sinceMs) }
  }
  return {
    /** Records the number of finished items, and whether more are moving. Call on every change. */
    note(done: number, isMoving: boolean, nowMs: number) {
      for (let added = done - (lastDone ?? done); added > 0; added--) doneAtMs.push(nowMs)
      lastDone = done
      movingSinceMs = isMoving ? (movingSinceMs ?? nowMs) : null
    },
    /**
     * Items finished in the last minute. Null while nothing moves and during the first minute, when the rate
     * would be too low.
     */
    perMinute(nowMs: number) {
      const { count, forMs } = measured(nowMs) ?? { count: 0, forMs: 0 }
      return forMs < spanMs ? null : count
    },
    /** How long `open` items take at the measured rate. Null while nothing moves, none finishes, and for the first 10 s. */
    etaMs(open: number, nowMs: number) {
      const { count, forMs } = measured(nowMs) ?? { count: 0, forMs: 0 }
      return count === 0 || forMs < leastMs ? null : (open * forMs) / count
    },
  }
}

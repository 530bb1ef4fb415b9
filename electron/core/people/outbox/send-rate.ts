const spanMs = 60_000

export function createSendRate() {
  /** When each of the last minute's items finished. */
  const doneAtMs: number[] = []
  let lastDone: number | null = null
  let movingSinceMs: number | null = null
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
      while (doneAtMs[0] !== undefined && doneAtMs[0] < nowMs - spanMs) doneAtMs.shift()
      return movingSinceMs !== null && nowMs - movingSinceMs >= spanMs ? doneAtMs.length : null
    },
  }
}

const spanMs = 60_000

/** Watches how fast items get done. */
export interface SendRate {
  /**
   * Items done in the last minute, when there are `done` of them at `nowMs`. Null while nothing moves, and before it has done so for a
   * whole minute, when it would be too low.
   */
  perMinute(done: number, isMoving: boolean, nowMs: number): number | null
}

export function createSendRate(): SendRate {
  /** When each of the last minute's items was seen done. */
  const doneAtMs: number[] = []
  let lastDone: number | null = null
  let movingSinceMs: number | null = null
  return {
    perMinute(done, isMoving, nowMs) {
      for (let added = done - (lastDone ?? done); added > 0; added--) doneAtMs.push(nowMs)
      lastDone = done
      while (doneAtMs[0] !== undefined && doneAtMs[0] < nowMs - spanMs) doneAtMs.shift()
      movingSinceMs = isMoving ? (movingSinceMs ?? nowMs) : null
      return movingSinceMs !== null && nowMs - movingSinceMs >= spanMs ? doneAtMs.length : null
    },
  }
}

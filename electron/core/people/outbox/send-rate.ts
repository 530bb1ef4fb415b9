const spanMs = 60_000

/** Watches how fast items get done. */
export interface SendRate {
  /** Takes note of how many are done, and whether there is more to do: at every change, whether anybody looks or not. */
  note(done: number, isMoving: boolean, nowMs: number): void
  /** Items done in the last minute. Null while nothing moves, and before it has done so for a whole minute, when it would be too low. */
  perMinute(nowMs: number): number | null
}

export function createSendRate(): SendRate {
  /** When each of the last minute's items was done. */
  const doneAtMs: number[] = []
  let lastDone: number | null = null
  let movingSinceMs: number | null = null
  return {
    note(done, isMoving, nowMs) {
      for (let added = done - (lastDone ?? done); added > 0; added--) doneAtMs.push(nowMs)
      lastDone = done
      movingSinceMs = isMoving ? (movingSinceMs ?? nowMs) : null
    },
    perMinute(nowMs) {
      while (doneAtMs[0] !== undefined && doneAtMs[0] < nowMs - spanMs) doneAtMs.shift()
      return movingSinceMs !== null && nowMs - movingSinceMs >= spanMs ? doneAtMs.length : null
    },
  }
}

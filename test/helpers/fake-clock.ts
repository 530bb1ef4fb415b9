import { type Clock, sleepWith } from '#electron/lib/clock.ts'

/** A clock that the test moves. Timers fire in order of their due time, each followed by a turn of the event loop. */
export interface FakeClock extends Clock {
  /** Moves time by `ms`, fires due timers, and lets promises and I/O callbacks settle after each. */
  advance(ms: number): Promise<void>
  /** Moves the wall clock only, as setting the clock would. */
  jumpWall(ms: number): void
  /** Timers still waiting. */
  pending(): number
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

export function createFakeClock(startMs = Date.UTC(2026, 0, 5, 9, 0, 0)): FakeClock {
  let elapsedMs = 0
  let wallOffsetMs = startMs
  let nextId = 1
  const timers = new Map<number, { dueMs: number; callback: () => void }>()
  const after: Clock['after'] = (delayMs, callback) => {
    const id = nextId++
    timers.set(id, { dueMs: elapsedMs + Math.max(0, delayMs), callback })
    return () => void timers.delete(id)
  }
  return {
    now: () => wallOffsetMs + elapsedMs,
    monotonic: () => elapsedMs,
    after,
    every(periodMs, callback) {
      let cancel = () => {}
      const again = () => {
        cancel = after(periodMs, () => {
          again()
          callback()
        })
      }
      again()
      return () => cancel()
    },
    sleep: sleepWith(after),
    async advance(ms) {
      const endMs = elapsedMs + ms
      await settle()
      for (;;) {
        const due = [...timers]
          .filter(([, timer]) => timer.dueMs <= endMs)
          .sort((a, b) => a[1].dueMs - b[1].dueMs || a[0] - b[0])[0]
        if (!due) break
        timers.delete(due[0])
        elapsedMs = Math.max(elapsedMs, due[1].dueMs)
        due[1].callback()
        await settle()
      }
      elapsedMs = endMs
      await settle()
    },
    jumpWall(ms) {
      wallOffsetMs += ms
    },
    pending: () => timers.size,
  }
}

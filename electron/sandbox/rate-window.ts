import type { Clock } from '../lib/clock.ts'

export interface RateAnswer {
  limited: boolean
  limit: number
  remaining: number
  /** Unix seconds at which the window ends. */
  resetSeconds: number
}

const windowMs = 60_000
/** The spec's limit, shown while requests are unlimited. */
const specLimit = 200

/** Counts requests by key in fixed one-minute windows from the key's first request. Null means no limit. */
export function createRateWindows(clock: Clock, limitPerMinute: number | null) {
  const windows = new Map<string, { endMs: number; used: number }>()

  function windowOf(key: string, nowMs: number) {
    let window = windows.get(key)
    // A wall clock that jumped back would keep the window open.
    if (!window || nowMs >= window.endMs || window.endMs - nowMs > windowMs) {
      if (windows.size > 1_000)
        for (const [other, { endMs }] of windows) if (endMs <= nowMs) windows.delete(other)
      window = { endMs: nowMs + windowMs, used: 0 }
      windows.set(key, window)
    }
    return window
  }

  return {
    take(key: string): RateAnswer {
      const nowMs = clock.now()
      if (limitPerMinute === null)
        return {
          limited: false,
          limit: specLimit,
          remaining: specLimit,
          resetSeconds: Math.ceil((nowMs + windowMs) / 1_000),
        }
      const window = windowOf(key, nowMs)
      const limited = window.used >= limitPerMinute
      if (!limited) window.used++
      return {
        limited,
        limit: limitPerMinute,
        remaining: limitPerMinute - window.used,
        resetSeconds: Math.ceil(window.endMs / 1_000),
      }
    },
  }
}

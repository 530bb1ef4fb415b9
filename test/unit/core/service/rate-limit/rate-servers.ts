import type { Clock } from '#electron/lib/clock.ts'
import type { RateReading } from '#electron/core/service/rate-limit/rate-headers.ts'
import type { Random } from '#electron/lib/random.ts'

const windowMs = 60_000

/** Ways to count 200 requests per minute and to fill the three headers. */
export interface ServerModel {
  name: string
  /** Takes one request. Rejected ones do not count. */
  take(nowMs: number): { isLimited: boolean; reading: RateReading }
}

const reading = (limit: number, remaining: number, resetAtMs: number | null): RateReading => ({
  limitPerMinute: limit,
  remaining,
  resetAtMs,
  retryAfterMs: null,
})

/** Reset as whole Unix seconds and as the client reads it: up to a second later. */
const wholeSeconds = (ms: number, round = Math.floor) => round(ms / 1000) * 1000 + 1000

/** A counter that restarts each minute, offset by `phaseMs`. */
export function fixedServer(round = Math.floor, limit = 200, phaseMs = 17_300): ServerModel {
  let windowIndex = -1
  let count = 0
  return {
    name: 'fixed window',
    take(nowMs) {
      const index = Math.floor((nowMs + phaseMs) / windowMs)
      if (index !== windowIndex) {
        windowIndex = index
        count = 0
      }
      const resetMs = wholeSeconds((index + 1) * windowMs - phaseMs, round)
      if (count >= limit) return { isLimited: true, reading: reading(limit, 0, resetMs) }
      count++
      return { isLimited: false, reading: reading(limit, limit - count, resetMs) }
    },
  }
}

/** A log of the last 60 s. By `resetIs`, Reset is when the oldest leaves, always a minute from now, or absent. */
export function slidingServer(resetIs: 'oldest' | 'full' | 'missing', limit = 200): ServerModel {
  let log: number[] = []
  return {
    name: `sliding window, reset ${resetIs}`,
    take(nowMs) {
      log = log.filter((atMs) => atMs > nowMs - windowMs)
      const isLimited = log.length >= limit
      if (!isLimited) log.push(nowMs)
      const resetMs = resetIs === 'full' ? nowMs + windowMs : (log[0] ?? nowMs) + windowMs
      return {
        isLimited,
        reading: reading(limit, limit - log.length, resetIs === 'missing' ? null : wholeSeconds(resetMs)),
      }
    },
  }
}

/** A bucket of `limit` tokens that refills `limit` a minute. Reset is when it is full. */
export function tokenBucketServer(limit = 200): ServerModel {
  let tokens = limit
  let atMs = 0
  return {
    name: 'token bucket',
    take(nowMs) {
      tokens = Math.min(limit, tokens + ((nowMs - atMs) * limit) / windowMs)
      atMs = nowMs
      const isLimited = tokens < 1
      if (!isLimited) tokens -= 1
      return {
        isLimited,
        reading: reading(
          limit,
          Math.floor(tokens),
          wholeSeconds(nowMs + ((limit - tokens) * windowMs) / limit),
        ),
      }
    },
  }
}

/** Another program of the tenant: `perMinute` requests at random times (seeded), ignoring all limits. */
export function runOther(
  server: ServerModel,
  clock: Clock,
  random: Random,
  perMinute: number,
): { taken(): number; stop(): void } {
  let taken = 0
  let cancel = () => {}
  const next = () => {
    const gapMs = (-Math.log(1 - random()) * windowMs) / perMinute
    cancel = clock.after(gapMs, () => {
      if (!server.take(clock.monotonic()).isLimited) taken++
      next()
    })
  }
  if (perMinute > 0) next()
  return { taken: () => taken, stop: () => cancel() }
}

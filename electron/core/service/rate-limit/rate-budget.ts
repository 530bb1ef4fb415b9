import type { Clock } from '../../../lib/clock.ts'
import type { Random } from '../../../lib/random.ts'
import type { RateReading } from './rate-headers.ts'
import { createRateWindow, type Lane, type WindowKind } from './rate-window.ts'

const lanes = ['operator', 'live', 'bulk'] as const satisfies readonly Lane[]

/** The rate limit for display. Counts are for the current minute. */
export interface RateBudgetSnapshot {
  limitPerMinute: number
  usedByUs: number
  /** Requests of the tenant's other programs: the drop of Remaining that we didn't cause. */
  usedByOthers: number
  remaining: number
  resetInMs: number
  /** Milliseconds until requests continue after a 429; 0 when not paused. */
  pausedForMs: number
  queued: Record<Lane, number>
  windowKind: WindowKind
}

/** Permission to send one request. Ends with exactly one of its calls. */
interface Permit {
  /** The service answered. `isLimited` for 429: all lanes then wait. */
  answered(reading: RateReading, isLimited: boolean): void
  /** The request never left, so it doesn't count. */
  unused(): void
}

export interface RateBudgetView {
  snapshot(): RateBudgetSnapshot
  /** Calls `listener` after each change (several a second under load). Returns its stop. */
  onChange(listener: () => void): () => void
  /** Time for `bulkCount` more bulk requests at the others' current use, milliseconds. */
  estimateMs(bulkCount: number): number
  /** Sets how much bulk work is left here and at colleagues, who share the rate by that. */
  setTeam(ownLeft: number, othersLeft: number): void
}

export interface RateBudget extends RateBudgetView {
  /**
   * Waits for permission to send. Rejects with `signal.reason` or the error of `close`. `ahead`: before its lane's
   * queue, for the session refresh that the queue depends on.
   */
  acquire(lane: Lane, options?: { signal?: AbortSignal | undefined; ahead?: boolean }): Promise<Permit>
  /** Remaining pause after a 429, milliseconds. */
  pausedForMs(): number
  /** Rejects all waiting and later requests. */
  close(error: Error): void
}

/** Pause after a 429 without a reset, doubled each time. */
const blindPauseMs = 1_000
const maxBlindPauseMs = 30_000
/** In a sliding window, room comes back long before Reset: first pause, doubled each time. */
const slidingPauseMs = 400
/** Full jitter on each pause, so the tenant's programs don't resume together; doubled each time. */
const pauseJitterMs = 500
const maxPauseJitterMs = 5_000
/** A pause is checked at least this often: after sleep it may be over early. */
const recheckMs = 5_000

interface Waiter {
  lane: Lane
  resolve(permit: Permit): void
  reject(error: unknown): void
}

/**
 * The one scheduler for every request of a connection, with sign-in, refresh and retries. `clock` should count sleep
 * (`createWakingClock`) and be the one of the readings. `earlier`: our own requests just before, as of failed sign-ins.
 */
export function createRateBudget(options: { clock: Clock; random: Random; earlier?: number }): RateBudget {
  const { clock, random, earlier = 0 } = options
  const window = createRateWindow()
  for (let request = 0; request < earlier; request++) window.sent('operator', clock.monotonic())
  const queues: Record<Lane, Waiter[]> = { operator: [], live: [], bulk: [] }
  const listeners = new Set<() => void>()
  let pausedUntilMs = -Infinity
  let limitedInARow = 0
  let othersLeft = 0
  let cancelTimer: (() => void) | null = null
  let closedBy: Error | null = null

  const changed = () => {
    for (const listener of [...listeners]) listener()
  }

  function pause(reading: RateReading, nowMs: number): void {
    if (nowMs < pausedUntilMs) return
    const doubling = 2 ** Math.min(limitedInARow++, 6)
    const blindMs = Math.min(maxBlindPauseMs, blindPauseMs * doubling)
    const resetInMs = reading.resetAtMs === null ? blindMs : Math.max(0, reading.resetAtMs - nowMs)
    // Requests are left, so another limit applied and this reset isn't its own: back off.
    const untilResetMs = (reading.remaining ?? 0) > 0 ? Math.min(blindMs, resetInMs) : resetInMs
    const isSliding = window.kind() === 'sliding'
    const waitMs =
      reading.retryAfterMs ?? (isSliding ? Math.min(untilResetMs, slidingPauseMs * doubling) : untilResetMs)
    const jitterMs = isSliding ? waitMs : pauseJitterMs * doubling
    pausedUntilMs = nowMs + waitMs + random() * Math.min(maxPauseJitterMs, jitterMs)
  }

  function permit(lane: Lane): Permit {
    const seq = window.sent(lane, clock.monotonic())
    return {
      answered(reading, isLimited) {
        const nowMs = clock.monotonic()
        if (isLimited) {
          window.limited(seq, reading, nowMs)
          pause(reading, nowMs)
        } else {
          window.answered(seq, reading, nowMs)
          if (nowMs >= pausedUntilMs) limitedInARow = 0
        }
        pump()
      },
      unused() {
        window.notSent(seq)
        pump()
      },
    }
  }

  /** Grants what may be sent now, in lane order, and sets the timer for the next. */
  function pump(): void {
    cancelTimer?.()
    cancelTimer = null
    for (;;) {
      const nowMs = clock.monotonic()
      let nextMs = Infinity
      const ready = lanes.find((lane) => {
        if (queues[lane].length === 0) return false
        const readyAtMs = nowMs < pausedUntilMs ? pausedUntilMs : window.readyAt(lane, nowMs)
        nextMs = Math.min(nextMs, readyAtMs)
        return readyAtMs <= nowMs
      })
      if (!ready) {
        if (nextMs < Infinity) {
          const waitMs = Math.min(recheckMs, Math.max(1, Math.ceil(nextMs - nowMs)))
          cancelTimer = clock.after(waitMs, pump)
        }
        break
      }
      queues[ready].shift()!.resolve(permit(ready))
    }
    changed()
  }

  return {
    acquire(lane, { signal, ahead = false } = {}) {
      return new Promise<Permit>((resolve, reject) => {
        if (closedBy) return reject(closedBy)
        if (signal?.aborted) return reject(signal.reason as Error)
        const onAbort = () => {
          queues[lane] = queues[lane].filter((other) => other !== waiter)
          reject(signal!.reason as Error)
          pump()
        }
        const settled = () => signal?.removeEventListener('abort', onAbort)
        const waiter: Waiter = {
          lane,
          resolve(granted) {
            settled()
            resolve(granted)
          },
          reject(error) {
            settled()
            reject(error)
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        if (ahead) queues[lane].unshift(waiter)
        else queues[lane].push(waiter)
        pump()
      })
    },

    setTeam(ownLeft, others) {
      othersLeft = others
      window.setShare(ownLeft === 0 ? 1 : ownLeft / (ownLeft + others))
    },

    pausedForMs: () => Math.max(0, pausedUntilMs - clock.monotonic()),

    snapshot() {
      const nowMs = clock.monotonic()
      return {
        limitPerMinute: window.limitPerMinute(),
        ...window.usage(nowMs),
        remaining: nowMs < pausedUntilMs ? 0 : window.remaining(nowMs),
        pausedForMs: Math.max(0, pausedUntilMs - nowMs),
        queued: { operator: queues.operator.length, live: queues.live.length, bulk: queues.bulk.length },
        windowKind: window.kind(),
      }
    },

    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    estimateMs(bulkCount) {
      const nowMs = clock.monotonic()
      const ahead = queues.operator.length + queues.live.length + queues.bulk.length
      const perMinute = window.bulkPerMinute(nowMs, othersLeft > 0)
      // What colleagues have left is done by the same time.
      const all = bulkCount + ahead + (bulkCount > 0 ? othersLeft : 0)
      return Math.round(Math.max(0, pausedUntilMs - nowMs) + (all * 60_000) / perMinute)
    },

    close(error) {
      closedBy = error
      cancelTimer?.()
      cancelTimer = null
      for (const lane of lanes) for (const waiter of queues[lane].splice(0)) waiter.reject(error)
      changed()
    },
  }
}

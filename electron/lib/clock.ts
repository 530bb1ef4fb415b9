/** Time as a parameter, so no test waits real seconds. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. May jump. */
  now(): number
  /** Monotonic milliseconds from an arbitrary start. Use it for ages and deadlines. */
  monotonic(): number
  /** Runs `callback` once. Returns its cancel. The timer never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void
  /** Runs `callback` repeatedly. Returns its cancel. The timer never keeps the process alive. */
  every(periodMs: number, callback: () => void): () => void
  /** Resolves after `delayMs`; rejects with `signal.reason` when aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
}

/** Builds `sleep` from a clock's `after`. */
export function sleepWith(after: Clock['after']): Clock['sleep'] {
  return (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const onAbort = () => {
        cancel()
        reject(signal!.reason as Error)
      }
      const cancel = after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
}

function after(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
  every(periodMs, callback) {
    const timer = setInterval(callback, periodMs)
    timer.unref()
    return () => clearInterval(timer)
  },
  sleep: sleepWith(after),
}

import type { Clock } from './clock.ts'

/** Says "something changed" to whoever listens; carries nothing, so that a slow listener can never fall behind. */
export interface Pulse {
  fire(): void
  /** Returns the unsubscribe. */
  subscribe(listener: () => void): () => void
}

export function createPulse(): Pulse {
  const listeners = new Set<() => void>()
  return {
    fire() {
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/**
 * Yields once at once, then after each pulse, at least `minGapMs` apart and at most `maxGapMs` apart.
 * Pulses in between are merged, none is lost. Ends when `signal` aborts.
 */
export async function* beats(
  pulse: Pulse,
  clock: Clock,
  gaps: { minGapMs: number; maxGapMs: number },
  signal: AbortSignal,
): AsyncGenerator<void, void> {
  let dirty = true
  let wake: () => void = () => {}
  const unsubscribe = pulse.subscribe(() => {
    dirty = true
    wake()
  })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  /** Resolves on a pulse, on abort, or after `ms`. */
  const nextWake = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, () => resolve())
      wake = () => {
        cancel()
        resolve()
      }
    })
  try {
    let lastMs = -Infinity
    while (!signal.aborted) {
      const sinceMs = clock.monotonic() - lastMs
      if (dirty && sinceMs >= gaps.minGapMs) {
        dirty = false
        lastMs = clock.monotonic()
        yield
      } else if (sinceMs >= gaps.maxGapMs) {
        dirty = true
      } else {
        await nextWake(dirty ? gaps.minGapMs - sinceMs : gaps.maxGapMs - sinceMs)
      }
    }
  } finally {
    unsubscribe()
    signal.removeEventListener('abort', onAbort)
  }
}

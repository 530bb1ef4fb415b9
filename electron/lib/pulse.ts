import type { Clock } from './clock.ts'

/** "Something changed", without data, so a slow listener never falls behind. */
export type Pulse = ReturnType<typeof createPulse>

export function createPulse() {
  const listeners = new Set<() => void>()
  return {
    fire(): void {
      for (const listener of [...listeners]) listener()
    },
    /** Returns the unsubscribe. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Resolves with the next pulse, or after `ms`. */
export const nextPulse = (pulse: Pick<Pulse, 'subscribe'>, clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel()
      unsubscribe()
      resolve()
    }
    const cancel = clock.after(ms, end)
    const unsubscribe = pulse.subscribe(end)
  })

/** Calls `send` with the newest value: at once, then at least `gapMs` apart. */
export function atMostEvery<T>(clock: Clock, gapMs: number, send: (value: T) => void): (value: T) => void {
  let newest: T
  let isWaiting = false
  let sentMs = -Infinity
  const sendNewest = () => {
    isWaiting = false
    sentMs = clock.monotonic()
    send(newest)
  }
  return (value) => {
    newest = value
    if (isWaiting) return
    const restMs = sentMs + gapMs - clock.monotonic()
    if (restMs <= 0) return sendNewest()
    isWaiting = true
    clock.after(restMs, sendNewest)
  }
}

/** Passes on pulses at least `gapMs` apart, the first immediately. */
export function slowed(source: Pulse, clock: Clock, gapMs: number): Pick<Pulse, 'subscribe'> {
  const slow = createPulse()
  const pass = atMostEvery(clock, gapMs, slow.fire)
  source.subscribe(() => pass(null))
  return slow
}

/**
 * Yields at once, then after pulses: at least `minGapMs` and at most `maxGapMs` apart. Merges pulses in
 * between. Ends when `signal` aborts.
 */
export async function* beats(
  pulse: Pick<Pulse, 'subscribe'>,
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
        yield
        // Counted after the reader is done, so a slow reader still gives the event loop a turn.
        lastMs = clock.monotonic()
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

/** An unchanged value is yielded again after this time, as a sign of life. */
const unchangedMs = 5_000

/** Yields what `read` returns at each turn, unless it is the same as before apart from `asOf`. */
export async function* changes<T>(
  turns: AsyncIterable<void>,
  clock: Clock,
  read: () => T,
): AsyncGenerator<T, void> {
  let sent: { text: string; atMs: number } | undefined
  for await (const _turn of turns) {
    const value = read()
    const text = JSON.stringify(value, (key, part: unknown) => (key === 'asOf' ? undefined : part))
    const nowMs = clock.monotonic()
    if (text === sent?.text && nowMs - sent.atMs < unchangedMs) continue
    sent = { text, atMs: nowMs }
    yield value
  }
}

import type { Clock } from './clock.ts'

/**
 * Work that runs once started and woken, and again if it was woken meanwhile. If it throws and wasn't, it runs again after `retryMs`, or when
 * it is woken. Its signal ends with `stop`.
 */
export function createWakeable(parts: {
  work: (signal: AbortSignal) => Promise<void>
  /** Called when it no longer runs. */
  onEnd?: () => void
  onFailed: (error: unknown) => void
  retryMs: number
  clock: Clock
}) {
  /** Null while it is stopped. */
  let stopping: AbortController | null = null
  let running: Promise<void> | null = null
  let isDue = false
  let cancelRetry = () => {}

  async function run(): Promise<void> {
    // The caller of `wake` goes on first.
    await Promise.resolve()
    while (isDue && stopping) {
      isDue = false
      try {
        await parts.work(stopping.signal)
      } catch (error) {
        if (!stopping) break
        parts.onFailed(error)
        if (!isDue) cancelRetry = parts.clock.after(parts.retryMs, wake)
      }
    }
    running = null
    parts.onEnd?.()
  }

  function wake(): void {
    isDue = true
    if (!stopping || running) return
    cancelRetry()
    running = run()
  }

  async function settled(): Promise<void> {
    while (running) await running
  }

  return {
    start: () => void (stopping ??= new AbortController()),
    wake,
    isRunning: () => running !== null,
    isStopped: () => stopping === null,
    /** Resolves when it doesn't run. */
    settled,
    stop(): Promise<void> {
      stopping?.abort()
      stopping = null
      cancelRetry()
      return settled()
    },
  }
}

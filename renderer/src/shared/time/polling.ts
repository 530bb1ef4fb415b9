import { type Ref, watch } from 'vue'
import { sleepFor } from '../../rpc/rpc.ts'

interface PollingPorts {
  /** Resolves after `delayMs`; may reject when aborted. */
  sleep?: (delayMs: number, signal: AbortSignal) => Promise<void>
  /** False while the window is hidden: polling stops. */
  visible: Readonly<Ref<boolean>>
}

/**
 * Runs `task` at once and again `periodMs` after each end, while the window is visible; at once when it becomes visible. `periodMs` is
 * read each time. A failing task does not stop it. Returns its stop.
 */
export function startPolling(
  task: (signal: AbortSignal) => Promise<unknown>,
  periodMs: () => number,
  { sleep = sleepFor, visible }: PollingPorts,
): () => void {
  const stopping = new AbortController()
  const { signal } = stopping
  void run()
  return () => stopping.abort()

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await untilVisible()
      if (signal.aborted) return
      await task(signal).catch(() => undefined)
      if (signal.aborted) return
      await sleep(periodMs(), signal).catch(() => undefined)
    }
  }

  function untilVisible(): Promise<void> {
    return new Promise((resolve) => {
      const unwatch = watch(visible, settle, { flush: 'sync' })
      signal.addEventListener('abort', settle, { once: true })
      settle()
      function settle() {
        if (!visible.value && !signal.aborted) return
        unwatch()
        signal.removeEventListener('abort', settle)
        resolve()
      }
    })
  }
}

/** A value that streams send at once and after each change. */
export interface Broadcast<T> {
  value(): T
  set(next: T): void
  watch(signal?: AbortSignal): AsyncGenerator<T, void>
}

/** Creates one with its first value. A busy reader gets only the latest of several changes. */
export function createBroadcast<T>(first: T): Broadcast<T> {
  let current = { value: first }
  const wakers = new Set<() => void>()
  return {
    value: () => current.value,
    set(next) {
      current = { value: next }
      for (const wake of wakers) wake()
    },
    async *watch(signal) {
      let sent: { value: T } | undefined
      while (!signal?.aborted) {
        if (sent !== current) {
          sent = current
          yield sent.value
          continue
        }
        await new Promise<void>((resolve) => {
          const wake = () => {
            wakers.delete(wake)
            resolve()
          }
          wakers.add(wake)
          signal?.addEventListener('abort', wake, { once: true })
        })
      }
    },
  }
}

/** An ISO time this many milliseconds before now. */
export const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()
/** The freshness of an answer that is two seconds old. */
export const live = () => ({ asOf: ago(2_000), source: 'live' as const, error: null })
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

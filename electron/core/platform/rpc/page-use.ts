import { AppError } from '../../../contract/errors.ts'
import { callsPerPage, streamsPerPage } from '../../../contract/limits.ts'

export type PageUse = ReturnType<typeof createPageUse>

/** Running calls and open streams of one page, within its limits. */
export function createPageUse() {
  let calls = 0
  const streams = new Set<symbol>()
  return {
    /** Runs a call. Throws `TOO_MANY_CALLS`. An aborted call counts until it ends. */
    async run<T>(call: () => Promise<T>): Promise<T> {
      if (calls >= callsPerPage) throw new AppError('TOO_MANY_CALLS')
      calls++
      try {
        return await call()
      } finally {
        calls--
      }
    },
    /** Counts a stream until the returned function is called or `signal` aborts. Throws `TOO_MANY_STREAMS`. */
    openStream(signal: AbortSignal | undefined): () => void {
      if (streams.size >= streamsPerPage) throw new AppError('TOO_MANY_STREAMS')
      const stream = Symbol('stream')
      streams.add(stream)
      const close = () => void streams.delete(stream)
      // An aborted stream that was never read doesn't reach its end.
      if (signal?.aborted) close()
      signal?.addEventListener('abort', close, { once: true })
      return close
    },
  }
}

/** Older samples are dropped, milliseconds. */
const spanMs = 10_000
/** A shorter time gives no rate. */
const shortestMs = 500

export type ProgressRate = ReturnType<typeof createProgressRate>

/** Rate of a rising count over the last seconds. */
export function createProgressRate() {
  let samples: { done: number; atMs: number }[] = []
  return {
    /** Adds a sample; monotonic milliseconds. */
    note(done: number, atMs: number): void {
      const last = samples.at(-1)
      if (last && atMs - last.atMs < 100) last.done = done
      else samples.push({ done, atMs })
      if (samples.length > 2 && samples[1]!.atMs < atMs - spanMs) samples = samples.slice(1)
    },
    /** Null when unknown. */
    perSecond(atMs: number): number | null {
      const [first] = samples
      const last = samples.at(-1)
      if (!first || !last || atMs - first.atMs < shortestMs) return null
      return ((last.done - first.done) * 1_000) / (atMs - first.atMs)
    },
  }
}

/** Older samples are dropped, milliseconds. */
const spanMs = 10_000
/** A shorter time gives no rate. */
const shortestMs = 500

/** Rate of a rising count over the last seconds. */
export interface ProgressRate {
  /** Adds a sample; monotonic milliseconds. */
  note(done: number, atMs: number): void
  /** Null when unknown. */
  perSecond(atMs: number): number | null
}

export function createProgressRate(): ProgressRate {
  let samples: { done: number; atMs: number }[] = []
  return {
    note(done, atMs) {
      const last = samples.at(-1)
      if (last && atMs - last.atMs < 100) last.done = done
      else samples.push({ done, atMs })
      if (samples.length > 2 && samples[1]!.atMs < atMs - spanMs) samples = samples.slice(1)
    },
    perSecond(atMs) {
      const [first] = samples
      const last = samples.at(-1)
      if (!first || !last || atMs - first.atMs < shortestMs) return null
      return ((last.done - first.done) * 1_000) / (atMs - first.atMs)
    },
  }
}

/** Samples older than this say nothing about the rate of now, milliseconds. */
const spanMs = 10_000
/** Less than this is too little to tell. */
const shortestMs = 500

/** The rate of a count that rises, over the last seconds. */
export interface ProgressRate {
  /** Notes the count at a monotonic time in milliseconds. */
  note(done: number, atMs: number): void
  /** Per second at that time; null when it cannot be told. */
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

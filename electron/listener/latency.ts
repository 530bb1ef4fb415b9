/** Bucket bounds grow by 19 %, from 1 µs to far beyond a minute. */
const bucketsPerDoubling = 4
const bucketCount = 128

/** Counts durations in fixed memory, tens of nanoseconds per value. */
export function createLatencyHistogram() {
  const buckets = new Uint32Array(bucketCount)
  let count = 0
  let maxMs = 0
  const quantileMs = (share: number): number => {
    const wanted = Math.ceil(count * share)
    let seen = 0
    for (let index = 0; index < bucketCount; index++) {
      seen += buckets[index]!
      if (wanted > 0 && seen >= wanted)
        return Math.min(maxMs, 2 ** ((index + 1) / bucketsPerDoubling) / 1_000)
    }
    return maxMs
  }
  return {
    record(ms: number): void {
      count++
      if (ms > maxMs) maxMs = ms
      const index = ms > 0.001 ? Math.floor(Math.log2(ms * 1_000) * bucketsPerDoubling) : 0
      buckets[Math.min(index, bucketCount - 1)]!++
    },
    /** Upper bound, in milliseconds, of the bucket that holds this share (0–1) of the values; 0 when empty. */
    quantileMs,
    summary: () => ({ count, p50Ms: quantileMs(0.5), p99Ms: quantileMs(0.99), maxMs }),
  }
}

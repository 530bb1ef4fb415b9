/** Counts how far a total rose within the last minute. Times are monotonic milliseconds. */
export function createMinuteCount() {
  const minuteMs = 60_000
  let last = 0
  let rises: { atMs: number; count: number }[] = []
  return {
    /** Records the current total. */
    note(total: number, nowMs: number): void {
      if (total > last) rises.push({ atMs: nowMs, count: total - last })
      last = total
    },
    count(nowMs: number): number {
      rises = rises.filter(({ atMs }) => nowMs - atMs < minuteMs)
      return rises.reduce((sum, { count }) => sum + count, 0)
    },
    /** The total starts at 0 again. */
    startOver(): void {
      last = 0
    },
  }
}

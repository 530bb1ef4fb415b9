/** Bin starts within each power of ten. From 10 ms on, no bin is wider than a tenth of its start. */
const stepsOfTen = [
  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28, 30, 33, 36, 39, 42, 46, 50, 55, 60, 65, 70, 75,
  80, 85, 90, 95,
]
/** The last divided power of ten: 95 × 10⁸ ms are 110 days. */
const powers = 9

/** Start of each bin in milliseconds, rising. A bin ends where the next starts; the last is open. */
export const latencyBinsMs: readonly number[] = [
  ...Array.from({ length: 10 }, (_item, ms) => ms),
  ...Array.from({ length: powers }, (_item, power) => stepsOfTen.map((step) => step * 10 ** power)).flat(),
]

/** The start of the bin that holds a latency, in milliseconds. Not negative. */
export function latencyBinOf(latencyMs: number): number {
  let low = 0
  let high = latencyBinsMs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (latencyBinsMs[middle]! <= latencyMs) low = middle
    else high = middle - 1
  }
  return latencyBinsMs[low]!
}

/** The end of the bin that starts at `binMs`; the last one counts as wide as the one before. */
export function latencyBinEnd(binMs: number): number {
  const at = latencyBinsMs.indexOf(binMs)
  return latencyBinsMs[at + 1] ?? binMs + (binMs - latencyBinsMs[at - 1]!)
}

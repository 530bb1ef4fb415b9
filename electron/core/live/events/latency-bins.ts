/** Where the bins begin within each power of ten: none is wider than a tenth of where it begins, but for the first milliseconds. */
const stepsOfTen = [
  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 22, 24, 26, 28, 30, 33, 36, 39, 42, 46, 50, 55, 60, 65, 70, 75,
  80, 85, 90, 95,
]
/** The last power of ten that is divided: 95 × 10⁸ ms are 110 days. */
const powers = 9

/** Where each bin begins, milliseconds, rising. A bin ends where the next begins; the last has no end. */
export const latencyBinsMs: readonly number[] = [
  ...Array.from({ length: 10 }, (_item, ms) => ms),
  ...Array.from({ length: powers }, (_item, power) => stepsOfTen.map((step) => step * 10 ** power)).flat(),
]

/** The beginning of the bin that holds a latency, milliseconds. Not negative. */
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

/** Where the bin that begins at `binMs` ends; the last one is taken to be as wide as the one before. */
export function latencyBinEnd(binMs: number): number {
  const at = latencyBinsMs.indexOf(binMs)
  return latencyBinsMs[at + 1] ?? binMs + (binMs - latencyBinsMs[at - 1]!)
}

import { describe, expect, it } from 'vitest'
import { latencyOf, percentileMs } from '#electron/core/views/analytics/local-analytics.ts'
import { latencyBinEnd, latencyBinOf, latencyBinsMs } from '#electron/core/live/events/latency-bins.ts'
import { seededRandom } from '#electron/lib/random.ts'

describe('latency bins', () => {
  it('ascend without a gap, none wider than a tenth of its start beyond 10 ms', () => {
    latencyBinsMs.forEach((binMs, at) => {
      const next = latencyBinsMs[at + 1]
      if (next === undefined) return
      expect(next).toBeGreaterThan(binMs)
      if (binMs >= 10) expect((next - binMs) / binMs).toBeLessThanOrEqual(0.1)
    })
  })

  it('contain the values between their ends', () => {
    for (const ms of [0, 1, 9, 10, 11, 999, 1_000, 1_099, 1_100, 123_456, 86_400_000, 9.4e9]) {
      const binMs = latencyBinOf(ms)
      expect(binMs).toBeLessThanOrEqual(ms)
      expect(latencyBinEnd(binMs)).toBeGreaterThan(ms)
    }
    expect(latencyBinOf(1e15)).toBe(latencyBinsMs.at(-1))
  })

  it('give percentiles within a tenth of the true ones', () => {
    const random = seededRandom(5)
    const values = Array.from({ length: 5_000 }, () => Math.floor(Math.exp(random() * 14) + 10))
    const counts = new Map<string, number>()
    for (const ms of values) {
      const name = String(latencyBinOf(ms))
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const { p50Ms, p90Ms, p99Ms, measured } = latencyOf([...counts].map(([name, count]) => ({ name, count })))
    expect(measured).toBe(5_000)
    values.sort((a, b) => a - b)
    for (const [share, found] of [
      [0.5, p50Ms],
      [0.9, p90Ms],
      [0.99, p99Ms],
    ] as const) {
      const truth = values[Math.floor(5_000 * share)]!
      expect(Math.abs(found! - truth) / truth).toBeLessThan(0.1)
    }
  })

  it('give no percentile without data', () => {
    expect(percentileMs([], 0.5)).toBeNull()
  })
})

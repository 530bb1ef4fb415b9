import { describe, expect, it } from 'vitest'
import { keptHeaders } from '#electron/listener/headers.ts'
import { createLatencyHistogram } from '#electron/listener/latency.ts'

describe('the latency histogram', () => {
  it('gives quantiles within 19 % of the true ones', () => {
    const histogram = createLatencyHistogram()
    for (let index = 1; index <= 10_000; index++) histogram.record(index / 100)
    for (const [share, exact] of [
      [0.5, 50],
      [0.99, 99],
    ] as const) {
      expect(histogram.quantileMs(share)).toBeGreaterThanOrEqual(exact)
      expect(histogram.quantileMs(share)).toBeLessThanOrEqual(exact * 1.19)
    }
    expect(histogram.summary()).toMatchObject({ count: 10_000, maxMs: 100 })
  })

  it('summarises no values, zero and hours', () => {
    const histogram = createLatencyHistogram()
    expect(histogram.summary()).toEqual({ count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 })
    histogram.record(0)
    histogram.record(3_600_000)
    expect(histogram.summary()).toMatchObject({ count: 2, maxMs: 3_600_000, p99Ms: 3_600_000 })
  })
})

describe('kept headers', () => {
  const raw =
    'Host a X-Thing 1 x-thing 2 X-Webhook-Signature s Proxy-Authorization p X-Api-Key k Set-Cookie c'.split(
      ' ',
    )

  it('keep order and duplicates, in lower case, without credentials', () => {
    expect(keptHeaders(raw)).toEqual([
      ['x-thing', '1'],
      ['x-thing', '2'],
    ])
  })
})

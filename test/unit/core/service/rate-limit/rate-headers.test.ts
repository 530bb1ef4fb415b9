import { describe, expect, test } from 'vitest'
import { createRateHeaderReader } from '#electron/core/service/rate-limit/rate-headers.ts'

const wallMs = Date.UTC(2026, 0, 5, 9, 0, 0)
/** An exchange at monotonic 50 000, with our wall clock `skewMs` off the server's. */
const exchange = (skewMs = 0) => ({
  sentAtMs: 49_900,
  answeredAtMs: 50_000,
  answeredAtWallMs: wallMs + skewMs,
})
const read = (headers: Record<string, string>, skewMs = 0) =>
  createRateHeaderReader()(new Headers(headers), exchange(skewMs))
const date = new Date(wallMs).toUTCString()
const inSeconds = (seconds: number) => String(wallMs / 1000 + seconds)
/** Milliseconds from the answer to the reset, as read. */
const resetIn = (reset: string, skewMs = 0, headers: Record<string, string> = { date }) => {
  const { resetAtMs } = read({ ...headers, 'x-ratelimit-reset': reset }, skewMs)
  return resetAtMs === null ? null : resetAtMs - 50_000
}

describe('X-RateLimit-Reset', () => {
  test.each([
    ['Unix seconds', inSeconds(30), 30_000, 31_500],
    ['Unix milliseconds', String(wallMs + 30_000), 29_000, 30_500],
    ['seconds from now', '30', 30_000, 31_500],
    ['a date', new Date(wallMs + 30_000).toUTCString(), 30_000, 31_500],
    ['the current second', inSeconds(0), 0, 1_500],
    ['a second ago, rounded down', inSeconds(-1), 0, 1_000],
    ['next year', inSeconds(3e7), 120_000, 120_000],
  ])('reads %s, never too early and at most two minutes ahead', (_name, text, fromMs, toMs) => {
    const ms = resetIn(text)
    expect(ms).toBeGreaterThanOrEqual(fromMs)
    expect(ms).toBeLessThanOrEqual(toMs)
  })

  test.each(['', 'soon', '-5', '1e400', '0x', inSeconds(-3600), String(wallMs - 3_600_000)])(
    '"%s" says nothing',
    (text) => {
      expect(resetIn(text)).toBeNull()
    },
  )

  test.each([-86_400_000, -40_000, 0, 40_000, 86_400_000])(
    'ignores our wall clock being %i ms off when the answer is dated',
    (skewMs) => {
      const ms = resetIn(inSeconds(30), skewMs)
      expect(ms).toBeGreaterThanOrEqual(30_000)
      expect(ms).toBeLessThanOrEqual(31_500)
    },
  )

  test('determines the server’s clock within 100 ms from many dated answers', () => {
    const reader = createRateHeaderReader()
    let last = 0
    for (let at = 0; at < 60; at++) {
      const serverMs = wallMs + at * 1_037
      const sentAtMs = 50_000 + at * 1_037 - 20
      const headers = new Headers({
        date: new Date(serverMs).toUTCString(),
        'x-ratelimit-reset': String(wallMs + 90_000),
      })
      last = reader(headers, { sentAtMs, answeredAtMs: sentAtMs + 40, answeredAtWallMs: 0 }).resetAtMs!
    }
    expect(Math.abs(last - (50_000 + 90_000))).toBeLessThan(100)
  })
})

describe('the other headers', () => {
  test.each([
    ['300', '12', 300, 12],
    ['lots', '7', null, 7],
    ['0', '-1', null, null],
  ])('Limit %s and Remaining %s are read independently', (limit, left, limitPerMinute, remaining) => {
    const found = read({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': left })
    expect(found).toMatchObject({ limitPerMinute, remaining })
  })

  test.each([
    ['7', 7_000],
    ['0', 0],
    ['9999', 120_000],
    ['-1', null],
    ['later', null],
  ])('Retry-After: %s', (text, ms) => {
    expect(read({ 'retry-after': text }).retryAfterMs).toBe(ms)
  })
})

import { expect, test } from 'vitest'
import { createRateWindow } from '#electron/core/service/rate-limit/rate-window.ts'

const reading = (remaining: number, resetAtMs = 62_000) => ({
  limitPerMinute: 200,
  remaining,
  resetAtMs,
  retryAfterMs: null,
})

test('counts the first request of a window as ours although the reset has whole seconds', () => {
  const window = createRateWindow()
  const first = window.sent('operator', 400)
  // The window began at 400 ms; its end at 60,400 ms arrives as 61 s and is read as up to 62 s.
  window.answered(first, reading(199), 450)
  const second = window.sent('operator', 5_000)
  window.answered(second, reading(198), 5_050)
  expect(window.usage(5_100)).toMatchObject({ usedByUs: 2, usedByOthers: 0 })
})

test('counts requests as ours until the window ends as it is read', () => {
  const window = createRateWindow()
  const first = window.sent('operator', 400)
  window.answered(first, reading(199), 450)
  expect(window.usage(61_500)).toMatchObject({ usedByUs: 1, usedByOthers: 0 })
})

test('does not show a reset that passed without freeing our requests', () => {
  const window = createRateWindow()
  const sent = Array.from({ length: 95 }, (_, at) => window.sent('operator', at))
  for (const [at, seq] of sent.entries()) window.answered(seq, reading(199 - at, 25_000), 100 + at)
  const { usedByUs, resetInMs } = window.usage(40_000)
  expect(usedByUs).toBe(95)
  // The first of them leaves a sliding window after a minute.
  expect(resetInMs).toBeGreaterThan(19_000)
  expect(resetInMs).toBeLessThanOrEqual(20_100)
})

test('counts a request that was answered late as ours, as long as the service may count it', () => {
  const window = createRateWindow()
  const at = (remaining: number) => ({ ...reading(remaining), resetAtMs: null })
  const slow = window.sent('operator', 0)
  window.answered(slow, at(199), 50_000)
  const next = window.sent('operator', 86_000)
  window.answered(next, at(198), 86_050)
  expect(window.usage(86_100)).toMatchObject({ usedByUs: 2, usedByOthers: 0 })
})

test('counts no request as others’ while one with a lost answer may count', () => {
  const window = createRateWindow()
  const at = (remaining: number | null) => ({ ...reading(0), remaining, resetAtMs: null })
  window.answered(window.sent('operator', 0), at(null), 30_000)
  window.answered(window.sent('operator', 100_000), at(198), 100_050)
  expect(window.usage(100_100)).toMatchObject({ usedByUs: 1, usedByOthers: 0 })
  window.answered(window.sent('operator', 151_000), at(197), 151_050)
  expect(window.usage(151_100)).toMatchObject({ usedByUs: 2, usedByOthers: 1 })
})

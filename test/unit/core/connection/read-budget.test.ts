import { expect, test } from 'vitest'
import { readBudget } from '#electron/core/connection/connection-activity.ts'
import { createRateBudget } from '#electron/core/service/rate-limit/rate-budget.ts'
import { createFakeClock } from '../../../helpers/fake-clock.ts'

test('gives the same reset and end of a pause while they count down', async () => {
  const clock = createFakeClock()
  const budget = createRateBudget({ clock, random: () => 0 })
  // The wall clock has whole milliseconds, the monotonic one fractions.
  const wall = { now: () => Math.floor(clock.now()) }
  const read = () => readBudget(budget, wall)
  expect(read()).toMatchObject({ resetsAt: null, pausedUntil: null })
  const permit = await budget.acquire('operator')
  const resetAtMs = clock.monotonic() + 10_300
  permit.answered({ limitPerMinute: 200, remaining: 0, resetAtMs, retryAfterMs: null }, true)
  const before = read()
  const endMs = clock.now() + 10_300
  for (const time of [before.resetsAt, before.pausedUntil]) {
    expect(Date.parse(time!) - endMs).toBeGreaterThanOrEqual(0)
    expect(Date.parse(time!) - endMs).toBeLessThan(1_000)
  }
  await clock.advance(9_100.6)
  expect(read()).toEqual(before)
  await clock.advance(2_000)
  expect(read().pausedUntil).toBeNull()
})

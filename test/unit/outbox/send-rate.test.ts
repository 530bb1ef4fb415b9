import { expect, test } from 'vitest'
import { createSendRate } from '#electron/core/outbox/send-rate.ts'

test('says nothing before things have moved for a whole minute, then how many were done in the last', () => {
  const { perMinute } = createSendRate()
  expect(perMinute(5, false, 0)).toBeNull()
  const rates: (number | null)[] = []
  for (let second = 0; second <= 90; second++) rates.push(perMinute(5 + 2 * second, true, second * 1_000))
  expect(rates.slice(0, 60).every((rate) => rate === null)).toBe(true)
  expect(rates.slice(61).every((rate) => rate === 122)).toBe(true)
})

test('an idle time in between is no slow one: the minute begins anew', () => {
  const { perMinute } = createSendRate()
  for (let second = 0; second <= 60; second++) perMinute(second, true, second * 1_000)
  expect(perMinute(60, true, 61_000)).toBe(60)
  expect(perMinute(60, false, 62_000)).toBeNull()
  expect(perMinute(60, true, 300_000)).toBeNull()
  expect(perMinute(61, true, 330_000)).toBeNull()
  expect(perMinute(62, true, 360_000)).toBe(2)
})

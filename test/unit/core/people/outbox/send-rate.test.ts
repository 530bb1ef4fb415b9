import { expect, test } from 'vitest'
import { createSendRate } from '#electron/core/people/outbox/send-rate.ts'

test('is unknown for the first minute, then counts the last minute', () => {
  const { note, perMinute } = createSendRate()
  note(5, false, 0)
  expect(perMinute(0)).toBeNull()
  const rates: (number | null)[] = []
  for (let second = 0; second <= 90; second++) {
    note(5 + 2 * second, true, second * 1_000)
    rates.push(perMinute(second * 1_000))
  }
  expect(rates.slice(0, 60).every((rate) => rate === null)).toBe(true)
  expect(rates.slice(61).every((rate) => rate === 122)).toBe(true)
})

test('covers the last minute also after a long time without readings', () => {
  const { note, perMinute } = createSendRate()
  for (let second = 0; second <= 600; second++) note(2 * second, true, second * 1_000)
  expect(perMinute(600_000)).toBe(122)
  expect(perMinute(650_000)).toBe(22)
})

test('starts a new minute after an idle time', () => {
  const { note, perMinute } = createSendRate()
  for (let second = 0; second <= 60; second++) note(second, true, second * 1_000)
  expect(perMinute(61_000)).toBe(60)
  note(60, false, 62_000)
  expect(perMinute(62_000)).toBeNull()
  note(60, true, 300_000)
  expect(perMinute(300_000)).toBeNull()
  note(61, true, 330_000)
  note(62, true, 360_000)
  expect(perMinute(360_000)).toBe(2)
})

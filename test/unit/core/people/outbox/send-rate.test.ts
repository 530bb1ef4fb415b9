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

test('tells the time left by what was done, once that says something', () => {
  const { note, etaMs } = createSendRate()
  // Done before a pause.
  note(0, true, 0)
  note(100, true, 1_000)
  note(100, false, 2_000)
  expect(etaMs(60, 2_000)).toBeNull()
  note(100, true, 3_000)
  expect(etaMs(60, 30_000)).toBeNull()
  note(103, true, 6_000)
  expect(etaMs(60, 12_000)).toBeNull()
  expect(etaMs(60, 13_000)).toBe(200_000)
  for (let second = 14; second <= 120; second++) note(103 + second, true, second * 1_000)
  expect(etaMs(61, 120_000)).toBe(60_000)
})

import { expect, test } from 'vitest'
import { endOfHours, nextWithin } from '#electron/lib/local-hours.ts'

const day = { fromMinute: 9 * 60, toMinute: 20 * 60 }
const next = (country: string, at: string, hours = day) => {
  const ms = nextWithin(country, hours, Date.parse(at))
  return ms === null ? null : new Date(ms).toISOString().slice(0, 16)
}

test.each([
  ['within the hours', 'DE', '2026-06-01T12:00:30Z', '2026-06-01T12:00'],
  ['before them', 'DE', '2026-06-01T05:59Z', '2026-06-01T07:00'],
  ['at their end', 'DE', '2026-06-01T18:00Z', '2026-06-02T07:00'],
  ['over the night when clocks go forward', 'DE', '2026-03-28T22:00Z', '2026-03-29T07:00'],
  ['over the night when they go back', 'DE', '2026-10-24T21:00Z', '2026-10-25T08:00'],
  [
    'in all zones: 9:00 in Hawaii is not yet 20:00 in New York',
    'US',
    '2026-01-05T12:00Z',
    '2026-01-05T19:00',
  ],
  ['in zones nine and ten hours apart', 'RU', '2026-01-05T12:00Z', '2026-01-06T07:00'],
  ['in a country without zones of its own', 'XK', '2026-01-05T12:00Z', null],
])('finds the next time %s', (_what, country, at, expected) => {
  expect(next(country, at)).toBe(expected)
})

test('finds none where the zones of a country share no time', () => {
  expect(next('RU', '2026-01-05T12:00Z', { fromMinute: 9 * 60, toMinute: 18 * 60 })).toBeNull()
})

test('moves hours that the clocks skip to the time after them', () => {
  const early = { fromMinute: 150, toMinute: 600 }
  expect(next('DE', '2026-03-28T22:00Z', early)).toBe('2026-03-29T01:30')
})

test('ends with the first zone', () => {
  const ms = endOfHours('US', day, Date.parse('2026-01-05T20:00:20Z'))
  expect(new Date(ms).toISOString()).toBe('2026-01-06T01:00:00.000Z')
})

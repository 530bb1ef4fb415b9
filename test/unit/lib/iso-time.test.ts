import { expect, test } from 'vitest'
import { instantMs, isoTime } from '#electron/lib/iso-time.ts'

test.each<[unknown, string]>([
  ['2026-11-26T12:00:00Z', '2026-11-26T12:00:00.000Z'],
  ['2026-11-26T12:00:00', '2026-11-26T12:00:00.000Z'],
  ['2026-11-26 12:00:00', '2026-11-26T12:00:00.000Z'],
  ['2026-11-26T12:00:00+02:00', '2026-11-26T10:00:00.000Z'],
  ['2026-11-26', '2026-11-26T00:00:00.000Z'],
  [1_764_158_400, '2025-11-26T12:00:00.000Z'],
  [1_764_158_400_000, '2025-11-26T12:00:00.000Z'],
  ['1764158400', '2025-11-26T12:00:00.000Z'],
])('reads %j', (value, time) => {
  expect(isoTime(instantMs(value))).toBe(time)
})

test.each([
  0,
  '0',
  '',
  ' ',
  null,
  true,
  {},
  'soon',
  '0001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '1999-12-31T23:59:59Z',
  -1,
  1e20,
  '00:00',
])('reads %j as no time', (value) => {
  expect(isoTime(instantMs(value))).toBeNull()
})

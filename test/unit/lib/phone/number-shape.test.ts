import { expect, test } from 'vitest'
import { dateShape, numberShapeDigits } from '#electron/lib/phone/number-shape.ts'
import { parsePhone } from '#electron/lib/phone/parse-phone.ts'

test.each([
  ['26.11.2026', 'clear'],
  ['6.1.2026', 'clear'],
  ['26/11/2026', 'clear'],
  ['11/26/2026', 'clear'],
  ['26-11-2026', 'clear'],
  ['2026-11-26', 'clear'],
  ['2026/11/26', 'clear'],
  ['2026.1.6', 'clear'],
  ['2026-11-26T10:00:00', 'clear'],
  ['2026-11-26T10:00:00.000Z', 'clear'],
  ['2026-11-26 10:00+01:00', 'clear'],
  ['26.11.2026, 10:00', 'clear'],
  ['11/26/2026 10:00 AM', 'clear'],
  ['26.11.26', 'short'],
  ['11/26/26', 'short'],
  ['20261126', 'short'],
  ['19991231', 'short'],
  ['20261326', null],
  ['26.13.2026', null],
  ['32.11.2026', null],
  ['26.11-2026', null],
  ['26.11.1826', null],
  ['26112026', null],
  ['+20261126', null],
  ['030 26112026', null],
  ['01.23.45.67.89', null],
  ['12.34.56.78', null],
  ['10:00', null],
])('tells whether %j is a date', (text, shape) => {
  expect(dateShape(text)).toBe(shape)
  if (shape !== null) expect(numberShapeDigits(text)).toBe(0)
})

test.each([
  ['26.11.2026', 'DE', null],
  ['26.11.2026', 'DK', null],
  ['2026-11-26', 'DE', null],
  ['2026-11-26T10:00:00', 'DE', null],
  ['26/11/26', 'DE', null],
  ['20261126', 'DE', null],
  ['20261126', 'AT', null],
  ['19991231', 'HU', null],
  // Whole numbers of countries without a prefix.
  ['20261126', 'DK', 4_520_261_126],
  ['27.12.28', 'NC', 687_271_228],
  ['01.23.45.67.89', 'FR', 33_123_456_789],
  ['0202 61126', 'DE', 4_920_261_126],
  ['+49 202 61126', 'DE', 4_920_261_126],
])('reads a date as no number: %j in %s', (text, region, digits) => {
  const read = parsePhone(text, { region })
  expect(read.ok ? read.digits : read.reason).toEqual(digits ?? { key: 'phone.date' })
})

import { expect, test } from 'vitest'
import { readNumber } from '#electron/lib/strict-number.ts'

test.each([
  ['12', 12],
  [' -7.50 ', -7.5],
  ['+3', 3],
  ['0', 0],
  ['-0', 0],
  ['0.1', 0.1],
])('reads %s as a number', (text, value) => {
  expect(readNumber(text)).toEqual({ ok: true, value })
})

test.each(['', '1,200', '1 200', '1e3', 'twelve', '0x10', '.5', '5.', '--1', '٣', 'Infinity'])(
  'does not read %s as a number',
  (text) => {
    expect(readNumber(text)).toEqual({ ok: false, reason: { key: 'number.notNumber' } })
  },
)

test('refuses what a number would change', () => {
  expect(readNumber('007')).toMatchObject({ ok: false })
  expect(readNumber('12345678901234567890')).toMatchObject({ ok: false })
  expect(readNumber('0.1234567890123456789')).toMatchObject({ ok: false })
})

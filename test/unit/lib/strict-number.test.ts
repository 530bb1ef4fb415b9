import { expect, test } from 'vitest'
import { createMarkFinder, readLoneNumber, readNumber } from '#electron/lib/strict-number.ts'

const text = (written: string, mark: 'point' | 'comma') => {
  const read = readNumber(written, mark)
  return read.ok ? read.text : null
}

/** Written, read with a decimal point, with a decimal comma. */
test.each<[string, string | null, string | null]>([
  ['12', '12', '12'],
  [' -7.50 ', '-7.50', null],
  ['12.50', '12.50', null],
  ['12,50', null, '12.50'],
  ['1.500', '1.500', '1500'],
  ['1,234', '1234', '1.234'],
  ['1,23', null, '1.23'],
  ['1.234,50', null, '1234.50'],
  ['1,234.50', '1234.50', null],
  ['1.234.567', null, '1234567'],
  ['1.234.56', null, null],
  ['1234.567', '1234.567', null],
  ['0.125', '0.125', null],
  ['1 234,50', null, '1234.50'],
  ['1\u00a0234,50', null, '1234.50'],
  ['1\u202f234.50', '1234.50', null],
  ["1'234.50", '1234.50', null],
  ['1’234,50', null, '1234.50'],
  ['1,00,000', '100000', null],
  ['12,34,567.80', '1234567.80', null],
  ['-5', '-5', '-5'],
  ['−5', '-5', '-5'],
  ['+3', '3', '3'],
  ['-0', '0', '0'],
  ['-0.00', '0.00', null],
  ['\u200e12', '12', '12'],
  ['12345678901234567890', null, null],
  ['007', null, null],
  ['1 23', null, null],
  ['1,234 567', null, null],
  ...[
    '',
    '1e3',
    '12.',
    '.5',
    '(12.50)',
    '€ 12,50',
    '12,50 €',
    '12 %',
    '١٢',
    '0x10',
    'Infinity',
    '--1',
    'twelve',
  ].map((written): [string, null, null] => [written, null, null]),
])('reads %j as %s with a point, as %s with a comma', (written, point, comma) => {
  expect([text(written, 'point'), text(written, 'comma')]).toEqual([
    point,
    // Three decimals after zero fit no group.
    comma,
  ])
})

const markOf = (...values: string[]) => {
  const finder = createMarkFinder()
  for (const value of values) finder.add(value)
  return finder.result()
}

test.each<[string[], 'point' | 'comma' | null]>([
  [['12,50', '1.500', '1.234,50', '12.50', '7'], 'comma'],
  [['12.50', '1,500', '7'], 'point'],
  [['1.500', '2.000'], null],
  [['1.500', '2.000', '0.5'], 'point'],
  [['1.500', '2.000', '0,5'], 'comma'],
  [['12,50', '12.50'], null],
  [['7', '8', ''], 'point'],
  [[], 'point'],
])('finds the decimal mark of %j: %s', (values, mark) => {
  expect(markOf(...values).mark).toBe(mark)
})

test('shows up to three values with two meanings', () => {
  expect(markOf('1.500', '1.500', '2.000', '3.000', '4.000').samples).toEqual(
    ['1', '2', '3'].map((digit, at) => {
      const rest = at === 0 ? '500' : '000'
      return { written: `${digit}.${rest}`, point: `${digit}.${rest}`, comma: `${digit}${rest}` }
    }),
  )
})

test('reads a lone number only if it has one meaning', () => {
  expect(readLoneNumber('12,50')).toEqual({ ok: true, text: '12.50' })
  expect(readLoneNumber('12.50')).toEqual({ ok: true, text: '12.50' })
  expect(readLoneNumber('1500')).toEqual({ ok: true, text: '1500' })
  expect(readLoneNumber('1.500')).toMatchObject({ reason: { key: 'number.twoWays' } })
  expect(readLoneNumber('007')).toMatchObject({ reason: { key: 'number.zeros' } })
})

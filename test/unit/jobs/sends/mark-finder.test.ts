import { expect, test } from 'vitest'
import { createMarkFinder } from '#electron/jobs/sends/decimal-marks.ts'

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
  [['12,50', '13,50', '12.50', '1.500'], null],
  [['12.50', '13.50', '14.50', '12,50', '1.500'], null],
  // A number with groups and decimals proves the mark, if most others agree.
  [['1,234.50', '13.50', '14.50', '12,50', '1.500'], 'point'],
  [['1.234,50', '1,234.50', '13,50', '1.500'], null],
  [['1,234.50', '12,50', '13,50', '1.500'], null],
  [['12,50 €', 'EUR 1.500', '1.234,50€', '1.500,-'], 'comma'],
  [['$1,200.00', '$12.50'], 'point'],
  [['1.500 €', '2.000 €'], null],
  [['Rs. 1,500', 'Rs. 2,000', 'Rs. 12.5'], 'point'],
  [['Rs. 1,500', 'Rs. 2,000', 'Rs. 12,5', '12.5'], null],
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

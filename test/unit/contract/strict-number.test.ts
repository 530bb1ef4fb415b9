import { expect, test } from 'vitest'
import { isSameCurrency, readLoneNumber, readNumber } from '#contract/strict-number.ts'

const text = (written: string, mark: 'point' | 'comma') => {
  const read = readNumber(written, mark)
  return read.ok ? read.text : null
}

/** Written, read with a decimal point, with a decimal comma. */
test.each<[string, string | null, string | null]>([
  ['12', '12', '12'],
  [' -7.50 ', '-7.50', null],
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
  ['1\u00a0234,50', null, '1234.50'],
  ['1\u202f234.50', '1234.50', null],
  ["1'234.50", '1234.50', null],
  ['1’234,50', null, '1234.50'],
  ['1,00,000', '100000', null],
  ['12,34,567.80', '1234567.80', null],
  ['-5', '-5', '-5'],
  ['−5', '-5', '-5'],
  ['-0', '0', '0'],
  ['-0.00', '0.00', null],
  ['\u200e12', '12', '12'],
  ['12345678901234567890', null, null],
  ['007', null, null],
  ['1 23', null, null],
  ['1,234 567', null, null],
  // One sign or code of a currency says nothing about the number.
  ['€ 12,50', null, '12.50'],
  ['12,50 €', null, '12.50'],
  ['€ -12,50', null, '-12.50'],
  ['$1,200.00', '1200.00', null],
  ['-$5', '-5', '-5'],
  ['CHF 12.50', '12.50', null],
  ['Fr. 12.50', '12.50', null],
  ['EUR 1.500', '1.500', '1500'],
  ['1.500,-', null, '1500.00'],
  ['1.500,– €', null, '1500.00'],
  ['12.-', '12.00', null],
  ['1 234,50 zł', null, '1234.50'],
  ['99 Kč', '99', '99'],
  ['kr 99,00', null, '99.00'],
  ['99 kr.', '99', '99'],
  ['50 Euro', '50', '50'],
  ...[
    '',
    'EUR 12 €',
    '$ 12 USD',
    '12 € 50',
    '€€ 12',
    '12 €/month',
    '12 pcs',
    '1e3',
    '12.',
    '.5',
    '(12.50)',
    '12 %',
    '١٢',
    '0x10',
    '--1',
  ].map((written): [string, null, null] => [written, null, null]),
])('reads %j as %s with a point, as %s with a comma', (written, point, comma) => {
  expect([text(written, 'point'), text(written, 'comma')]).toEqual([
    point,
    // Three decimals after zero fit no group.
    comma,
  ])
})

test.each([
  ['12,50', '12.50'],
  ['1.234,50', '1234.50'],
])('reads %j alone as %s', (written, number) => {
  expect(readLoneNumber(written)).toEqual({ ok: true, text: number })
})

test.each([
  ['1.500', '1500', '1.5'],
  ['1,200', '1200', '1.2'],
  ['10.100', '10100', '10.1'],
  ['1.125', '1125', '1.1250'],
])('refuses %j alone and names its two meanings: %s or %s', (written, whole, decimal) => {
  expect(readLoneNumber(written)).toEqual({ ok: false, reason: { key: 'number.twoWays', whole, decimal } })
  expect([whole, decimal].map((typed) => readLoneNumber(typed))).toEqual([
    { ok: true, text: whole },
    { ok: true, text: decimal },
  ])
})

test('refuses a lone number that would lose zeros', () => {
  expect(readLoneNumber('007')).toMatchObject({ reason: { key: 'number.zeros' } })
})

test.each([
  ['€', 'EUR', true],
  ['Euros', '€', true],
  ['US$', '$', true],
  ['Fr.', 'CHF', true],
  ['kr.', 'kr', true],
  ['zł', 'PLN', true],
  ['€', '$', false],
  ['£', 'EGP', false],
  ['kr', 'SEK', false],
])('reads %j and %j as one currency: %s', (one, other, isSame) => {
  expect(isSameCurrency(one, other)).toBe(isSame)
  expect(isSameCurrency(other, one)).toBe(isSame)
})

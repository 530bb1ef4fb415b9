import examples from 'libphonenumber-js/mobile/examples'
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js/max'
import { describe, expect, test } from 'vitest'
import { hasCountry, isNumberLike, repeatsNational } from '#contract/number-text.ts'
import { readTypedNumber } from '#electron/core/live/events/typed-number.ts'

/** Whether typed text finds a stored number. */
const finds = (typed: string, stored: string, region?: string) =>
  readTypedNumber(typed, region).some(({ digits, atStart }) => {
    const within = stored.replace(/\D/g, '')
    return atStart ? within.startsWith(digits) : within.includes(digits)
  })

describe('finds a number however it is written', () => {
  test.each([
    '+4915112345678',
    '+49 151 12345678',
    '+49 (0) 151 / 123-456-78',
    '(+49) 0151 12345678',
    '0049 151 12345678',
    '00 (49) 151–12345678',
    '\u202a+49\u00a0151\u00a012345678\u202c',
    '＋49 151 12345678',
    '0151 12345678',
    '(0151) 12345678',
    '49 (0)151 12345678',
    '151/12345678',
    '0151 123',
  ])('%j', (typed) => {
    expect(isNumberLike(typed)).toBe(true)
    expect(finds(typed, '+4915112345678')).toBe(true)
    expect(finds(typed, '+4915198765432')).toBe(false)
  })

  test('as dialled in the region, where that is more than a leading zero', () => {
    expect(finds('8 (912) 345-67-89', '+79123456789')).toBe(false)
    expect(finds('8 (912) 345-67-89', '+79123456789', 'RU')).toBe(true)
    expect(finds('011 49 151 12345678', '+4915112345678', 'US')).toBe(true)
    expect(finds('06 20 123 4567', '+36201234567', 'HU')).toBe(true)
    // The region does not filter: the number may belong to another country.
    expect(finds('0151 12345678', '+4915112345678', 'US')).toBe(true)
  })

  test('as dialled within its own country, for every country’s mobile numbers', () => {
    const missed = getCountries().filter((region: CountryCode) => {
      const number = getExampleNumber(region, examples)
      return number && !finds(number.formatNational(), number.number, region)
    })
    expect(missed).toEqual([])
  })
})

test('as a prefix with its country code, as a part without', () => {
  expect(readTypedNumber('+49', undefined)).toEqual([{ digits: '49', atStart: true }])
  expect(readTypedNumber('0049', 'DE')).toEqual([{ digits: '49', atStart: true }])
  expect(readTypedNumber('49', 'DE')).toEqual([{ digits: '49', atStart: false }])
  expect(readTypedNumber('0', 'DE')).toEqual([{ digits: '0', atStart: false }])
  expect(readTypedNumber('000', 'DE')).toEqual([{ digits: '0', atStart: false }])
  expect(readTypedNumber('+', 'DE')).toEqual([])
})

test.each(['', '+', 'a1', '1a', '0151 12345678, 0160 1234567', '1+1', '++49', '#31#0151', '٠١٥١'])(
  '%j does not look like a number',
  (text) => expect(isNumberLike(text)).toBe(false),
)

test.each([
  ['+49', true],
  ['(0049) 151', true],
  ['0049', true],
  ['000', false],
  ['0151', false],
  ['49', false],
])('%j contains its country: %j', (text, says) => expect(hasCountry(text)).toBe(says))

test.each([
  ['0171 2345678', '+49 171 2345678', true],
  ['(415) 555-0101', '+14155550101', true],
  ['00491712345678', '+49 171 2345678', false],
  ['0171 2345679', '+49 171 2345678', false],
  ['345678', '+49 171 2345678', false],
  ['', '+49 171 2345678', false],
])('%j repeats %j without its calling code: %j', (text, number, does) =>
  expect(repeatsNational(text, number)).toBe(does),
)

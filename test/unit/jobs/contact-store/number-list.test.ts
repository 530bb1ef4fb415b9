import { expect, test } from 'vitest'
import { numbersMeant, readNumberList } from '#electron/jobs/contact-store/number-list.ts'
import { parseTerms } from '#electron/jobs/contact-store/search-terms.ts'
import { texts } from '../../../helpers/texts.ts'

test.each([
  ...texts(`
    447911123456 491711234567 | +49 171 1234567 +44 7911 123456 | 0171 1234567, 07911 123-456
    00491711234567;00447911123456 | 447911123456, 447911123456 1711234567`),
  '491711234567\n447911123456\n',
  '+49 (171) 123-4567 | +44 (0) 7911 123456',
  '\u202a+491711234567\u202c,\u202a+447911123456\u202c',
])('reads %j as a list of whole numbers', (typed) => {
  const numbers = readNumberList(typed)
  expect(numbers).toHaveLength(2)
  const meant = numbers.flatMap(numbersMeant)
  expect(meant).toEqual(expect.arrayContaining([491711234567, 447911123456]))
  expect(meant).not.toContain(14155550199)
  expect(parseTerms(typed)).toEqual([])
})

test.each([
  ...texts(`
    447911123456 | 447911123456 anna | 447911123456 2026 | 07911 123 456 | 4155550123 2026
    "447911123456" 491711234567 | 447911123456 4917112345671234 | anna, 447911123456`),
  '',
])('does not read %j as a list', (typed) => {
  expect(readNumberList(typed)).toEqual([])
  if (typed !== '') expect(parseTerms(typed)).not.toEqual([])
})

test('takes a number with its country exactly, and others in any country with their leading zero', () => {
  expect(numbersMeant('+49 (0) 171 1234567')).toEqual([491711234567])
  expect(numbersMeant('0049 171 1234567')).toEqual([491711234567])
  expect(numbersMeant('(415) 555-0123')).toEqual(expect.arrayContaining([4155550123, 14155550123]))
  expect(numbersMeant('06 1234 5678')).toEqual(expect.arrayContaining([390612345678, 49612345678]))
  expect(numbersMeant('4155550123')).not.toContain(390_4155550123)
  for (const number of numbersMeant('123456789012345')) expect(Number.isSafeInteger(number)).toBe(true)
})

test('counts a number once however written, but other dialling of the digits separately', () => {
  expect(readNumberList('+49 171 1234567, 0049 171 1234567')).toHaveLength(1)
  const meant = readNumberList('4155550123, +41 55 555 01 23').flatMap(numbersMeant)
  expect(meant).toEqual(expect.arrayContaining([14155550123, 4155550123]))
  const national = readNumberList('0151 23456789, +1 512 345 6789').flatMap(numbersMeant)
  expect(national).toEqual(expect.arrayContaining([4915123456789, 15123456789]))
})

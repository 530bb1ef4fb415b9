import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { callingCodeOf, regionOptions } from '../../../../../renderer/src/shared/format/regions.ts'
import { ownCodeLabel, twoWaysText } from '../../../../../renderer/src/shared/numbers/number-reading.ts'

test('gives every region its calling code', () => {
  expect(
    regionOptions()
      .map(({ value }) => value)
      .sort(),
  ).toEqual(getCountries().sort())
  for (const { value } of regionOptions())
    expect(callingCodeOf(value)).toBe(
      getCountryCallingCode(value as Parameters<typeof getCountryCallingCode>[0]),
    )
})

test('numbers that can be read two ways are told with what they were read as', () => {
  expect(ownCodeLabel('AT')).toBe('Read 43… as +43…')
  expect(twoWaysText(0, { region: 'DE', ownCodeIsPlus: false })).toBe('')
  expect(twoWaysText(1_200, { region: 'DE', ownCodeIsPlus: false })).toBe(
    '1,200 numbers without a plus begin with 49, the country’s own calling code, and were read as +49 49…; +49… would be numbers, too.',
  )
  expect(twoWaysText(1, { region: 'AT', ownCodeIsPlus: true })).toBe(
    '1 number without a plus begins with 43, the country’s own calling code, and was read as +43…; +43 43… would be a number, too.',
  )
})

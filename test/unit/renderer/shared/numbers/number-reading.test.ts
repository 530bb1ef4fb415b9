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

test('says how numbers that can be read two ways were read', () => {
  expect(ownCodeLabel('AT')).toBe('Treat 43… as +43…')
  expect(twoWaysText(0, { region: 'DE', ownCodeIsPlus: false })).toBe('')
  expect(twoWaysText(1_200, { region: 'DE', ownCodeIsPlus: false })).toBe(
    '1,200 numbers starting with 49 were read as +49 49…. +49… is also valid.',
  )
  expect(twoWaysText(1, { region: 'AT', ownCodeIsPlus: true })).toBe(
    '1 number starting with 43 was read as +43…. +43 43… is also valid.',
  )
})

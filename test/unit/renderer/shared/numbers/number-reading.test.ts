import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { ref } from 'vue'
import { callingCodeOf, regionOptions } from '../../../../../renderer/src/shared/format/regions.ts'
import {
  readingLabel,
  readingText,
  twoWaysText,
  useNumberReading,
} from '../../../../../renderer/src/shared/numbers/number-reading.ts'
import type { Client } from '../../../../../renderer/src/rpc/rpc.ts'

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

test('says how numbers are read, and which can be read two ways', () => {
  expect(readingText({ region: 'US', hasCountryCodes: false })).toBe(
    'Numbers without + are read as national numbers (United States).',
  )
  expect(readingText({ region: 'US', hasCountryCodes: true })).toBe(
    'Numbers without + or leading 0 carry their country code.',
  )
  expect(twoWaysText(0)).toBe('')
  expect(twoWaysText(1_200)).toBe('1,200 numbers can be read in two ways. Both were checked.')
})

test('names the country of numbers with 0 where choices differ only in it', () => {
  const [german, ...withCodes] = [
    { region: 'DE', hasCountryCodes: false },
    { region: 'DE', hasCountryCodes: true },
    { region: 'AT', hasCountryCodes: true },
  ] as const
  const labels = (choices: readonly { region: string; hasCountryCodes: boolean }[]) =>
    choices.map((choice) => readingLabel(choice, choices))
  expect(labels([german, withCodes[0]])).toEqual(['National numbers (Germany)', 'With their country code'])
  expect(labels(withCodes)).toEqual([
    'With their country code, or 0 (Germany)',
    'With their country code, or 0 (Austria)',
  ])
})

test('asks how numbers are read when the list could not be judged', async () => {
  const client = { imports: { guessReading: () => Promise.reject(new Error('lost')) } } as unknown as Client
  const list = useNumberReading(client, ref('AT'))
  await list.look({ text: '2125550101' })
  expect([list.reading.value, list.isGuessing.value]).toEqual([null, false])
  list.choose({ region: 'US', hasCountryCodes: false })
  await list.look({ text: '2125550102' })
  expect(list.reading.value).toEqual({ region: 'US', hasCountryCodes: false })
})

import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { expect, test } from 'vitest'
import { ref } from 'vue'
import {
  callingCodeOf,
  regionOfZone,
  regionOptions,
} from '../../../../../renderer/src/shared/format/regions.ts'
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

test.each([
  ['Europe/London', 'GB'],
  ['America/Phoenix', 'US'],
  ['Asia/Calcutta', 'IN'],
  ['UTC', null],
])('takes the country of a time zone: %s → %s', (zone, region) => {
  expect(regionOfZone(zone)).toBe(region)
})

test('says how numbers are read, and which can be read two ways', () => {
  expect(readingText({ region: 'US', hasCountryCodes: false })).toBe(
    'Numbers without + are read as national numbers (United States).',
  )
  expect(readingText({ region: 'US', hasCountryCodes: true })).toBe(
    'Numbers without + carry their country code; those with a leading 0 are read as national numbers (United States).',
  )
  expect(twoWaysText(0)).toBe('')
  expect(twoWaysText(1_200)).toBe('1,200 numbers can be read in two ways. Both were checked.')
})

test('names the country of numbers with 0 wherever a list has some', () => {
  const label = (text: string, hasCountryCodes = true) =>
    readingLabel({ region: 'NG', hasCountryCodes, samples: [{ text: '2348035550101' }, { text }] })
  expect(label('2348035550102')).toBe('With their country code')
  for (const text of ['08035550102', '(0803) 5550102', "'0803 555 0102"])
    expect(label(text)).toBe('With their country code, or 0 (Nigeria)')
  expect(label('08035550102', false)).toBe('National numbers (Nigeria)')
})

test('asks how numbers are read when the list could not be judged', async () => {
  const client = { imports: { guessReading: () => Promise.reject(new Error('lost')) } } as unknown as Client
  expect(useNumberReading(client, ref(null)).reading.value).toBeNull()
  const list = useNumberReading(client, ref('AT'))
  await list.look({ text: '2125550101' })
  expect([list.reading.value, list.isGuessing.value]).toEqual([null, false])
  list.choose({ region: 'US', hasCountryCodes: false })
  await list.look({ text: '2125550102' })
  expect(list.reading.value).toEqual({ region: 'US', hasCountryCodes: false })
})

import { expect, test } from 'vitest'
import { createNumberReading, createNumbersOfRow } from '#electron/jobs/table/number-reading.ts'

const [fax, work, mobile] = [4_930_555_120_03, 4_930_555_110_01, 4_915_155_511_003]
const google = 'Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value'

/** Reads a row by its titles. Titles of phone columns end in a number or a value. */
function read(titles: string, row: string, order?: readonly number[], fixes = {}) {
  const header = titles.split(',')
  const phones =
    order ??
    header.flatMap((title, at) => (/Phone|Value|Wert|\d$/.test(title) && !/Label|Ty/.test(title) ? [at] : []))
  const columns = header.map((_, at) =>
    phones.includes(at)
      ? ({ to: 'phone', rank: phones.indexOf(at) + 1 } as const)
      : ({ to: 'ignore' } as const),
  )
  const options = {
    severalNumbers: 'reject',
    extensions: 'reject',
    unknownNumbers: 'reject',
    ...fixes,
  } as const
  const choices = { columns, defaultRegion: 'DE', hasCountryCodes: false, ...options }
  const cells = row.split(',')
  return { ...createNumberReading(choices, header)(cells), all: createNumbersOfRow(choices, header)(cells) }
}

test.each([
  [google, 'Cem,Home Fax,+49 30 5551 2003,Mobile,0151 5551 1003', mobile],
  [google, 'Cem,Work Fax,+49 30 5551 2003,Work,030 5551 1001', work],
  [google, 'Cem,* Other Fax,030 5551 2003,,030 5551 1001', work],
  [google, 'Cem,Pager,030 5551 2003,* Mobile,0151 5551 1003', mobile],
  [google, 'Cem,Work,030 5551 1001,* Mobile,0151 5551 1003', mobile],
  [google, 'Cem,Mobile,0151 5551 1003,Work,030 5551 1001', mobile],
  [google, 'Cem,Home,030 5551 1001,Main,0151 5551 1003', work],
  [google, 'Cem,Work,030 5551 1001,Privat,0151 5551 1003', mobile],
  [google, 'Cem,,030 5551 1001,Büro,0151 5551 1003', work],
  [google, 'Cem,Mobile,,Work,030 5551 1001', work],
  [google, 'Cem,Home Fax,030 5551 2003,,', 0],
  [
    'Name,Phone 1 - Type,Phone 1 - Value,Phone 2 - Type,Phone 2 - Value',
    'Cem,Home Fax,030 5551 2003,Mobile,0151 5551 1003',
    mobile,
  ],
  [
    'Name,Telefon 1 – Label,Telefon 1 – Wert,Telefon 2 – Label,Telefon 2 – Wert',
    'Cem,Fax (privat),030 5551 2003,Mobil,0151 5551 1003',
    mobile,
  ],
  ['Name,Phone,Phone Type', 'Cem,030 5551 2003,Fax', 0],
  ['Name,Phone 1,Phone 1 Type,Phone 2,Phone 2 Type', 'Cem,030 5551 2003,fax,0151 5551 1003,cell', mobile],
  ['Name,Phone 1,Phone 2,Type', 'Cem,030 5551 2003,0151 5551 1003,Fax', fax],
])('reads the number by the labels of %s: %s', (titles, row, digits) => {
  const found = read(titles, row)
  expect(found.digits).toBe(digits)
  if (digits !== 0) expect(found.all[0], 'own number first').toBe(digits)
  else expect(found.parsed).toMatchObject({ reason: { key: 'phone.fax' } })
  expect(found.all).toHaveLength(row.match(/\+?\d[\d ]+/g)!.length)
})

test.each([
  ['030', '23125101', 4_930_231_251_01],
  ['030', '030 23125101', 4_930_231_251_01],
  ['030', '4930123456', 4_930_123_456],
  ['030', '49301234', 4_930_493_012_34],
  ['030', '0049 030 123456', 4_930_123_456],
  ['030', '493023125101', 4_930_231_251_01],
  ['', '030 23125101', 4_930_231_251_01],
  ['+49', '30 23125101', 4_930_231_251_01],
])('reads a number with the area code %s before it: %s', (area, number, digits) => {
  expect(read('Name,Vorwahl,Phone', `Cem,${area},${number}`).digits).toBe(digits)
})

test('keeps the order that the mapping gives, without fax numbers', () => {
  expect(read(google, 'Cem,Mobile,0151 5551 1003,Work,030 5551 1001', [4, 2]).digits).toBe(work)
  expect(read(google, 'Cem,Mobile,0151 5551 1003,Work Fax,030 5551 2003', [4, 2]).digits).toBe(mobile)
})

test.each([
  ['+1 202 555 0101 / +1 202 055 0102', 12_025_550_101, [12_025_550_101, 12_020_550_102]],
  ['+1 202 055 0101 / +1 202 055 0102', 0, [12_020_550_101, 12_020_550_102]],
  ['+1 202 055 0101', 12_020_550_101, [12_020_550_101]],
])('takes a number of %j by a fix only if it is the only unknown one, and knows all', (cell, digits, all) => {
  const fixes = { severalNumbers: 'use-first', unknownNumbers: 'import' }
  expect(read('Name,Phone', `Cem,${cell}`, undefined, fixes)).toMatchObject({ digits, all })
})

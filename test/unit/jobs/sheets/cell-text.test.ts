import { describe, expect, test } from 'vitest'
import { isoDate, numberText, shapedNumber, shapeOf } from '#electron/jobs/sheets/cell-text.ts'

describe('a number', () => {
  test.for([
    // Sums of binary fractions, which spreadsheets show with 15 digits.
    ['3.3333333333333335', '3.33333333333333'],
    ['1E-7', '0.0000001'],
    // All that Excel keeps of a longer number.
    ['1.2345678901234568E19', '12345678901234567000'],
    ['1E+22', '10000000000000000000000'],
    ['', ''],
    ['n/a', 'n/a'],
  ])('%s is %s', ([stored, text]) => {
    expect(numberText(stored!)).toBe(text)
  })
})

describe('a format', () => {
  test.for<[string, string, string]>([
    ['General', '46024', '46024'],
    ['Standard', '46024', '46024'],
    ['#,##0.00', '1500', '1500.00'],
    ['0.00E+00', '358401234567', '358401234567'],
    ['0%', '0.25', '25%'],
    ['0.0%', '0.07', '7%'],
    // Read as a number without its decimals.
    ['0\\%', '25', '25%'],
    ['0.0" %"', '12.5', '12.5%'],
    ['#,##0.00\\ \\%', '12.5', '12.50%'],
    ['General"%"', '12.5', '12.5%'],
    ['0"‰"', '25', '25‰'],
    ['"% "0', '25', '25'],
    ['[Red]#,##0;[Blue]-#,##0', '1500', '1500'],
    ['"Day "0', '5', '5'],
    ['_-* #,##0.00\\ _d_-', '5', '5.00'],
    ['mmm', '46024', '2026-01-02'],
    ['hh:mm', '0.4375', '10:30:00'],
    ['hh:mm', '46024.4375', '2026-01-02T10:30:00'],
    ['[h]:mm', '1.5', '36:00:00'],
    ['dd/mm/yyyy', '-1', '-1'],
    ['dd/mm/yyyy', '358401234567', '358401234567'],
    ['dd/mm/yyyy', '60', '1900-02-29'],
    ['dd/mm/yyyy', '59', '1900-02-28'],
    ['dd/mm/yyyy', '61', '1900-03-01'],
    // Digits that only the format shows belong to the number.
    ['+0', '12025550101', '+12025550101'],
    ['"+"#', '12025550101', '+12025550101'],
    ['\\+00\\ 000\\ 000\\ 000', '34612345678', '+34 612 345 678'],
    ['"+44 "0', '7700900123', '+44 7700900123'],
    ['000\\-000\\-0000', '2025550101', '202-555-0101'],
    ['(000) 000-0000', '2025550101', '(202) 555-0101'],
    ['00000', '12.5', '12.5'],
  ])('%s shows %s as %s', ([code, stored, text]) => {
    expect(shapedNumber(stored, shapeOf(164, code), false)).toBe(text)
  })

  test.for<[number, string, string]>([
    [0, '46024', '46024'],
    [14, '46024', '2026-01-02'],
    [22, '46024.5', '2026-01-02T12:00:00'],
    [20, '0.5', '12:00:00'],
    [46, '2', '48:00:00'],
    [57, '46024', '2026-01-02'],
    [49, '46024', '46024'],
    [4, '12.5', '12.50'],
    [9, '0.15', '15%'],
  ])('built in as %i shows %s as %s', ([id, stored, text]) => {
    expect(shapedNumber(stored, shapeOf(id, undefined), false)).toBe(text)
  })

  test('counts from 1904 when the workbook does', () => {
    expect(shapedNumber('44562', shapeOf(14, undefined), true)).toBe('2026-01-02')
  })
})

test.for([
  ['2026-01-02', '2026-01-02'],
  ['2026-01-02T00:00:00', '2026-01-02'],
  ['2026-01-02T00:00:00.000Z', '2026-01-02'],
  ['2026-01-02T10:00:00', '2026-01-02T10:00:00'],
])('the date %s is %s', ([stored, text]) => {
  expect(isoDate(stored!)).toBe(text)
})

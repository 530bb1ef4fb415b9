import { expect, test } from 'vitest'
import { isLandline } from '#electron/lib/phone/other-spellings.ts'
import { digitsToFind, nationalForms } from '#electron/lib/phone/number-digits.ts'

test.each([
  ['+12025550105', '12025550105'],
  ['12025550105', '12025550105'],
  ['whatsapp:+12025550105', '12025550105'],
  ['0012025550105', '12025550105'],
  ['+44 (0)7400 123456', '447400123456'],
  ['447400123456.0', '447400123456'],
  ['＋４４７４００１２３４５６', '447400123456'],
  // Without its country only as it is written.
  ['(202) 555-0107', '2025550107'],
  ['07400 123456', '07400123456'],
  ['72975', '72975'],
  ['INFO', ''],
  ['', ''],
])('%j is found by %j', (text, digits) => expect(digitsToFind(text)).toBe(digits))

test('does not read a text that is no number by its length', () => {
  expect(digitsToFind(`${'a'.repeat(500)}12`)).toBe('12')
})

test.each([
  [447_400_123_456, 'GB', ['7400123456', '07400123456']],
  [12_025_550_107, 'US', ['2025550107']],
  [74_951_234_567, 'RU', ['4951234567', '84951234567']],
  [12_025_550_107, 'GB', []],
] as const)('%j is dialled in %s as %j', (digits, country, forms) => {
  expect(nationalForms(digits, country)).toEqual(forms)
})

test.each([
  ['442079460000', true],
  ['493012345678', true],
  ['34910000000', true],
  ['3903311234567', true],
  // Services keep Argentine mobiles without the 9.
  ['541123456789', false],
  // A mobile, numbers that no plan tells apart, toll-free ones, and what no plan knows.
  ['447400123456', false],
  ['14155550101', false],
  ['448000000000', false],
  ['80012345678', false],
  ['0', false],
])('%j is surely a landline: %j', (digits, is) => expect(isLandline(digits)).toBe(is))

import { expect, test } from 'vitest'
import { estimateSegments } from '../../../../../renderer/src/features/templates/segments.ts'

test.each([
  ['', 'GSM-7', 0, 0],
  ['a'.repeat(160), 'GSM-7', 160, 1],
  ['a'.repeat(161), 'GSM-7', 161, 2],
  ['a'.repeat(306), 'GSM-7', 306, 2],
  ['a'.repeat(307), 'GSM-7', 307, 3],
  ['€'.repeat(80), 'GSM-7', 160, 1],
  ['€'.repeat(81), 'GSM-7', 162, 2],
  ['ß@£é\nΩ', 'GSM-7', 6, 1],
  ['ç', 'UCS-2', 1, 1],
  ['ş'.repeat(70), 'UCS-2', 70, 1],
  ['ş'.repeat(71), 'UCS-2', 71, 2],
  ['🎁'.repeat(35), 'UCS-2', 70, 1],
] as const)('%# has as many segments as the standard says', (text, alphabet, units, segments) => {
  expect(estimateSegments(text)).toMatchObject({ alphabet, units, segments })
})

test('does not split a character of two units across segments', () => {
  // 153 is odd: an escape and its character move to the next segment together.
  expect(estimateSegments('€'.repeat(153)).segments).toBe(3)
  expect(estimateSegments('🎁'.repeat(67)).segments).toBe(3)
})

test('names characters outside the alphabet', () => {
  expect(estimateSegments('Hi 🎁🎁 ş').beyond).toEqual(['🎁', 'ş'])
})

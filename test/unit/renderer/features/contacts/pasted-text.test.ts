import { expect, test } from 'vitest'
import { fitPasted } from '../../../../../renderer/src/features/contacts/pasted-text.ts'

test('turns lines into a list', () => {
  expect(fitPasted('0171 1234567\r\n\r\n 0171 1234568 \n', 200)).toEqual({
    text: '0171 1234567, 0171 1234568',
    isCut: false,
  })
})

test.each([
  ['0171 1234567\n0171 1234568\n0171 1234569', '0171 1234567, 0171 1234568'],
  ['+49 171 123456 +49 171 123457 +49 171 123458', '+49 171 123456 +49 171 123457'],
  ['+49 171 123456 (+49) 171 123457', '+49 171 123456'],
  ['491711234567 491711234568 491711234569', '491711234567 491711234568'],
  ['a'.repeat(40), 'a'.repeat(29)],
])('cuts %j to whole entries', (pasted, text) => {
  expect(fitPasted(pasted, 29)).toEqual({ text, isCut: true })
})

test('keeps an entry that just fits', () => {
  expect(fitPasted('0171 1234567, 0171 1234568', 12).text).toBe('0171 1234567')
  expect(fitPasted('+4917112345 +4917112346', 11).text).toBe('+4917112345')
  expect(fitPasted('+4917112345 (+49)17112346', 11).text).toBe('+4917112345')
})

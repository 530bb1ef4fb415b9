import { expect, test } from 'vitest'
import { createTextTest, searchedText } from '#electron/jobs/book/contact-text.ts'

const finds = (typed: string, contact: { digits?: number; name?: string; email?: string; tags?: object }) =>
  createTextTest(searchedText(typed))(
    contact.digits ?? 447911123456,
    contact.name ?? '',
    contact.email ?? '',
    JSON.stringify(contact.tags ?? {}),
  )

test.each(['07911 123', '+44 7911', '(07911) 123-456', '00447911', '+447911', '7911', '44791112'])(
  'a number is found as people write it: %s',
  (typed) => expect(finds(typed, {})).toBe(true),
)

test('what only looks like the beginning of a number is found as it stands', () => {
  expect(finds('00123', { tags: { id: '00123' } })).toBe(true)
  expect(finds('2024-05-01', { tags: { since: '2024-05-01' } })).toBe(true)
  expect(finds('+', {})).toBe(true)
  expect(finds('0', { name: 'Room 0' })).toBe(true)
})

test('accents and letters of any size make no difference, and a NUL is none', () => {
  expect(finds('ZOE', { name: 'Zoë' })).toBe(true)
  expect(finds('an\0na', { name: 'Anna' })).toBe(true)
  expect(finds('city=ber', { tags: { City: 'Berlin' } })).toBe(true)
})

import { expect, test } from 'vitest'
import { createTextTest } from '#electron/jobs/contact-store/contact-text.ts'
import { parseTerms, termAlternatives } from '#electron/jobs/contact-store/search-terms.ts'
import { texts } from '../../../helpers/texts.ts'

const finds = (typed: string, contact: { digits?: number; name?: string; email?: string; tags?: object }) =>
  createTextTest(parseTerms(typed))(
    contact.digits ?? 447911123456,
    contact.name ?? '',
    contact.email ?? '',
    JSON.stringify(contact.tags ?? {}),
  )

const anna = { name: 'Anna Miller', email: 'am@example.org', tags: { city: 'New York', since: '2024-05-01' } }

test.each([
  ...texts(`
    07911 123 | +44 7911 | (07911) 123-456 | +44 (0) 7911 / 123.456 | +44(0)7911 | 00447911
    +447911 | 7911 | 7911 123 | 079 | 44791112`),
  '\u202a+44 7911\u00a0123\u2011456\u202c',
])('finds a number as people write it: %s', (typed) => expect(finds(typed, {})).toBe(true))

test.each(['07911 124', '79 56', '+7911', '+1 7911', '"7911 123"'])(
  'does not find another number: %s',
  (typed) => expect(finds(typed, {})).toBe(false),
)

test.each([
  ...texts(`
    miller anna | ANNA mill | Miller, Anna | Miller , Anna; | example anna | york 7911
    anna 07911 123-456 | 07911 123-456 anna | 07911, anna | city=new york | 2024-05-01 anna
    7911 anna 05-01 | "anna miller" | “anna miller” | „Anna Miller“ york | «anna miller»
    “anna mil | "ler" anna | "anna mil`),
  '  anna\tmiller ',
  '',
])('finds every word in any order and place: %s', (typed) => expect(finds(typed, anna)).toBe(true))

test.each([
  ...texts(`anna smith | "miller anna" | “miller anna” | anna 07912 | anna ,q | annamiller`),
  '"anna  miller"',
])('does not find a text that lacks a word: %s', (typed) => expect(finds(typed, anna)).toBe(false))

test('finds text that only looks like the start of a number as it is', () => {
  expect(finds('00123', { tags: { id: '00123' } })).toBe(true)
  expect(finds('2024-05-01', { tags: { since: '2024-05-01' } })).toBe(true)
  expect(finds('05-01-2024', { tags: { since: '05-01-2024' } })).toBe(true)
  expect(finds('10115 2024', { tags: { zip: '10115', since: '2024' } })).toBe(true)
  expect(finds('v 1.2', { tags: { v: '1.2' } })).toBe(true)
  expect(finds('+', {})).toBe(true)
  expect(finds('0', { name: 'Room 0' })).toBe(true)
  expect(finds(',', { name: 'Miller, Anna' })).toBe(true)
  expect(finds(',', { name: 'Anna Miller' })).toBe(false)
  expect(finds('"', { name: 'Anna "Annie" Miller' })).toBe(true)
  expect(finds('"', { name: 'Anna Miller' })).toBe(false)
  expect(finds('“', { name: 'Anna “Annie” Miller' })).toBe(true)
  expect(finds('“an "annie"”', { name: 'Joan "Annie" Miller' })).toBe(true)
})

test('reads groups of digits as parts of the number and of other fields', () => {
  const contact = { digits: 14155550123, name: 'Anna', tags: { year: '2026', zip: '10115' } }
  for (const typed of ['2026 0123', '0123 2026', '10115 555 2026', 'anna 2026 4155550123', '2026 415 5550'])
    expect(finds(typed, contact)).toBe(true)
  for (const typed of ['2025 0123', '2026 0124', '0123 4155', '2026 55', '415 0123'])
    expect(finds(typed, contact)).toBe(false)
  expect(termAlternatives(parseTerms('10115 555 2026'))).toEqual([['101155552026'], ['10115', '555', '2026']])
})

test('matches digits of a number together, not one by one', () => {
  expect(finds('11 234 56', { digits: 4911_234_56 })).toBe(true)
  expect(finds('11 234 56', { digits: 4956_234_11 })).toBe(false)
  expect(finds('1.2', { digits: 4956_234_12 })).toBe(false)
})

test('ignores accents, case and NUL', () => {
  expect(finds('ZOE', { name: 'Zoë' })).toBe(true)
  for (const typed of ['strasse', 'STRASSE', 'Straße', 'STRAẞE', 'straß'])
    for (const street of ['Lange Straße 1', 'LANGE STRASSE 1'])
      expect(finds(typed, { tags: { street } })).toBe(true)
  for (const typed of ['muller', 'Müller']) expect(finds(typed, { name: 'Frau Müller' })).toBe(true)
  expect(finds('an\0na', { name: 'Anna' })).toBe(true)
  expect(finds('city=ber', { tags: { City: 'Berlin' } })).toBe(true)
})

test('limits the readings of many numbers in one text', () => {
  const typed = Array.from({ length: 20 }, (_, at) => `a${at} 0171-${at}`).join(' ')
  expect(termAlternatives(parseTerms(typed)).length).toBe(8)
  expect(termAlternatives([])).toEqual([[]])
})

test.each([
  '+44 (0)7400 123456',
  '07400 123456',
  '00447400123456',
  'tel:+447400123456',
  'whatsapp:+44 7400 123456',
  '447400123456@c.us',
  '447400123456.0',
  '4.47400123456E11',
  'Mobile: +44 7400 123456',
  '+44 7400 1',
])('finds +447400123456 by %s', (typed) => {
  const found = (digits: number) => createTextTest(parseTerms(typed))(digits, 'Ann', 'ann@x.example', '{}')
  expect([found(447_400_123_456), found(447_400_923_457)]).toEqual([true, false])
})

test('looks for other words beside a number too', () => {
  const found = (name: string) =>
    createTextTest(parseTerms('Ann +44 7400 123456'))(447_400_123_456, name, '', '{}')
  expect([found('Ann'), found('Bob')]).toEqual([true, false])
})

import * as z from 'zod'
import { expect, test } from 'vitest'
import { listOf, pageOf } from '#electron/core/service/wire/page.ts'

const item = z.object({ id: z.string() })
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ id: String(from + at) }))
const read = (page: number, answer: object) => pageOf(item, { page, perPage: 100 }).parse(answer)

test.each<[string, number, object, number]>([
  ['a cap it says', 1, { data: ids(0, 50), total: 237, page: 1, per_page: 50 }, 50],
  ['a cap on the last page', 5, { data: ids(200, 237), total: 237, page: 5, per_page: 50 }, 50],
  ['a cap of one', 1, { data: ids(0, 1), total: 3, per_page: 1 }, 1],
  ['a cap it conceals', 1, { data: ids(0, 50), total: 237, per_page: 100 }, 50],
  ['a cap it does not say', 1, { data: ids(0, 50), total: 237 }, 50],
  ['a size as text', 2, { data: ids(50, 100), total: 237, per_page: '50' }, 50],
  ['a size of zero', 1, { data: ids(0, 3), total: 3, per_page: 0 }, 100],
  ['a larger size than asked', 2, { data: ids(0, 37), total: 137, per_page: 500 }, 100],
  ['more records than asked', 1, { data: ids(0, 237), total: 237, per_page: 500 }, 237],
  ['no records', 1, { data: null, total: 0, per_page: null }, 100],
])('pages as the service does with %s', (_what, page, answer, perPage) => {
  expect(read(page, answer).perPage).toBe(perPage)
})

test('reads null as no records, and an answer without page and per_page as the requested page', () => {
  const empty = { items: [], total: 250, page: 3, perPage: 100 }
  expect(read(3, { data: null, total: '250' })).toMatchObject(empty)
})

test.each<[string, object]>([
  ['no data', { total: 0 }],
  ['an object for data', { data: {}, total: 1 }],
  ['a total that is a word', { data: [], total: 'many' }],
  ['a total below zero', { data: [], total: -1 }],
  ['half a total', { data: [], total: 1.5 }],
])('refuses %s', (_what, answer) => {
  expect(() => read(1, answer)).toThrow()
})

test('skips and counts records that cannot be read', () => {
  const page = read(1, { data: [{ id: 'a' }, { id: null }, null, 7, { id: 'b' }], total: 5 })
  expect(page.items.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(page.unreadable).toBe(3)
})

test('refuses a list of which nothing can be read', () => {
  expect(() => read(1, { data: [{ name: 'x' }], total: 1 })).toThrow()
  expect(read(1, { data: [{ name: 'x' }], total: 2 })).toMatchObject({ items: [], unreadable: 1, perPage: 1 })
})

test('skips and counts records of a bare list that cannot be read, and refuses one of which nothing can', () => {
  const list = listOf(item)
  expect(list.parse(['no record', { id: 'a' }])).toEqual({ items: [{ id: 'a' }], unreadable: 1 })
  expect(list.parse({ data: null })).toEqual({ items: [], unreadable: 0 })
  expect(() => list.parse(['no record'])).toThrow()
})

import { expect, test } from 'vitest'
import {
  addressToQuery,
  pageCount,
  pageText,
  queryToAddress,
} from '../../../../renderer/src/features/campaigns/campaign-query.ts'

test('the usual page has a plain address', () => {
  expect(queryToAddress({ page: 1, perPage: 20 })).toEqual({})
})

test('any other page comes back from its address', () => {
  const query = { page: 3, perPage: 100, status: 'running' as const }
  expect(addressToQuery(queryToAddress(query))).toEqual(query)
})

test.each([
  { page: '0' },
  { page: '-1' },
  { page: 'x' },
  { per_page: '7' },
  { status: 'nonsense' },
  { page: ['1'] },
])('an address typed as %j falls back to the usual', (address) => {
  expect(addressToQuery(address)).toEqual({ page: 1, perPage: 20 })
})

test.each([
  [1, 20, 20, 57, '1–20 of 57'],
  [3, 20, 17, 57, '41–57 of 57'],
  [1, 20, 0, 0, '0 of 0'],
  [60, 20, 20, 1_200, '1,181–1,200 of 1,200'],
])('page %d of %d shows %d of %d as %s', (page, perPage, shown, total, text) => {
  expect(pageText(page, perPage, shown, total)).toBe(text)
})

test('an empty list still has one page', () => {
  expect([pageCount(0, 20), pageCount(20, 20), pageCount(21, 20)]).toEqual([1, 1, 2])
})

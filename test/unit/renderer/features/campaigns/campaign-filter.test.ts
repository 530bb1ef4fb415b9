import { expect, test } from 'vitest'
import {
  actFirst,
  campaignFilterSchema,
  knownStatus,
  pageCount,
  pageText,
} from '../../../../../renderer/src/features/campaigns/campaign-filter.ts'

const plain = { status: null, page: 1, per_page: 20, id: null, alertRules: null }

test('reads a page from the address', () => {
  const address = { status: 'running', page: '3', per_page: '100', id: 'c-1' }
  expect(campaignFilterSchema.parse(address)).toEqual({
    ...plain,
    status: 'running',
    page: 3,
    per_page: 100,
    id: 'c-1',
  })
})

test.each([{}, { page: '0' }, { page: '-1' }, { page: 'x' }, { per_page: '7' }, { status: ['running'] }])(
  'falls back to the first page for %j',
  (address) => {
    expect(campaignFilterSchema.parse(address)).toEqual(plain)
  },
)

test('filters only by statuses of the API', () => {
  expect(knownStatus('running')).toBe('running')
  expect(knownStatus('nonsense')).toBeUndefined()
})

test.each([
  [1, 20, 20, 57, '1–20 of 57'],
  [3, 20, 17, 57, '41–57 of 57'],
  [1, 20, 0, 0, '0 of 0'],
  [60, 20, 20, 1_200, '1,181–1,200 of 1,200'],
  [1, 20, 20, 1_000, '1–20 of 1,000+', true],
])('shows page %d of %d with %d rows of %d as %s', (page, perPage, shown, value, text, atLeast = false) => {
  expect(pageText(page, perPage, shown, { value, atLeast })).toBe(text)
})

test('has one page when the list is empty', () => {
  expect([pageCount(0, 20), pageCount(20, 20), pageCount(21, 20)]).toEqual([1, 1, 2])
})

test('lists running and paused campaigns first, others as the service does', () => {
  const listed = ['draft', 'paused', 'completed', 'running', null, 'running'].map((status, at) => ({
    status,
    at,
  }))
  expect(actFirst(listed).map(({ at }) => at)).toEqual([3, 5, 1, 0, 2, 4])
})

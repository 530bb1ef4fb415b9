import { expect, test } from 'vitest'
import { readPosted, signed } from '#electron/core/people/dnc/team-entries.ts'
import { createNamedList } from '#electron/core/people/team/named-list.ts'
import { createSharedValues } from '#electron/core/people/team/shared-values.ts'
import { createFakeClock } from '../../../../helpers/fake-clock.ts'
import { openState } from '../../views/campaigns/open-state.ts'

const gold = { key: 'tier', value: 'gold' }
const key = 'k'.repeat(43)

test.each([
  { text: 'Ada', boughtSince: '2026-01-01' },
  { tags: [{ ...gold, not: true }] },
  { states: ['archived'] },
])('names a filter that it can’t read, and neither uses nor overwrites it: %j', (value) => {
  const shared = createSharedValues(openState(), createFakeClock())
  const by = { id: 'v-1', clockMs: 1, author: 'Ben', atMs: 1 }
  const newer = JSON.stringify({ kind: 'value', of: 'contact-filter', key: 'Newer', value, ...by })
  shared.team.take([readPosted(signed(newer, key), key)!])
  const filters = createNamedList(shared, 'contact-filter', 50)
  filters.saveFilter({ name: 'VIP', filter: { tags: [gold] } })
  expect(filters.savedFilters()).toEqual({
    filters: [{ name: 'VIP', by: null, filter: { tags: [gold] } }],
    unreadable: ['Newer'],
  })
  expect(filters.saveFilter({ name: 'All', filter: {} }).filters).toHaveLength(2)
  expect(filters.removeFilter({ name: 'VIP' })).toMatchObject({
    filters: [{ name: 'All' }],
    unreadable: ['Newer'],
  })
  expect(filters.removeFilter({ name: 'Newer' }).unreadable).toEqual([])
})

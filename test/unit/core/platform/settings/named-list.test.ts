import { expect, test } from 'vitest'
import { savedContactFilterSchema } from '#contract/people/contacts.ts'
import { createNamedList } from '#electron/core/platform/settings/named-list.ts'

const gold = { key: 'tier', value: 'gold' }

test.each([
  { text: 'Ada', boughtSince: '2026-01-01' },
  { tags: [{ ...gold, not: true }] },
  { states: ['archived'] },
])('names a filter that it can’t read, and neither uses nor overwrites it: %j', (filter) => {
  const newer = { name: 'Newer', filter }
  const vip = { name: 'VIP', filter: { tags: [gold] } }
  let stored: unknown = [newer, vip]
  const settings = {
    get: (_key: string, schema: { parse(value: unknown): unknown }) => schema.parse(stored) as never,
    put: (_key: string, value: unknown) => void (stored = value),
  }
  const order = {
    connectionId: 'c',
    key: 'contact-filters',
    schema: savedContactFilterSchema,
    max: 50,
  } as const
  const filters = createNamedList(settings, order)
  expect(filters.list()).toEqual({ filters: [vip], unreadable: ['Newer'] })
  expect(filters.save({ name: 'All', filter: {} }).filters).toHaveLength(2)
  expect(filters.remove('VIP').filters).toEqual([{ name: 'All', filter: {} }])
  expect(stored).toEqual([{ name: 'All', filter: {} }, newer])
  expect(filters.remove('Newer').unreadable).toEqual([])
  stored = Array.from({ length: 52 }, (_, at) => ({ name: `f${at}`, filter: {} }))
  expect(filters.remove('f1').filters).toHaveLength(51)
})

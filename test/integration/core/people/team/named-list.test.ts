import { expect, test } from 'vitest'
import { savedFiltersMax } from '#contract/live/events.ts'
import { restartCore, startInSandbox } from '../../../../helpers/test-core.ts'

test('keeps named filters per connection, across a restart, up to a limit', async () => {
  const first = await startInSandbox()
  const { events } = first.rpc
  expect(await events.savedFilters()).toEqual({ filters: [], unreadable: [] })
  await events.saveFilter({ name: 'Stops', filter: { kind: 'mo', text: 'stop' } })
  await events.saveFilter({ name: 'Failures', filter: { status: 'failed' } })
  const { filters } = await events.saveFilter({ name: 'Stops', filter: { kind: 'mo' } })
  expect(filters).toEqual([
    { name: 'Failures', filter: { status: 'failed' }, by: null },
    { name: 'Stops', filter: { kind: 'mo' }, by: null },
  ])

  const vip = { name: 'VIP', filter: { tags: [{ key: 'tier', value: 'gold' }], held: false } }
  expect(await first.rpc.contacts.saveFilter(vip)).toEqual({
    filters: [{ ...vip, by: null }],
    unreadable: [],
  })

  const { events: again, contacts } = (await restartCore(first)).rpc
  expect(await contacts.savedFilters()).toEqual({ filters: [{ ...vip, by: null }], unreadable: [] })
  expect(await contacts.removeFilter({ name: 'VIP' })).toEqual({ filters: [], unreadable: [] })
  expect(await again.savedFilters()).toEqual({ filters, unreadable: [] })
  expect((await again.removeFilter({ name: 'Failures' })).filters).toMatchObject([{ name: 'Stops' }])
  for (let at = 1; at < savedFiltersMax; at++) await again.saveFilter({ name: `f${at}`, filter: {} })
  const more = again.saveFilter({ name: 'one more', filter: {} })
  await expect(more).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  await again.saveFilter({ name: 'f1', filter: { kind: 'dlr' } })
  // Names of unreadable filters: none, or a newer version's.
  for (const name of ['', 'x'.repeat(61)]) {
    expect((await again.removeFilter({ name })).filters).toHaveLength(savedFiltersMax)
    await contacts.removeFilter({ name })
  }
})

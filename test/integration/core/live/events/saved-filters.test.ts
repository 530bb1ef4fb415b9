import { afterEach, expect, test } from 'vitest'
import { savedFiltersMax } from '#contract/live/events.ts'
import { type RunningCore, startCore } from '../../../../helpers/start-core.ts'

let running: RunningCore
afterEach(() => running.stop())

test('keeps named filters per connection, across a restart, up to a limit', async () => {
  const first = await startCore({})
  running = first
  await first.rpc.connections.openSandbox()
  expect(await first.rpc.events.savedFilters()).toEqual({ filters: [] })
  await first.rpc.events.saveFilter({ name: 'Stops', query: { kind: 'mo', text: 'stop' } })
  await first.rpc.events.saveFilter({ name: 'Failures', query: { status: 'failed' } })
  const { filters } = await first.rpc.events.saveFilter({ name: 'Stops', query: { kind: 'mo' } })
  expect(filters).toEqual([
    { name: 'Failures', query: { status: 'failed' } },
    { name: 'Stops', query: { kind: 'mo' } },
  ])
  await first.stopCore()

  running = await startCore({ after: first })
  const { rpc } = running
  await rpc.connections.openSandbox()
  expect(await rpc.events.savedFilters()).toEqual({ filters })
  expect((await rpc.events.removeFilter({ name: 'Failures' })).filters.map(({ name }) => name)).toEqual([
    'Stops',
  ])
  for (let at = 1; at < savedFiltersMax; at++) await rpc.events.saveFilter({ name: `f${at}`, query: {} })
  await expect(rpc.events.saveFilter({ name: 'one more', query: {} })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  })
  await rpc.events.saveFilter({ name: 'f1', query: { kind: 'dlr' } })
})

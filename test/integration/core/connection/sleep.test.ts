import { afterEach, expect, test } from 'vitest'
import { type RunningCore, startCore } from '../../../helpers/start-core.ts'

let running: RunningCore
afterEach(() => running.stop())

async function lastAnswerAt(): Promise<string | null> {
  for await (const { network } of await running.rpc.status.watch()) return network.lastAnswerAt
  return null
}

test('keeps a sleep gap open until the listener is checked, then refreshes from the service', async () => {
  running = await startCore({ config: { startWith: { kind: 'sandbox' } } })
  const { core, rpc } = running
  await core.suspend()
  const asleep = await rpc.events.holes({ days: 1 })
  expect(asleep.holes).toMatchObject([{ to: null, reason: 'suspended' }])
  const before = await lastAnswerAt()
  await core.wake()
  const awake = await rpc.events.holes({ days: 1 })
  expect(awake.holes).toMatchObject([{ from: asleep.holes[0]!.from, reason: 'suspended' }])
  expect(awake.holes[0]!.to).not.toBeNull()
  await expect.poll(lastAnswerAt).not.toBe(before)
})

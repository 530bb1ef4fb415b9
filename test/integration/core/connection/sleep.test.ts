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
  const asleep = await rpc.events.gaps({ days: 1 })
  expect(asleep.gaps).toMatchObject([{ to: null, reason: 'suspended' }])
  const before = await lastAnswerAt()
  await core.wake()
  const awake = await rpc.events.gaps({ days: 1 })
  expect(awake.gaps).toMatchObject([{ from: asleep.gaps[0]!.from, reason: 'suspended' }])
  expect(awake.gaps[0]!.to).not.toBeNull()
  await expect.poll(lastAnswerAt).not.toBe(before)
})

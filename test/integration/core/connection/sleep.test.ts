import { expect, test } from 'vitest'
import { startTestCore } from '../../../helpers/test-core.ts'
import { statusWhere } from '../../../helpers/wait-for.ts'

test('keeps a sleep gap open until the listener is checked, then refreshes from the service', async () => {
  const { core, rpc } = await startTestCore({ config: { startWith: { kind: 'sandbox' } } })
  const lastAnswerAt = async () => (await statusWhere(rpc, () => true)).network.lastAnswerAt
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

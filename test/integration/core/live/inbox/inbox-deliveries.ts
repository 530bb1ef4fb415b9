import { expect } from 'vitest'
import { deliverEvents, moBody } from '../../../../helpers/deliver-events.ts'
import type { Rpc } from '../../../../helpers/start-core.ts'
import { serviceSecret } from '../../../../helpers/test-core.ts'

/** How many messages are in conversations. */
export const messageCount = async (rpc: Rpc): Promise<number> =>
  (await rpc.inbox.list({ limit: 200 })).items.reduce((sum, { messages }) => sum + messages, 0)

/** Delivers signed messages, and waits until all are in conversations. */
export async function deliverMessages(
  rpc: Rpc,
  ...messages: readonly [id: string, from: string, text: string][]
): Promise<void> {
  const expected = (await messageCount(rpc)) + new Set(messages.map(String)).size
  await deliverEvents(rpc, serviceSecret, ...messages.map((message) => moBody(...message)))
  await expect.poll(() => messageCount(rpc)).toBe(expected)
}

import { expect, test } from 'vitest'
import { startTestCore } from '../../../helpers/test-core.ts'

test('opens the sandbox signed in, listening and subscribed, and shows its events', async () => {
  const { rpc } = await startTestCore({ sandbox: { traffic: true, ratePerSecond: 50 } })
  expect((await rpc.connections.openSandbox()).connection.kind).toBe('sandbox')
  expect((await rpc.listener.get()).status).toMatchObject({
    state: 'listening',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/),
  })
  const { upToSeq } = await rpc.events.search({ filter: {} })
  const stream = await rpc.events.watch({ filter: {}, afterSeq: upToSeq })
  let seen = 0
  for await (const batch of stream) {
    seen += batch.items.length
    if (seen >= 5) break
  }
  expect((await rpc.overview.get()).freshness?.source).toBe('live')
  const { items } = await rpc.campaigns.list({ status: 'running' })
  expect((await rpc.campaigns.pause({ id: items[0]!.id })).campaign.status).toBe('paused')
})

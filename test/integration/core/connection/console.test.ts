import { afterEach, expect, test } from 'vitest'
import { type RunningCore, startCore } from '../../../helpers/start-core.ts'

let running: RunningCore | null = null
afterEach(async () => {
  await running?.stop()
  running = null
})

test('opens the sandbox signed in, listening and subscribed, and shows its events', async () => {
  running = await startCore({ sandbox: { traffic: true, ratePerSecond: 50 } })
  const { rpc } = running
  const opened = await rpc.connections.openSandbox()
  expect(opened.connection.kind).toBe('sandbox')
  const listener = await rpc.listener.get()
  expect(listener.status.state).toBe('listening')
  expect(listener.status.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/webhooks$/)

  const { upToSeq } = await rpc.events.search({ filter: {} })
  const stream = await rpc.events.watch({ filter: {}, afterSeq: upToSeq })
  let seen = 0
  for await (const batch of stream) {
    seen += batch.items.length
    if (seen >= 5) break
  }
  expect(seen).toBeGreaterThanOrEqual(5)
  const dashboard = await rpc.overview.get()
  expect(dashboard.freshness?.source).toBe('live')
  const campaigns = await rpc.campaigns.list({ status: 'running' })
  expect(campaigns.items.length).toBeGreaterThan(0)
  const paused = await rpc.campaigns.pause({ id: campaigns.items[0]!.id })
  expect(paused.campaign.status).toBe('paused')
})

import { expect, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('opens the sandbox over the port, streams events, and keeps a campaign paused', async ({
  startDesktop,
}) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await page.getByRole('button', { name: /open sandbox/i }).waitFor()
  await putClientInto(page)
  const found = await page.evaluate(async () => {
    const rpc = await window.openRpc()
    const { connection } = await rpc.connections.openSandbox({})
    const arrived: string[] = []
    for await (const batch of await rpc.events.watch({ filter: {}, afterSeq: 0 })) {
      arrived.push(...batch.items.map(({ kind, verdict }) => `${kind} ${verdict}`))
      if (arrived.length >= 5) break
    }
    const { items } = await rpc.campaigns.list({ status: 'running' })
    const { campaign } = await rpc.campaigns.pause({ id: items[0]!.id })
    const again = await rpc.campaigns.list({ perPage: 100 })
    return {
      kind: connection.kind,
      arrived,
      paused: campaign.status,
      after: again.items.find(({ id }) => id === campaign.id)?.status,
    }
  })
  expect(found).toMatchObject({ kind: 'sandbox', paused: 'paused', after: 'paused' })
  expect(found.arrived.length).toBeGreaterThanOrEqual(5)
  expect(found.arrived.every((each) => each.endsWith(' signed'))).toBe(true)
})

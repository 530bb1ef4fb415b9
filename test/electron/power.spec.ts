import { expect, openSandbox, test } from './fixtures.ts'
import { putClientInto } from './page-client.ts'

test('records sleep as a gap that ends on wake', async ({ startDesktop }) => {
  const desktop = await startDesktop()
  const page = await desktop.window()
  await openSandbox(page)
  await putClientInto(page)
  const gaps = () =>
    page
      .evaluate(async () => {
        const { gaps, recordedSince } = await (await window.openRpc()).events.gaps({ days: 1 })
        // Recording starts when the listener is up.
        return recordedSince === null ? null : gaps.map(({ to, reason }) => ({ reason, isOver: to !== null }))
      })
      .catch(() => null)
  await expect.poll(gaps).toEqual([])
  await desktop.main(({ powerMonitor }) => void powerMonitor.emit('suspend'))
  await expect.poll(gaps).toEqual([{ reason: 'suspended', isOver: false }])
  await desktop.main(({ powerMonitor }) => void powerMonitor.emit('resume'))
  await expect.poll(gaps).toEqual([{ reason: 'suspended', isOver: true }])
})

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
        const { gaps } = await (await window.openRpc()).events.gaps({ days: 1 })
        return gaps.map(({ to, reason }) => ({ reason, isOver: to !== null }))
        // Recording starts when the listener is up.
      })
      .catch(() => null)
  await expect.poll(gaps).toEqual([])
  await desktop.main(({ powerMonitor }) => void powerMonitor.emit('suspend'))
  await expect.poll(gaps).toEqual([{ reason: 'suspended', isOver: false }])
  await desktop.main(({ powerMonitor }) => void powerMonitor.emit('resume'))
  await expect.poll(gaps).toEqual([{ reason: 'suspended', isOver: true }])
})

test('reads proxies from Chromium’s settings', async ({ startDesktop, desktopKind }) => {
  test.skip(desktopKind === 'real', 'the proxy settings of this computer are not the test’s')
  const desktop = await startDesktop({
    env: { HTTPS_PROXY: undefined, https_proxy: undefined, ALL_PROXY: undefined, all_proxy: undefined },
  })
  const page = await desktop.window()
  await page.getByRole('button', { name: /open sandbox/i }).waitFor()
  await desktop.main(({ session }) => {
    ;(session.defaultSession as unknown as { proxyRules: string }).proxyRules = 'PROXY 127.0.0.1:1'
  })
  await putClientInto(page)
  const refused = await page.evaluate(async () => {
    const rpc = await window.openRpc()
    return rpc.connections
      .connect({
        name: 'Behind a proxy',
        baseUrl: 'https://service.example/v1',
        colour: 'blue',
        production: false,
        credential: { kind: 'api-key', apiKey: 'key' },
      })
      .catch((error: { code: string; data: unknown }) => ({ code: error.code, data: error.data }))
  })
  expect(refused).toMatchObject({ code: 'PROXY_UNREACHABLE' })
})

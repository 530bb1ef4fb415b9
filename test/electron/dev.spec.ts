import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type UserConfig } from 'vite'
import config from '../../electron.vite.config.ts'
import { expect, test } from './fixtures.ts'

test('serves the page from its sources in npm run dev, under the usual policy', async ({ startDesktop }) => {
  const cacheDir = mkdtempSync(join(tmpdir(), 'switchboard-vite-'))
  const { renderer } = config as { renderer: UserConfig }
  const vite = await createServer({
    ...renderer,
    cacheDir,
    configFile: false,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
  })
  await vite.listen()
  try {
    const { port } = vite.httpServer!.address() as AddressInfo
    const desktop = await startDesktop({ env: { ELECTRON_RENDERER_URL: `http://127.0.0.1:${port}` } })
    const page = await desktop.window()
    // Vite compiles each source on first request.
    await expect(page.getByRole('button', { name: /open sandbox/i })).toBeVisible({ timeout: 120_000 })
    expect(await page.evaluate(() => location.origin)).toBe(desktop.pageOrigin)
    // Only the dev page has Vite's client and the styles it injects.
    expect(await page.locator('script[src="/@vite/client"]').count()).toBe(1)
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll('style[data-vite-dev-id]')].every(
          (style) => (style as HTMLStyleElement).sheet !== null,
        ),
      ),
    ).toBe(true)
    expect(await page.locator('style[data-vite-dev-id]').count()).toBeGreaterThan(0)
  } finally {
    await vite.close()
    rmSync(cacheDir, { recursive: true, force: true })
  }
})

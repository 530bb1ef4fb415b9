import { expect, test } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnHost } from '../helpers/host-process.ts'
import { deliverSigned } from '../helpers/signed-delivery.ts'
import { startConsole } from '../helpers/start-console.ts'
import { ShellPage } from './pages/shell-page.ts'
import { expectAccessible } from './scripted-console.ts'

const secret = 'secret of relay and console'
const report = JSON.stringify({
  event: 'dlr',
  message_id: 'through-the-relay',
  status: 'delivered',
  error_code: null,
  destination: '+14155550123',
})

test('reads a relay set up in Settings, and says when its token is revoked', async ({ page }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'relay-'))
  const relay = (...args: string[]) =>
    spawnHost({
      file: join(import.meta.dirname, '../../electron/hosts/start.mjs'),
      args: ['relay', ...args, '--data-dir', dataDir],
      env: { SWITCHBOARD_RELAY_SECRET: secret },
    })
  const server = relay('--port', '0')
  await using console = await startConsole({
    sandbox: { ratePerSecond: 0 },
    env: { SWITCHBOARD_WEBHOOK_SECRET: secret },
  })
  try {
    const [, url] = await server.line(/"Relay ready","url":"(http:\/\/[^"]+)"/)
    const [token] = await relay('token', 'add', 'ana', '--inbox', 'main').line(/^swr_\S+/)

    await page.goto(console.url)
    const shell = new ShellPage(page)
    await expect(shell.heading).toHaveText('Overview')
    await page.goto(`${console.origin}/#/settings?section=listener`)
    const section = page.getByRole('region', { name: 'Receiving events' })
    await section.getByText('Through a relay', { exact: true }).click()
    await section.getByLabel('Relay address').fill('http://relay.example.com')
    await section.getByLabel('Token').fill(token)
    await expect(section.getByRole('alert')).toContainText('Use https')
    await section.getByLabel('Relay address').fill(url!)
    await section.getByRole('button', { name: 'Apply' }).click()
    await expect(section).toContainText('Relay connected')
    await expect(section).toContainText(`${url}/webhooks`)
    await expect(section).toContainText('Saved')
    await expect(section.getByLabel('Token')).toHaveCount(0)
    await expect(page.getByRole('region', { name: 'Listener', exact: true })).toHaveCount(0)

    expect(await deliverSigned(`${url}/webhooks`, report, secret)).toBe(200)
    await expect(section).toContainText('1 delivery received')
    await page.goto(`${console.origin}/#/events`)
    await expect(page.getByRole('grid')).toContainText('through-')

    await relay('token', 'revoke', 'ana').exit
    await expect(shell.status).toContainText('Relay token revoked')
    await page.goto(`${console.origin}/#/settings?section=listener`)
    await expect(section).toContainText('The token was revoked. Create a new one at the relay')
    await expectAccessible(page)
    const [next] = await relay('token', 'add', 'ana-2', '--inbox', 'main').line(/^swr_\S+/)
    await section.getByRole('button', { name: 'Replace' }).click()
    await section.getByLabel('Token').fill(next)
    await section.getByRole('button', { name: 'Apply' }).click()
    await expect(section).toContainText('Relay connected')

    await section.getByRole('button', { name: 'Remove relay…' }).click()
    await shell.dialog.getByRole('button', { name: 'Remove' }).click()
    await expect(section.getByRole('radio', { name: 'On this computer' })).toBeChecked()
    await expect(shell.status).toContainText('Listening')
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

import { expect, test } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signed, textOf } from '#electron/core/people/dnc/team-entries.ts'
import { teamPath, teamQuery } from '#electron/listener/team-protocol.ts'
import { spawnHost } from '../helpers/host-process.ts'
import { deliverSigned } from '../helpers/signed-delivery.ts'
import { startConsole } from '../helpers/start-console.ts'
import { shellPage } from './pages/shell-page.ts'
import { expectFocusIn, tabTo } from './real-console.ts'

const secret = 'secret of relay and console'
const report = JSON.stringify({
  event: 'dlr',
  message_id: 'through-the-relay',
  status: 'delivered',
  error_code: null,
  destination: '+14155550123',
})

test('sets up a relay by keyboard, tests it, shares holds over it, and says when its token is revoked', async ({
  page,
}) => {
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
    const shell = shellPage(page)
    await expect(shell.heading).toHaveText('Overview')
    await page.goto(`${console.origin}/#/settings?section=listener`)
    const section = page.getByRole('region', { name: 'Receiving events' })
    await tabTo(page, section.getByRole('radio', { name: 'On this computer' }), 'ArrowDown')
    await expect(section.getByRole('radio', { name: 'Through a relay' })).toBeChecked()
    await tabTo(page, section.getByLabel('Relay address'))
    await page.keyboard.type('http://relay.example.com')
    await tabTo(page, section.getByLabel('Token'))
    await expect(section.getByRole('alert')).toContainText('Use https')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(url!)
    await tabTo(page, section.getByLabel('Token'))
    await page.keyboard.type(token!)
    await page.keyboard.press('Enter')
    await expect(section).toContainText('Relay connected')
    // The field with the focus is gone.
    await expectFocusIn(page.getByRole('main'))
    await expect(section).toContainText(`${url}/webhooks`)
    await expect(section).toContainText('Saved')
    await expect(section.getByLabel('Token')).toHaveCount(0)
    // The saved token is never sent to another server.
    await section.getByLabel('Relay address').fill('https://other.example.com')
    await expect(section.getByLabel('Token')).toHaveValue('')
    await expect(section.getByRole('button', { name: 'Apply' })).toBeDisabled()
    await section.getByRole('button', { name: 'Discard changes' }).click()
    await expect(section).toContainText('Saved')
    await expect(page.getByRole('region', { name: 'Listener', exact: true })).toHaveCount(0)

    expect(await deliverSigned(`${url}/webhooks`, report, secret)).toBe(200)
    await expect(section).toContainText('1 delivery received')
    await page.goto(`${console.origin}/#/events`)
    await expect(page.getByRole('grid')).toContainText('through-')

    await page.goto(`${console.origin}/#/webhooks?tab=setup`)
    await expect(page.getByText(`Create a subscription for ${url}/webhooks with the secret`)).toBeVisible()
    await expect(page.getByText('cloudflared')).toHaveCount(0)
    await page.goto(`${console.origin}/#/webhooks`)
    await expect(shell.heading).toHaveText('Webhooks')
    await page.keyboard.press('n')
    await expect(page.getByLabel('Delivery URL')).toHaveValue(`${url}/webhooks`)
    await tabTo(page, page.getByLabel('Secret', { exact: true }))
    await page.keyboard.type(secret)
    await page.keyboard.press('Enter')
    const trip = page.getByRole('complementary', { name: 'Subscription' })
    await expect(trip).toContainText('Delivers toRelay')
    await expect(page.getByRole('row').filter({ hasText: url! })).not.toContainText('doesn’t listen')
    await tabTo(page, page.getByRole('button', { name: /^Test a report to/ }), 'Enter')
    await expect(trip).toContainText(`Switchboard reads the relay at ${url}/webhooks.`)
    await expect(trip).toContainText('It reads as dlr.')

    // A team over the same relay: its key is made here, and a colleague who has it puts a number on hold.
    await page.goto(`${console.origin}/#/settings?section=team`)
    const team = page.getByRole('region', { name: 'Team' })
    await team.getByLabel('Your name').fill('Ana')
    await team.getByRole('button', { name: 'Generate' }).click()
    await expect(team.getByRole('button', { name: 'Copy team key' })).toBeVisible()
    const key = await team.getByLabel('Team key', { exact: true }).inputValue()
    await team.getByRole('button', { name: 'Join' }).click()
    await expect(team).toContainText('You joined as Ana.')
    await expect(team.getByLabel('Team key', { exact: true })).toHaveCount(0)
    const hold = {
      id: 'h-1',
      number: '+14155550123',
      country: null,
      evidence: 'By phone',
      source: 'by-hand' as const,
      ownOnly: false,
    }
    const by = { author: 'Ben', atMs: Date.now() }
    const filter = { id: 'v-1', of: 'contact-filter', key: 'Gold', value: { text: 'gold' }, clockMs: 1 }
    const entries = [textOf({ kind: 'hold', ...by, ...hold }), textOf({ kind: 'value', ...by, ...filter })]
    const asked = teamQuery({ inbox: 'main', after: 0, wait: false }).toString()
    const posted = await fetch(`${url}${teamPath}?${asked}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(entries.map((text) => signed(text, key))),
    })
    expect(posted.status).toBe(200)
    await page.goto(`${console.origin}/#/dnc?tab=holds`)
    const row = page.getByRole('row', { name: /415 555-0123|4155550123/ })
    await expect(row).toContainText('Manual (Ben): By phone')
    await row.getByRole('button', { name: 'Remove hold on' }).click()
    await expect(shell.dialog).toContainText('Your whole team can contact it again')
    await shell.dialog.getByRole('button', { name: 'Remove hold' }).click()
    await expect(row).toHaveCount(0)
    await page.goto(`${console.origin}/#/team`)
    await expect(page.getByRole('list', { name: 'Online now' })).toContainText('Ana (you)')
    await expect(page.getByRole('row', { name: /You Removed the hold of/ })).toContainText('By phone')
    await expect(page.getByRole('row', { name: /Ben Put/ })).toContainText('By phone')
    await expect(page.getByRole('main')).toContainText('Up to date')
    await expect(page.getByRole('main')).not.toContainText('not shared')
    await page.getByRole('button', { name: 'Notes, filters, rules' }).click()
    await expect(page.getByRole('main').getByRole('row')).toHaveCount(2)
    await page.getByRole('row', { name: 'Ben Saved the contact filter Gold' }).click()
    await page.getByRole('complementary', { name: 'Change' }).getByRole('link', { name: 'Open' }).click()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await expect(page.getByRole('button', { name: /^Gold/ })).toContainText('by Ben')
    await page.goto(`${console.origin}/#/settings?section=team`)
    await team.getByRole('button', { name: 'Leave…' }).click()
    await shell.dialog.getByRole('button', { name: 'Leave' }).click()
    await expect(team.getByLabel('Your name')).toBeVisible()

    await relay('token', 'revoke', 'ana').exit
    await expect(shell.status).toContainText('Relay token revoked')
    await page.goto(`${console.origin}/#/settings?section=listener`)
    await expect(section).toContainText('The token was revoked. Create a new one at the relay')
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

import type { Page } from '@playwright/test'
import type { Connection, ConnectionActivity } from '#contract/connection/connections.ts'
import { activityOf, connections } from '../helpers/scripted-answers.ts'
import { ago } from '../helpers/scripted/broadcast.ts'
import { shellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'
import { relayStatus } from '../helpers/relay-status.ts'

const [production, staging, sandbox] = connections

const active = (connection: Connection, changes: Partial<ConnectionActivity> = {}): ConnectionActivity =>
  activityOf(connection, {
    eventsPerMinute: 1_200,
    lastHalfHour: {
      perMinute: new Array<number>(30).fill(1_200),
      failed: 380,
      sent: 10_000,
      limit: { percent: 3.5, minSent: 100 },
    },
    unreadConversations: 3,
    runningCampaigns: { value: 4, atLeast: false },
    dncList: { state: 'stale', asOf: ago(86_400_000), teamReadAt: null, waits: null },
    ...changes,
  })

const relay = relayStatus({ state: 'refused', refusal: 'revoked' })

const closed = {
  session: 'none',
  listener: {
    state: 'stopped',
    path: null,
    url: null,
    relay: null,
    refusedLastMinute: 0,
    lastDeliveryAt: null,
    silence: null,
  },
  eventsPerMinute: 0,
  lastHalfHour: null,
  runningCampaigns: null,
  dncList: null,
  unreadConversations: 0,
  rateLimit: null,
} as const

const three = [
  active(production, { queuedRequests: 672 }),
  active(staging, {
    alerts: 1,
    openGap: { from: ago(60_000), reason: 'stopped' },
    listener: {
      state: 'listening',
      path: '/b',
      url: null,
      relay: null,
      refusedLastMinute: 25,
      lastDeliveryAt: null,
      silence: null,
    },
  }),
  active(sandbox, { ...closed, state: 'off', background: false }),
]

const watching = (items: ConnectionActivity[]) =>
  async function* () {
    yield { connections: items, asOf: ago(0) }
    await new Promise(() => {})
  }

const row = (page: Page, { name }: { name: string }) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })

test('shows what every connection receives, sends and needs', async ({ page, core }) => {
  core.change({ connections: { watch: watching(three) } })
  await core.open('/connections')
  await expect(page.getByText('2 of 3 live')).toBeVisible()
  await expect(row(page, production).getByRole('cell')).toHaveText([
    'LiveListening',
    '1,200',
    '3',
    '672',
    '172 of 200',
    '3.8%',
    '4 running',
    '',
    '1 d ago',
    '',
  ])
  // Of its own alert rule.
  await expect(row(page, production).getByText('3.8%')).toHaveClass(/bad/)
  await expect(row(page, staging).getByRole('cell').first()).toContainText('Needs attention')
  await expect(page.getByText('1 alert rule triggered')).toBeVisible()
  await expect(page.getByText('25 deliveries rejected in the last minute')).toBeVisible()
  await expect(row(page, sandbox).getByRole('cell').nth(0)).toContainText('Off')
  await expect(row(page, sandbox).getByRole('cell').nth(1)).toHaveText('–')
  await page.setViewportSize({ width: 720, height: 450 })
  await expectAccessible(page)

  core.change({ connections: { watch: watching([active(production, { session: 'expired' })]) } })
  await page.reload()
  await expect(page.getByText('0 of 1 live')).toBeVisible()
  await row(page, production).getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/connect\?id=/)
})

test('cuts no column off in either language, in any window', async ({ page, core }) => {
  const through = active(staging, {
    alerts: 1,
    listener: { ...active(staging).listener, state: 'failed', url: null, relay },
    rateLimit: { limitPerMinute: 2_000, used: 828, remaining: 1_172 },
  })
  core.change({
    connections: { watch: watching([active(production), through, active(sandbox)]) },
  })
  for (const language of ['en', 'es'] as const) {
    core.change({
      settings: { getAppearance: () => ({ theme: 'system', density: 'compact', language }) },
    })
    await page.setViewportSize({ width: 1440, height: 600 })
    await page.goto('about:blank')
    await core.open('/connections')
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    const table = page.locator('main table')
    for (let width = 1440; width >= 720; width -= 80) {
      await page.setViewportSize({ width, height: 600 })
      await expect(page.getByRole('switch').first()).toBeInViewport({ ratio: 1 })
      const [needed, given] = await table.evaluate(({ scrollWidth, parentElement }) => [
        scrollWidth,
        parentElement!.clientWidth,
      ])
      expect(needed, `${language} at ${width} pixels`).toBeLessThanOrEqual(given!)
    }
  }
})

test('opens another connection and keeps one out of the background', async ({ page, core }) => {
  core.change({ connections: { watch: watching(three) } })
  const shell = shellPage(page)
  await core.open('/connections')
  await page.getByRole('switch', { name: `Keep ${staging.name} live in the background` }).click()
  await expect
    .poll(() => inputsOf(core, 'connections.setBackground'))
    .toEqual([{ id: staging.id, background: false }])
  await row(page, staging).getByRole('button', { name: 'Open' }).click()
  await expect(shell.heading).toHaveText('Overview')
  await expect(page.getByRole('button', { name: new RegExp(`^Connection.*${staging.name}`) })).toBeVisible()
})

test('shows the state of other connections in the menu', async ({ page, core }) => {
  core.change({ connections: { watch: watching(three) } })
  const shell = shellPage(page)
  await core.open('/overview')
  const current = page.getByRole('button', { name: /1 other connection needs attention/ })
  await expect(current.getByTitle(`${staging.name}: Needs attention`)).toBeVisible()
  await shell.openConnectionMenu()
  const menu = page.locator('[popover]')
  await expect(menu.getByRole('button', { name: staging.name })).toContainText('Needs attention')
  await menu.getByRole('button', { name: 'Remove connection…' }).click()
  await expect(shell.dialog).toContainText('672 queued requests won’t be sent.')
  await shell.dialog.getByRole('button', { name: 'Cancel' }).click()
  await shell.openConnectionMenu()
  await menu.getByRole('button', { name: 'All connections' }).click()
  await expect(shell.heading).toHaveText('All connections')
})

test('switches by Ctrl and a number, and asks before it loses text', async ({ page, core }) => {
  core.change({ connections: { watch: watching(three) } })
  const shell = shellPage(page)
  const shown = (name: string) => page.getByRole('button', { name: new RegExp(`^Connection.*${name}`) })
  await core.open('/overview')
  // The list, too: the name of the open connection may come first.
  await expect(page.getByRole('button', { name: /1 other connection needs attention/ })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+3')
  await expect(shown(sandbox.name)).toBeVisible()
  await page.keyboard.press('?')
  await expect(shell.dialog).toContainText(`Switch to ${staging.name}Ctrl2`)
  await page.keyboard.press('ControlOrMeta+2')
  await expect(shown(sandbox.name)).toBeVisible()
  await shell.dialog.getByRole('button', { name: 'Close' }).click()
  await expect(shell.dialog).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+2')
  await expect(shown(staging.name)).toBeVisible()

  await core.open('/contacts')
  await page.getByRole('button', { name: 'New contact' }).click()
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill('a@b.example')
  await page.keyboard.press('ControlOrMeta+1')
  await shell.dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(shown(staging.name)).toBeVisible()
  await expect(shell.dialog).toHaveCount(0)
  await page.keyboard.press('ControlOrMeta+1')
  await shell.dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(shown(production.name)).toBeVisible()
})

test('does not watch other connections when there are none', async ({ page, core }) => {
  let watched = 0
  core.extend('connections.list', { connections: [production] })
  core.change({
    connections: {
      watch: async function* () {
        watched++
        yield { connections: [active(production)], asOf: ago(0) }
        await new Promise(() => {})
      },
    },
  })
  const shell = shellPage(page)
  await core.open('/overview')
  // The router misses a new address until its first page is ready.
  await expect(shell.heading).toHaveText('Overview')
  await shell.openConnectionMenu()
  await expect(page.locator('[popover]').getByRole('button', { name: 'Add connection' })).toBeVisible()
  expect(watched).toBe(0)
  await core.open('/connections')
  await expect(page.getByText('1 of 1 live')).toBeVisible()
})

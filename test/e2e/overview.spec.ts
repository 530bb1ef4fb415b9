import type { Page } from '@playwright/test'
import { AppError } from '#contract/errors.ts'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import { OverviewPage } from './pages/overview-page.ts'
import { ShellPage } from './pages/shell-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const fail = (): never => {
  throw new AppError('STORAGE_BUSY')
}

/** Tells the page that nobody sees it, so that it reads nothing again of its own accord. */
const hide = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
    document.dispatchEvent(new Event('visibilitychange'))
  })

test('the overview shows figures with their age, arrivals, running campaigns, the listener and holes', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(overview.figure('Messages today')).toHaveText('182,344')
  await expect(overview.figure('Messages this week')).toHaveText('1,045,902')
  await expect(overview.figure('Balance')).toHaveText('18,422.50')
  await expect(page.getByText(/Updated (\d|just)/).first()).toBeVisible()
  await expect(overview.chart.getByRole('img')).toHaveAccessibleName(/Delivered/i)
  await expect(overview.running.getByRole('button', { name: /^Pause / })).toHaveCount(3)
  await expect(overview.listener).toContainText('48,213')
  await expect(overview.listener).toContainText(/Since ?\d\d /)
  await expect(overview.holes.getByRole('row').filter({ hasText: /Possibly/ })).toHaveCount(3)
  const health = page.getByRole('region', { name: 'Health' })
  await expect(health.getByRole('term')).toHaveText([
    'Service',
    'Sign-in',
    'Requests',
    'Secrets',
    'Outbox',
    'DNC list',
    'Alert rules',
  ])
  await expect(health).toContainText('64 Switchboard, 31 others')
  await expect(overview.holes).toContainText('Possibly lost')
  await expect(overview.holes).toContainText('Possibly retried')
  await expect(overview.holes).toContainText(
    '1,240 messages looked up: 1,102 delivered, 96 failed, 38 submitted, 4 not found',
  )
  await expect(overview.holes).toContainText('38 messages may be missing a report.')
  await overview.holes.getByRole('button', { name: 'Recover' }).first().click()
  await expect.poll(() => core.calls.some(({ name }) => name === 'recovery.start')).toBe(true)
  await expectAccessible(page)
})

test('the palette leads to the holes from any page, and they stay in sight while the rest is read', async ({
  page,
  scripted,
}) => {
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const core = await scripted()
  const { get } = core.day.script.overview
  core.change({ overview: { get: async (...asked) => (await isAnswered, get(...asked)) } })
  await page.setViewportSize({ width: 1000, height: 600 })
  const shell = new ShellPage(page)
  const overview = new OverviewPage(page)
  for (const path of ['/webhooks', '/overview']) {
    await shell.open(core.url, path)
    await expect(shell.navigation).toBeVisible()
    await shell.runCommand('Show gaps')
    await expect(overview.holes).toBeFocused()
    await expect(overview.holes.getByRole('heading')).toBeInViewport()
    await expect(page).toHaveURL(/#\/overview$/)
  }
  answer()
  await expect(overview.figure('Messages today')).toHaveText('182,344')
  await expect(overview.holes.getByRole('button', { name: 'Recover' }).first()).toBeInViewport()
  await expectAccessible(page)
})

test('what holes may have cost is not passed over in silence when it cannot be read', async ({
  page,
  scripted,
}) => {
  const core = await scripted({ recovery: { get: fail } })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(overview.holes).toContainText('Couldn’t load affected messages.')
  await expectAccessible(page)
})

test('a campaign is paused from the overview', async ({ page, scripted }) => {
  const core = await scripted()
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await overview.running.getByRole('button', { name: 'Pause Autumn offers' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('Acme production')
  await dialog.getByRole('button', { name: 'Pause campaign' }).click()
  await expect(overview.running.getByRole('button', { name: /^Pause Autumn/ })).toBeHidden()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(true)
})

test('each part fails alone, says why, and can be read again', async ({ page, scripted }) => {
  const core = await scripted({ overview: { get: fail }, events: { holes: fail } })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(page.getByRole('alert').filter({ hasText: 'The database is busy' })).toHaveCount(2)
  await expect(overview.figure('Messages today')).toHaveText('—')
  await expect(overview.chart.getByRole('img')).toHaveAccessibleName(/Delivered/i)
  await expectAccessible(page)
  await hide(page)
  core.change({
    events: { holes: () => ({ holes: [], recordedSince: null, asOf: new Date().toISOString() }) },
  })
  await overview.holes.getByRole('button', { name: 'Retry' }).click()
  await expect(overview.holes).toContainText('Nothing recorded yet')
})

test('a last known answer is marked as such and says why it is not live', async ({ page, scripted }) => {
  const error = new AppError('SERVICE_TIMEOUT', { host: 'api.messaging.example' })
  const core = await scripted({
    overview: {
      get: () => ({
        dashboard: {
          messagesToday: 12,
          messagesWeek: null,
          balance: null,
          activeCampaigns: 0,
          recentMessages: [],
        },
        freshness: {
          asOf: new Date(Date.now() - 3 * 3_600_000).toISOString(),
          source: 'cache',
          error: { code: error.code, text: error.message, retryable: true, data: {} },
        },
      }),
    },
  })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(page.getByText('Last updated 3 h ago')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'SERVICE_TIMEOUT' })).toBeVisible()
  await expect(overview.figure('Messages today')).toHaveText('12')
  await expect(overview.figure('Messages this week')).toHaveText('—')
})

test('while nothing has come yet every part keeps its place', async ({ page, scripted }) => {
  const never = () => new Promise<never>(() => {})
  const core = await scripted({ overview: { get: never }, events: { holes: never, series: never } })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(overview.holes.getByRole('status', { name: 'Loading gaps' })).toBeVisible()
  await expect(overview.figure('Messages today')).toHaveText('—')
  await expectAccessible(page)
})

test('without a hole it is said since when that is known', async ({ page, scripted }) => {
  const answer = (days: number) => () => ({
    holes: [],
    recordedSince: new Date(Date.now() - days * 86_400_000).toISOString(),
    asOf: new Date().toISOString(),
  })
  const core = await scripted({ events: { holes: answer(2) } })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(overview.holes).toContainText(/No gaps since \d\d \w{3,4},? \d\d:\d\d/)
  core.change({ events: { holes: answer(30) } })
  await page.reload()
  await expect(overview.holes).toContainText('No gaps in the last 7 days')
})

test('refused deliveries turn the listener amber, in words, and an old status claims nothing', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  core.setStatus({
    listener: {
      ...ordinaryStatus().listener,
      refusedLastMinute: 140,
      lastRefusalReason: 'signature-mismatch',
    },
  })
  const words = 'Listening · 140 rejected in the last minute, last: wrong signature'
  await expect(overview.listener).toContainText(words)
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText(words)
  await expectAccessible(page)
  core.unplug()
  await expect(overview.listener.getByText('Unknown', { exact: true })).toBeVisible()
  await expect(overview.listener).toContainText('Last updated')
  await expectAccessible(page)
})

test('an expired sign-in is said once, and not again where figures are', async ({ page, scripted }) => {
  const core = await scripted({
    overview: {
      get: () => {
        throw new AppError('SESSION_EXPIRED')
      },
    },
  })
  core.setStatus({ session: { state: 'expired', problem: null, endsAt: null } })
  const overview = new OverviewPage(page)
  await overview.open(core.url)
  await expect(overview.figure('Messages today')).toHaveText('—')
  await expect(page.getByRole('alert').filter({ hasText: 'SESSION_EXPIRED' })).toHaveCount(1)
})

test('recent messages stand in columns when they have them', async ({ page, scripted }) => {
  const dashboard = (recentMessages: unknown[]) => () => ({
    dashboard: { messagesToday: 1, messagesWeek: 2, balance: 3, activeCampaigns: 0, recentMessages },
    freshness: { asOf: new Date().toISOString(), source: 'live' as const, error: null },
  })
  const item = { id: 'm1', to: '+15550100', status: 'delivered', body: 'Your parcel is here' }
  const core = await scripted({ overview: { get: dashboard([item]) } })
  await new OverviewPage(page).open(core.url)
  const recent = page.getByRole('region', { name: 'Recent messages' })
  await expect(recent.getByRole('cell')).toHaveText(['+15550100', 'delivered', 'Your parcel is here'])
  core.change({ overview: { get: dashboard([{ id: 'm1', state: 'sent' }]) } })
  await page.reload()
  await expect(recent).toContainText('id: m1 · state: sent')
})

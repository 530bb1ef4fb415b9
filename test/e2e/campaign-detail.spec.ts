import type { Note } from '#contract/platform/notifications.ts'
import type { CampaignChanges, PauseAllRun } from '#contract/views/campaigns.ts'
import { connections, ordinaryCampaigns } from '../helpers/scripted-answers.ts'
import { createBroadcast } from '../helpers/scripted/broadcast.ts'
import { aTrip, motionFor, ordinaryWatch, scriptedCampaigns } from '../helpers/scripted/campaigns.ts'
import { campaignsPage } from './pages/campaigns-page.ts'
import { shellPage } from './pages/shell-page.ts'
import { expectFocusIn } from './real-console.ts'
import { expect, expectAccessible, inputOf, inputsOf, test } from './scripted-console.ts'

const production = 'Acme production'

test('shows a campaign’s rate and stalls in its row, its record in the drawer', async ({ page, core }) => {
  const [moving, , stuck] = ordinaryCampaigns()
  core.extend('campaigns.list', {
    motions: [
      motionFor(moving!),
      { ...motionFor(stuck!), ratePerMinute: 0, etaMs: null, stillMs: 380_000, stalled: true },
    ],
    watch: { ...ordinaryWatch(), periodMs: 30_000, because: 'budget-low' },
  })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await expect(campaigns.row('Autumn offers')).toContainText('640/min')
  await expect(campaigns.row('Autumn offers')).toContainText('about 1 h 11 min left')
  await expect(campaigns.row('Delivery notices')).toContainText('Stalled 6 min')
  await expect(page.getByText('Updates every 30 s (rate limit low)')).toBeVisible()

  await campaigns.row('Password reset').click()
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(page).toHaveURL(/id=/)
  const receipt = drawer.getByTestId('receipt')
  await expect(receipt).toContainText('Paused manually')
  for (const value of ['4,270', '4,286', '214'])
    await expect(receipt.getByRole('definition').getByText(value, { exact: true })).toBeVisible()
  await expect(receipt).toContainText('44 readings, at most 5 s apart')
  await expect(drawer).toContainText('sender_id')
  await expect(drawer).toContainText(/Not given: .*completed_at/)
  await drawer.getByRole('button', { name: 'Show table' }).click()
  await expect(drawer.getByRole('region', { name: 'Readings' }).getByRole('row').nth(1)).toContainText(
    '4,500',
  )
  await drawer.getByRole('button', { name: 'Show chart' }).click()
  await expect(drawer.locator('canvas')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
})

test('shows a pause made elsewhere in list and drawer, and keeps the focus', async ({ page, core }) => {
  const all = ordinaryCampaigns()
  const changes = createBroadcast<CampaignChanges>({ items: [] })
  const { watch } = scriptedCampaigns(all, changes)
  core.change({ campaigns: { watch } })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await campaigns.row('Autumn offers').click()
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(drawer).toContainText('Last 5 min, updated')
  // A long name leaves room for the buttons.
  await expect(drawer.getByRole('button', { name: 'Close details' })).toBeInViewport({ ratio: 1 })
  await expect(drawer.getByText('Running', { exact: true })).toBeVisible()
  // Nothing answers now: the page shows what the stream sends.
  core.change({ campaigns: { list: () => new Promise(() => {}), detail: () => new Promise(() => {}) } })
  const campaign = { ...all.find(({ name }) => name?.startsWith('Autumn offers'))!, status: 'paused' }
  const pause = drawer.getByRole('button', { name: 'Pause', exact: true })
  await pause.focus()
  changes.set({ items: [{ campaign, readAt: new Date().toISOString(), motion: motionFor(campaign) }] })
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
  await expect(drawer.getByText('Paused', { exact: true })).toBeVisible()
  await expect(pause).toHaveCount(0)
  await expect(drawer.getByRole('group', { name: /^Campaign/ })).toBeFocused()
})

test('shows the cached record of a campaign that can’t be read, or the error', async ({ page, core }) => {
  const { id } = ordinaryCampaigns()[0]!
  core.fail('campaigns.detail', 'SERVICE_NOT_FOUND', { serviceText: 'campaign not found' })
  await core.open('/campaigns?id=unknown')
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(drawer.getByRole('alert')).toContainText('has no such record')
  const asOf = new Date(Date.now() - 3_600_000).toISOString()
  const error = { code: 'SERVICE_UNREACHABLE', acted: 'no' as const, data: {} }
  const freshness = { asOf, source: 'cache' as const, error }
  core.extend('campaigns.detail', { freshness, watch: { ...ordinaryWatch(), problem: error } })
  // Shows the newer of two records, with its age.
  await core.open(`/campaigns?id=${id}`)
  await expect(drawer).toContainText('Not checking now')
  await expect(drawer).toContainText('Updated')
  core.extend('campaigns.list', { freshness })
  await page.reload()
  await expect(drawer).toContainText('Last updated 1 h ago')
  await expect(drawer).toContainText('Not checking now')
})

test('sets a rule to auto-pause in production, and logs what it did', async ({ page, core }) => {
  const { id, name } = ordinaryCampaigns()[2]!
  const decidedAt = new Date().toISOString()
  const pause = { state: 'unknown', decidedAt, settledAt: null, words: 'It was not sent again.' } as const
  core.extend('campaigns.trips', { items: [aTrip({ campaignId: id, mode: 'armed', pause })] })
  await core.open(`/campaigns?id=${id}`)
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(drawer).toContainText('No alert rule.')
  await drawer.getByRole('button', { name: 'Auto-pause', exact: true }).click()
  await expect(drawer).toContainText('Pauses this campaign once')
  const share = drawer.getByLabel('Failure rate, percent')
  await share.fill('6,5')
  await expect(share).toHaveValue('6,5')
  await expect(drawer.getByRole('alert')).toContainText('Failure rate, percent')
  await expect(share).toHaveAttribute('aria-invalid', 'true')
  await expect(drawer.getByRole('button', { name: 'Turn on auto-pause…' })).toBeDisabled()
  await share.fill('12.5')
  await expect(drawer.getByRole('alert')).toHaveCount(0)
  await drawer.getByRole('checkbox', { name: 'Error code' }).click()
  await expect(drawer).toContainText('they don’t name their campaign')
  await drawer.getByRole('button', { name: 'Turn on auto-pause…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('can’t resume')
  await expect(dialog.getByRole('heading')).toContainText(name!)
  await expect(dialog).toContainText('At least 12.5% failed, in total or in the last 15 min. Needs 100 sent')
  await expect(dialog.getByTestId('trial')).toContainText('It would not trigger now')
  const readings = ['17.6% failed (1,430 of 8,120 sent).']
  core.extend('campaigns.tryAlertRule', { tripped: 1, trips: [{ campaignId: id, title: 'It', readings }] })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await drawer.getByRole('button', { name: 'Turn on auto-pause…' }).click()
  await expect(dialog.getByRole('alert')).toContainText('It would trigger now')
  await expect(dialog.getByRole('alert')).toContainText('17.6% failed')
  expect(inputsOf(core, 'campaigns.setAlertRule')).toEqual([])
  const rules = {
    failedShare: { percent: 12.5, minSent: 100 },
    stalled: null,
    errorShare: { code: null, percent: 20, minReports: 200, minutes: 10 },
  }
  const alertRule = { campaignId: id, mode: 'armed', rules, disarmedAt: null, armedBy: null } as const
  core.extend('campaigns.detail', { alertRule })
  core.extend('campaigns.alertRules', { alertRules: [{ ...alertRule, title: name }] })
  await dialog.getByRole('textbox').fill(production)
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(drawer.getByRole('button', { name: 'Auto-pause', exact: true })).toHaveAttribute(
    'aria-pressed',
    'true',
  )
  expect(inputsOf(core, 'campaigns.setAlertRule')).toEqual([
    { campaignId: id, mode: 'armed', confirmName: production, rules },
  ])

  await page.getByRole('button', { name: 'Alert rules' }).click()
  const alertRules = page.getByRole('complementary', { name: 'Alert rules' })
  await expectFocusIn(alertRules)
  await expect(alertRules).toContainText('Rules only run while Switchboard is open and online.')
  await expect(alertRules.getByTestId('trip')).toContainText('Pause unconfirmed')
  await expect(alertRules.getByTestId('trip')).toContainText('It was not sent again.')
  const own = alertRules.getByRole('region', { name: 'Custom rules' })
  await expect(own.getByRole('link', { name: name! })).toBeVisible()
  await expect(own).toContainText('Auto-pause')
})

test('names the campaigns before Pause all, then shows each result', async ({ page, core }) => {
  const running = ordinaryCampaigns().filter(({ status }) => status === 'running')
  const begun: PauseAllRun = {
    id: 'run-1',
    startedAt: new Date().toISOString(),
    endedAt: null,
    items: running.map(({ id, name }) => ({
      id,
      title: name!,
      state: 'pausing',
      receipt: null,
      error: null,
    })),
    newOnes: [],
    problem: null,
  }
  let run: PauseAllRun | null = null
  core.change({
    campaigns: { pauseAll: () => (run = begun), pauseAllRun: () => ({ run }) },
  })
  const dialog = page.getByRole('dialog')
  for (const path of ['/overview', '/campaigns']) {
    await core.open(path)
    await page.getByRole('button', { name: 'Pause all…' }).click()
    await expect(dialog).toContainText('Pause 3 running campaigns?')
    if (path === '/overview') await page.keyboard.press('Escape')
  }
  for (const { name } of running) await expect(dialog).toContainText(name!)
  await expect(dialog).toContainText('can’t resume them')
  await expect(dialog).toContainText('Updated')
  await expect(dialog.getByRole('textbox')).toBeFocused()
  await page.keyboard.type(production)
  await page.keyboard.press('Enter')
  const results = page.getByRole('dialog', { name: /Pausing|paused/ })
  await expect(results).toContainText('Pausing: 0 of 3')
  const states = ['paused', 'refused', 'unknown'] as const
  const error = { code: 'SERVICE_REJECTED', acted: 'no' as const, data: { serviceText: 'locked' } }
  run = {
    ...begun,
    endedAt: new Date().toISOString(),
    items: begun.items.map((item, at) => ({ ...item, state: states[at]!, error: at === 0 ? null : error })),
    newOnes: [{ id: 'n-1', title: 'Late starter' }],
  }
  await expect(results).toContainText('1 of 3 paused')
  const items = results.getByTestId('pause-all-item')
  await expect(items.nth(0)).toContainText('Paused')
  await expect(items.nth(1)).toContainText('Not paused')
  await expect(results.getByRole('alert')).toContainText(/2 campaigns may still be sending\..*locked/)
  await expect(items.nth(1)).not.toContainText('locked')
  await expect(items.nth(2)).toContainText('Unconfirmed')
  await expect(results).toContainText('Late starter')
  await expectAccessible(page)
  await results.getByRole('button', { name: 'Retry' }).click()
  const ids = running.map(({ id }) => id)
  await expect
    .poll(() => inputsOf(core, 'campaigns.pauseAll'))
    .toEqual([ids, ids.slice(1)].map((of) => ({ ids: of, confirmName: production })))
  await results.getByRole('button', { name: 'Close' }).click()
  await expect(results).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(2)
  await core.open('/overview')
  await expect(page.getByText('2 campaigns may still be sending')).toBeVisible()
})

test('keeps notifications under the bell and turns a kind off', async ({ page, core }) => {
  core.setStatus({ connection: connections[2]! })
  const note: Note = {
    seq: 1,
    kind: 'alert-rule',
    key: 'alertRule/1',
    text: 'alert',
    values: { campaign: 'Autumn offers', reading: '17.6% failed.' },
    problem: null,
    at: new Date().toISOString(),
    connection: { id: connections[2]!.id, name: connections[2]!.name },
    link: { path: '/campaigns?id=c-1' },
  }
  await core.open('/settings?section=notifications')
  // Opened before its page, a link would replace it in the history.
  await expect(page.getByRole('switch', { name: 'Notify: Tasks' })).toBeVisible()
  core.day.notifications.set([note])
  const shell = shellPage(page)
  await page.getByRole('button', { name: 'Set up…' }).click()
  await page.getByLabel('Address', { exact: true }).fill('https://hooks.example')
  for (const choice of ['Keep editing', 'Discard']) {
    await shell.openNotifications()
    await expect(page.getByTestId('note')).toContainText('Alert rule: Autumn offers')
    expect(inputsOf(core, 'notifications.dismiss')).toEqual([])
    await page.getByTestId('note').getByRole('link', { name: 'Open Campaigns' }).click()
    await page.getByRole('dialog').getByRole('button', { name: choice }).click()
  }
  await expect(page).toHaveURL(/campaigns\?id=c-1/)
  await page.goBack()
  await shell.openNotifications()
  await page.getByTestId('note').getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => inputOf(core, 'notifications.dismiss')).toEqual({ seq: 1 })
  await page.keyboard.press('Escape')
  await page.getByRole('switch', { name: 'Notify: Tasks' }).click()
  await expect
    .poll(() => inputOf(core, 'notifications.set'))
    .toMatchObject({ silence: true, 'alert-rule': true, 'job-done': false })

  // Its page belongs to the other connection: opening it switches first.
  core.day.notifications.set([{ ...note, seq: 2 }])
  await shell.openNotifications()
  await expect(page.getByTestId('note').getByRole('link')).toHaveCount(1)
  core.setStatus({ connection: connections[1]! })
  await expect(page.getByTestId('note').getByRole('link')).toHaveCount(0)
  await page.getByTestId('note').getByRole('button', { name: 'Open in Sandbox' }).click()
  await expect(page).toHaveURL(/campaigns\?id=c-1/)
  await expect(page.getByRole('button', { name: /^Connection.*Sandbox/ })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Notification list' })).toBeHidden()
})

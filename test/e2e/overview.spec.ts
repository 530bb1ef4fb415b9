import { ago, createBroadcast } from '../helpers/scripted/broadcast.ts'
import { idleDrain, outboxCounts } from '../helpers/scripted/outbox.ts'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import type { ScriptChanges } from '../helpers/scripted-core.ts'
import { overviewPage } from './pages/overview-page.ts'
import { shellPage } from './pages/shell-page.ts'
import { expect, inputsOf, setVisibility, test } from './scripted-console.ts'

test('lists what is read late although the pointer rests on a button, as after signing in', async ({
  page,
  core,
}) => {
  const overview = overviewPage(page)
  const drain = createBroadcast(idleDrain())
  core.change({ outbox: { watch: (_input, signal) => drain.watch(signal) } })
  await core.open('/overview')
  await page.getByRole('button', { name: 'Refresh' }).hover()
  await page.goto(`${core.url}#/analytics`)
  await expect(overview.attention).toHaveCount(0)
  await page.goto(`${core.url}#/overview`)
  await expect(overview.attention.getByRole('listitem').first()).toBeVisible()
  await expect(page.locator('#content button:hover')).toHaveAccessibleName('Refresh')
  drain.set(idleDrain({ counts: outboxCounts({ unknown: 9 }) }))
  await expect(overview.attention).toContainText('9 requests are unconfirmed')
})

test('shows totals, events, health and gaps, and pauses a running campaign', async ({ page, core }) => {
  const overview = overviewPage(page)
  await core.open('/overview')
  await expect(overview.figure('Messages today')).toHaveText('182,344')
  await expect(overview.figure('Messages this week')).toHaveText('1,045,902')
  await expect(overview.figure('Balance')).toHaveText('18,422.50')
  await expect(page.getByText(/Updated (\d|just)/).first()).toBeVisible()
  await expect(overview.chart.getByRole('img')).toHaveAccessibleName(/Delivered/i)
  await expect(overview.running.getByRole('button', { name: /^Pause (?!all)/ })).toHaveCount(3)
  await expect(overview.figure('Failed, last 30 min')).toHaveText(/^\d+\.\d%$/)
  const failures = overview.figure('Failed, last 30 min').getByRole('link')
  await expect(failures).toHaveAttribute('href', /events\?status=failed.*from=/)
  await expect(overview.figure('Median delivery time')).toHaveText(/ s$/)
  await expect(overview.gaps.getByRole('row').filter({ hasText: /Possibly/ })).toHaveCount(3)
  await expect(overview.health.getByRole('term')).toHaveText([
    'Listener',
    'Service',
    'Sign-in',
    'Requests',
    'Secrets',
    'Outbox',
    'DNC list',
  ])
  await expect(overview.health).toContainText(/last delivery \d+ (s|min) ago/)
  await expect(overview.health).toContainText('64 by Switchboard, 31 by others')
  await expect(overview.gaps).toContainText('Possibly lost')
  await expect(overview.gaps).toContainText('Possibly late')
  await expect(overview.gaps).toContainText(
    '1,240 messages looked up. Delivered: 1,102, Failed: 96, Submitted: 38, Not found: 4',
  )
  await expect(overview.gaps).toContainText('38 messages may be missing a report.')
  await overview.gaps.getByRole('button', { name: 'Recover' }).first().click()
  await expect.poll(() => core.calls.some(({ name }) => name === 'recovery.start')).toBe(true)

  await overview.running.getByRole('button', { name: 'Pause Autumn offers' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('Acme production')
  await dialog.getByRole('button', { name: 'Pause campaign' }).click()
  await expect(dialog).toBeHidden()
  await expect.poll(() => core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(true)
})

test('opens Gaps from the palette, and keeps them in view while loading', async ({ page, core }) => {
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const { get } = core.day.script.overview
  core.change({ overview: { get: async (...asked) => (await isAnswered, get(...asked)) } })
  await page.setViewportSize({ width: 1000, height: 600 })
  const shell = shellPage(page)
  const overview = overviewPage(page)
  for (const path of ['/webhooks', '/overview']) {
    await core.open(path)
    await expect(shell.navigation).toBeVisible()
    await shell.runCommand('Show gaps')
    await expect(overview.gaps).toBeFocused()
    await expect(overview.gaps.getByRole('heading')).toBeInViewport()
    await expect(page).toHaveURL(/#\/overview$/)
  }
  answer()
  await expect(overview.figure('Messages today')).toHaveText('182,344')
  await expect(overview.gaps.getByRole('button', { name: 'Recover' }).first()).toBeInViewport()
})

test('lets each part fail alone, say why, and retry', async ({ page, core }) => {
  for (const call of ['overview.get', 'events.gaps', 'recovery.get'] as const) core.fail(call, 'STORAGE_BUSY')
  const overview = overviewPage(page)
  await core.open('/overview')
  await expect(page.getByRole('alert').filter({ hasText: 'The database is busy' })).toHaveCount(2)
  await expect(overview.figure('Messages today')).toHaveText('–')
  await expect(overview.chart.getByRole('img')).toHaveAccessibleName(/Delivered/i)
  // Otherwise it retries before the click.
  await setVisibility(page, 'hidden')
  const days = (recorded: number) => new Date(Date.now() - recorded * 86_400_000).toISOString()
  core.change({ events: { gaps: () => ({ gaps: [], recordedSince: days(2), asOf: days(0) }) } })
  await overview.gaps.getByRole('button', { name: 'Retry' }).click()
  await expect(overview.gaps).toContainText(/No gaps since \d\d \w{3,4},? \d\d:\d\d/)
})

test('says once why nothing could be read', async ({ page, core }) => {
  for (const call of ['overview.get', 'events.gaps', 'events.series', 'recovery.get'] as const)
    core.fail(call, 'STORAGE_BUSY')
  const overview = overviewPage(page)
  await core.open('/overview')
  await expect(overview.attention.getByRole('alert')).toContainText('The database is busy')
  await expect(overview.gaps).toContainText('Not loaded, for the reason above.')
  await expect(page.getByText('The database is busy')).toHaveCount(1)
})

test('leads with what needs attention, each with a link to act on it', async ({ page, core }) => {
  const overview = overviewPage(page)
  await core.open('/overview')
  await expect(overview.attention.getByRole('listitem').first()).toBeVisible()
  await expect(overview.attention).not.toContainText('rejected in the last minute')
  core.setStatus({
    listener: {
      ...ordinaryStatus().listener,
      refusedLastMinute: 140,
      lastRefusalReason: 'signature-mismatch',
    },
    network: { reachable: false, lastAnswerAt: new Date(Date.now() - 90_000).toISOString(), problem: null },
  })
  const items = overview.attention.getByRole('listitem')
  await expect(items.first()).toContainText('The service is unreachable')
  await expect(items.first()).toContainText('1 min ago')
  await items.first().getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => inputsOf(core, 'overview.get').length).toBe(2)
  await expect(page.getByRole('region', { name: 'Alerts' }).getByRole('alert')).toHaveCount(0)
  const rejecting = items.filter({ hasText: '140 deliveries rejected in the last minute' })
  await expect(rejecting).toContainText('Last: wrong signature')
  await rejecting.getByRole('link', { name: 'Listener settings' }).click()
  await expect(page).toHaveURL(/#\/settings\?section=listener$/)
})

test('says that nothing needs attention only once everything is known', async ({ page, core }) => {
  const calm: ScriptChanges = {
    recovery: { get: () => ({ gaps: [], asOf: new Date().toISOString() }) },
    dnc: { holds: () => ({ items: [], nextCursor: null, total: 0 }) },
    inbox: {
      watch: (_input, signal) =>
        createBroadcast({
          unread: 0,
          conversations: 0,
          possibleOptOuts: 0,
          upToSeq: 0,
          marksVersion: 0,
          behind: false,
        }).watch(signal),
    },
    outbox: { watch: (_input, signal) => createBroadcast(idleDrain()).watch(signal) },
    tasks: { watch: (_input, signal) => createBroadcast({ tasks: [], asOf: ago(0) }).watch(signal) },
  }
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const gaps = async () => {
    await isAnswered
    return { gaps: [], recordedSince: new Date(0).toISOString(), asOf: new Date().toISOString() }
  }
  core.change({ ...calm, events: { gaps } })
  const overview = overviewPage(page)
  await core.open('/overview')
  await expect(overview.attention).toContainText('Checking…')
  answer()
  await expect(overview.attention).toContainText('Nothing needs your attention')
  core.unplug()
  await expect(overview.attention).toContainText('Unknown while disconnected')
  await expect(overview.attention).not.toContainText('Nothing needs')
  core.fail('events.gaps', 'STORAGE_BUSY')
  core.plugIn()
  await expect(page.getByRole('banner')).not.toContainText('Disconnected')
  // A return to the window reads everything again, sooner than the next interval.
  await setVisibility(page, 'visible')
  await expect(overview.attention).toContainText('this list may be incomplete')
})

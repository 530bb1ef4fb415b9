import { AppError } from '#contract/errors.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import { nothing } from '../helpers/every-page.ts'
import type { CallName } from '../helpers/scripted-core.ts'
import { ago, createBroadcast, hourMs } from '../helpers/scripted/broadcast.ts'
import { aReading, ordinaryScheduled, readingSteps, stepsOf } from '../helpers/scripted/scheduled.ts'
import { expect, inputsOf, setVisibility, test } from './scripted-console.ts'

const error = viewOf(new AppError('SERVICE_UNREACHABLE', { host: 'api.example', detail: 'no route' }))
const freshness = { asOf: ago(hourMs), source: 'cache', error } as const
const kept = ordinaryScheduled(4)
const keptStep = { kind: 'kept', items: kept, reading: aReading(kept, hourMs), isLast: true } as const

/** Every list page: what it reads, its title without rows, a filter, and its title when nothing matches. */
const lists: readonly [place: string, reads: CallName, none: string, filter?: string, noMatch?: string][] = [
  ['/campaigns', 'campaigns.list', 'No campaigns', '?status=draft', 'No draft campaigns'],
  ['/contacts', 'contacts.list', 'No contacts yet', '?text=x', 'No matching contacts'],
  ['/dnc', 'dnc.list', 'The DNC list is empty', '?text=x', 'No matching entries'],
  ['/dnc?tab=holds', 'dnc.holds', 'No active holds'],
  ['/error-codes', 'errorCodes.search', 'No error codes yet', '?text=x', 'No matching codes'],
  ['/events', 'events.search', 'No events yet', '?status=failed', 'No matching events'],
  ['/imports', 'imports.list', 'No imports yet'],
  ['/inbox', 'inbox.list', 'No messages yet', '?text=x', 'No matching conversations'],
  ['/messages', 'messages.list', 'No messages listed'],
  ['/outbox', 'outbox.list', 'Outbox is empty', '?text=x', 'No matching requests'],
  ['/scheduled', 'scheduled.read', 'No scheduled messages'],
  ['/team', 'team.changes', 'No changes yet', '?show=sends', 'No matching changes'],
  ['/templates', 'templates.list', 'No templates yet'],
  ['/webhooks', 'webhooks.list', 'No subscriptions'],
]

for (const [place, reads, none, filter, noMatch] of lists)
  test(`${place} says why it can’t be read, keeps its rows, and says when there are none`, async ({
    page,
    core,
  }) => {
    const isStream = place === '/events'
    const isScheduled = place === '/scheduled'
    const fail = () => core.fail(reads, 'STORAGE_BUSY')
    const empty = () =>
      isScheduled
        ? core.change({ scheduled: { read: () => stepsOf(readingSteps([])) } })
        : core.extend(reads, nothing as object)
    /** What the service answered an hour ago, for pages of its records. */
    const age = () =>
      isScheduled
        ? core.change({ scheduled: { read: () => stepsOf([keptStep, { kind: 'failed', error }]) } })
        : core.extend(reads, { freshness } as object)
    const alert = page.getByRole('alert').filter({ hasText: 'The database is busy' })
    const rows = page.locator('main [role=grid] [role=row][aria-rowindex="2"]')
    const details = page.locator('main .pane > .detail')
    const title = (text: string) => page.getByText(text, { exact: true })
    async function go(to: string): Promise<void> {
      await page.evaluate((hash) => (location.hash = hash), '/settings')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
      await page.evaluate((hash) => (location.hash = hash), to)
    }

    fail()
    await page.goto(`${core.url}#${place}`)
    await expect(alert).toBeVisible()
    await expect(title(none)).toHaveCount(0)
    // No figures, not even zero, for a list that was never read.
    await expect(page.locator('main [data-testid$=-total]').filter({ hasText: /\d/ })).toHaveCount(0)
    // A page that refreshes would retry before the click. A stream returns without one.
    if (!isStream) await setVisibility(page, 'hidden')
    core.restore(reads)
    if (!isStream) await alert.getByRole('button', { name: 'Retry' }).click()
    await expect(rows).toBeVisible()
    await expect(alert).toHaveCount(0)

    fail()
    await page.keyboard.press('r')
    await expect(alert).toBeVisible()
    // A stream starts over.
    await expect(rows).toHaveCount(isStream ? 0 : 1)
    core.restore(reads)
    await setVisibility(page, 'visible')
    await go(place)
    await expect(rows).toBeVisible()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    // An import opens as a page.
    await expect(place === '/imports' ? page.getByRole('region', { name: 'Result' }) : details).toBeVisible()
    empty()
    await go(place)
    await page.keyboard.press('r')
    await expect(title(none)).toBeVisible()
    if (isStream) await expect(page.getByRole('main')).toContainText('http://127.0.0.1:8787/webhooks')
    await expect(details).toHaveCount(0)

    if (noMatch !== undefined) {
      await go(place + filter!)
      await expect(title(noMatch)).toBeVisible()
      await page.getByRole('button', { name: 'Clear filters' }).last().click()
      await expect(title(none)).toBeVisible()
      // Not before the click: a list that is read again takes the button away.
      core.restore(reads)
      await go(place)
      await expect(rows).toBeVisible()
    }
    if (!['/campaigns', '/messages', '/scheduled', '/webhooks'].includes(place)) return
    age()
    await go(place)
    await page.keyboard.press('r')
    await expect(page.getByText('Last updated 1 h ago').first()).toBeVisible()
    await expect(page.getByText(/Can’t reach api.example/).first()).toBeVisible()
    await expect(rows).toBeVisible()
  })

test('shows at once that the service doesn’t respond, while the core still retries', async ({
  page,
  core,
}) => {
  const waits = () => new Promise<never>(() => {})
  core.setStatus({ network: { reachable: false, lastAnswerAt: ago(hourMs), problem: error } })
  core.change({ campaigns: { list: waits }, messages: { list: waits }, webhooks: { list: waits } })
  for (const place of ['/campaigns', '/messages', '/webhooks', '/overview']) {
    await page.goto(`${core.url}#${place}`)
    await expect(page.getByText('Loads once the service responds.').first()).toBeVisible()
    await expect(page.getByText(/Can’t reach api.example/)).toHaveCount(1)
    await expect(page.getByRole('button', { name: /^Retry/ })).toHaveCount(1)
    await expect(page.getByRole('main').getByText(/^Loading/)).toHaveCount(0)
    await expect(page.getByRole('contentinfo')).toContainText('Requests unknown')
  }
})

test('moves no row from under a resting pointer when a banner appears', async ({ page, core }) => {
  await page.goto(`${core.url}#/campaigns`)
  const row = page.locator('main [role=grid] [role=row][aria-rowindex="3"]')
  await row.hover()
  const before = await row.boundingBox()
  const banner = page.getByText(/Can’t reach api.example/)
  core.setStatus({ network: { reachable: false, lastAnswerAt: ago(hourMs), problem: error } })
  await expect(page.getByRole('contentinfo')).toContainText('Requests unknown')
  expect(await row.boundingBox()).toEqual(before)
  await expect(banner).toHaveCount(0)
  await page.mouse.move(before!.x + 90, before!.y + 9)
  await expect(banner).toBeVisible()
})

test('reads the changes of a team again once there are some, not with each of its beats', async ({
  page,
  core,
}) => {
  const team = createBroadcast(await core.day.script.team.join({ name: 'Ana', key: '' }, undefined))
  core.change({ team: { watch: (_input, signal) => team.watch(signal) } })
  await core.open('/team')
  await expect(page.getByText('Ben · Harbor · 1,204 of 5,000 sent')).toBeVisible()
  const readings = () => inputsOf(core, 'team.changes').length
  const { seq, here } = team.value()
  for (const sent of [1_300, 1_400]) {
    team.set({ ...team.value(), here: here.map((one) => ({ ...one, sent })) })
    await expect(page.getByText(`Ben · Harbor · ${sent.toLocaleString('en')} of 5,000 sent`)).toBeVisible()
  }
  expect(readings()).toBe(1)
  team.set({ ...team.value(), seq: seq + 1 })
  await expect.poll(readings).toBe(2)
})

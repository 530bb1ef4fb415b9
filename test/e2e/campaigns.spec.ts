import type { Freshness } from '#contract/define.ts'
import type { Campaign, CampaignId } from '#contract/domain.ts'
import { AppError } from '#contract/errors.ts'
import { connections, ordinaryCampaigns } from '../helpers/scripted-answers.ts'
import type { ScriptChanges } from '../helpers/scripted-core.ts'
import { campaignPage } from '../helpers/scripted/campaigns.ts'
import { campaignsPage } from './pages/campaigns-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

const production = 'Acme production'

/** A service whose campaigns are `all`; `change` replaces one of them. */
function service(all: Campaign[] = ordinaryCampaigns()) {
  const now = (): Freshness => ({ asOf: new Date().toISOString(), source: 'live', error: null })
  const list: NonNullable<NonNullable<ScriptChanges['campaigns']>['list']> = (query) =>
    campaignPage(all, query, now())
  return { list, set: (next: Campaign[]) => (all = next) }
}

test('asks for the name to pause in production, and blocks one row meanwhile', async ({ page, core }) => {
  const { promise: gate, resolve: finish } = Promise.withResolvers<undefined>()
  const { pause } = core.day.script.campaigns
  core.change({ campaigns: { pause: async (...asked) => (await gate, pause(...asked)) } })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await expect(campaigns.row('Autumn offers')).toContainText('Running')
  await expect(campaigns.row('Autumn offers')).toContainText('74,310 of 120,000')
  await expect(campaigns.row('Autumn offers').getByTitle('812 failed (1.1%)')).toHaveText('1.1%')
  await expect(campaigns.row('Board election')).toContainText('Not started')
  await expect(page.getByText(/The API can pause campaigns, not resume them/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^(resume|cancel|create)( |$)/i })).toHaveCount(0)

  await campaigns.pauseButton('Autumn offers').click()
  await expect(campaigns.dialog).toContainText('You can’t resume it from Switchboard.')
  await expect(campaigns.dialog).toContainText('up to 45,690 remain')
  await expect(campaigns.dialog.getByTitle(/^Failed ÷ sent/)).toHaveText('812 failed (1.1%)')
  await expect(campaigns.dialog).toContainText('Reports keep arriving')
  const confirm = campaigns.dialog.getByRole('button', { name: 'Pause campaign' })
  await expect(confirm).toBeDisabled()
  await expectAccessible(page)
  await campaigns.dialog.getByRole('textbox').fill('Acme')
  await expect(confirm).toBeDisabled()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(false)

  await campaigns.confirmPause(production)
  await expect(campaigns.pauseButton('Autumn offers')).toBeDisabled()
  await expect(campaigns.pauseButton('Delivery notices')).toBeEnabled()
  finish(undefined)
  await expect(page.getByText(/Paused at .* with 74,310 sent/)).toBeVisible()
  expect(core.calls.filter(({ name }) => name === 'campaigns.pause')).toMatchObject([
    { input: { confirmName: production } },
  ])
})

test('pauses nothing while disconnected; a pause that fails can be tried again', async ({ page, core }) => {
  const { pause } = core.day.script.campaigns
  core.setStatus({ connection: { ...connections[0], dashboardUrl: 'https://dashboard.example/' } })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await expect(campaigns.pauseButton('Autumn offers')).toBeEnabled()
  core.unplug()
  await expect(campaigns.pauseButton('Autumn offers')).toBeDisabled()
  core.plugIn()
  await campaigns.pauseButton('Autumn offers').click()
  await campaigns.dialog.getByRole('textbox').fill(production)
  core.unplug()
  await expect(campaigns.dialog.getByRole('alert')).toContainText('Disconnected. Reconnecting…')
  await expect(campaigns.dialog.getByRole('button', { name: 'Pause campaign' })).toBeDisabled()
  core.plugIn()
  core.change({ campaigns: { pause: () => Promise.reject(new AppError('OUTCOME_UNKNOWN')) } })
  await campaigns.confirmPause()
  await expect(page.getByText('Pause not confirmed. It may still be sending.')).toBeVisible()
  await page.getByRole('button', { name: 'Open service’s dashboard' }).click()
  await expect.poll(() => inputsOf(core, 'connections.openDashboard')).toEqual([{ id: connections[0].id }])
  // The Overview says it too, under what needs attention.
  await core.open('/overview')
  const item = overviewPage(page)
    .attention.getByRole('listitem')
    .filter({ hasText: /Autumn offers.* not paused/ })
  await expect(item).toContainText('It may still be sending.')
  core.change({ campaigns: { pause } })
  await item.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(/Paused at /)).toBeVisible()
  expect(inputsOf(core, 'campaigns.pause')).toHaveLength(2)
})

test('keeps filter and page in the address', async ({ page, core }) => {
  const many = Array.from({ length: 57 }, (_item, at) => ({
    ...ordinaryCampaigns()[0]!,
    id: `c-${at}` as CampaignId,
    name: `Campaign ${at}`,
    status: at % 2 === 0 ? 'running' : 'archived',
  }))
  core.change({ campaigns: { list: service(many).list } })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await expect(campaigns.pageText).toHaveText('1–20 of 57')
  await expect(campaigns.row('Campaign 1').first()).toContainText('archived')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(campaigns.pageText).toHaveText('21–40 of 57')
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Running' }).click()
  await expect(campaigns.pageText).toHaveText('1–20 of 29')
  await page.getByRole('combobox', { name: 'Rows' }).click()
  await page.getByRole('option', { name: '50' }).click()
  await expect(campaigns.pageText).toHaveText('1–29 of 29')
  await page.reload()
  await expect(campaigns.pageText).toHaveText('1–29 of 29')
  await expect(page).toHaveURL(/status=running/)
})

test('keeps the name and Pause visible at 200 % zoom', async ({ page, core }) => {
  await page.setViewportSize({ width: 720, height: 450 })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  const name = campaigns.names.first()
  await expect(name).toBeInViewport({ ratio: 1 })
  await expect(campaigns.pauseButton('Autumn offers')).toBeInViewport({ ratio: 1 })
  expect((await name.boundingBox())!.width).toBeGreaterThan(100)
})

test('opens a campaign on click or Enter; a double click does nothing more', async ({ page, core }) => {
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await campaigns.row('Board election').dblclick()
  await expect(drawer).toContainText('Board election')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect(drawer).toBeVisible()
  await expect(drawer).not.toContainText('Board election')
})

test('shows the track of a progress bar on a hovered row', async ({ page, core }) => {
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(page.locator('html')).toHaveAttribute('data-scheme', colorScheme)
    await campaigns.row('Board election').hover()
    const [track, ground] = await campaigns.row('Board election').evaluate((row) => {
      const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
      const colours = [row, row.querySelector('.bar')!].map((one) => getComputedStyle(one).backgroundColor)
      const brightness = (count: number) => {
        for (const colour of colours.slice(0, count)) {
          paint.fillStyle = colour
          paint.fillRect(0, 0, 1, 1)
        }
        return paint
          .getImageData(0, 0, 1, 1)
          .data.slice(0, 3)
          .reduce((sum, part) => sum + part, 0)
      }
      return [brightness(2), brightness(1)]
    })
    expect(Math.abs(track! - ground!)).toBeGreaterThan(60)
  }
})

test('asks to pause all from the Overview', async ({ page, core }) => {
  const campaigns = campaignsPage(page)
  await core.open('/')
  await page.getByRole('button', { name: 'Pause all…' }).click()
  await expect(campaigns.dialog.getByRole('heading', { name: /Pause .*campaigns/ })).toBeVisible()
})

test('pauses a campaign from the palette on any page', async ({ page, core }) => {
  const campaigns = campaignsPage(page)
  await core.open('/settings')
  await expect(page.getByRole('heading', { name: 'Connections' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pause campaign')
  await expect(page.getByRole('option', { name: /^Pause campaign/ })).toHaveCount(3)
  await page.keyboard.type(' delivery')
  await expect(page.getByRole('option', { name: /^Pause campaign/ })).toHaveCount(1)
  await page.getByRole('option', { name: 'Pause campaign Delivery notices' }).click()
  await expect(campaigns.dialog.getByRole('heading', { name: /Pause Delivery notices/ })).toBeVisible()
  await expect(campaigns.dialog.getByRole('textbox')).toBeFocused()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(false)
  await page.keyboard.type(production)
  await page.keyboard.press('Enter')
  await expect.poll(() => inputsOf(core, 'campaigns.pause')).toHaveLength(1)
})

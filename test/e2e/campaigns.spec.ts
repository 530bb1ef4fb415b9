import { AppError } from '#contract/errors.ts'
import { connections } from '../helpers/scripted-answers.ts'
import { campaignsPage } from './pages/campaigns-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { expect, expectAccessible, inputOf, inputsOf, test } from './scripted-console.ts'

const production = 'Acme production'

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
  await expect(page.getByText(/The API can’t resume campaigns/)).toBeVisible()
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

test('pauses nothing while disconnected; a pause that fails can be retried', async ({ page, core }) => {
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
  await expect(page.getByText(/Pause not confirmed at .* It may still be sending\./)).toBeVisible()
  core.change({ campaigns: { pause: () => Promise.reject(new AppError('SERVICE_UNREACHABLE')) } })
  await page.getByRole('button', { name: /^Retry: Autumn offers/ }).click()
  const line = page.getByRole('status').filter({ hasText: 'Not paused at' })
  await expect(line).toContainText('It may still be sending.')
  // The service answers now.
  await expect(line).not.toContainText('Can’t reach')
  await page.getByRole('button', { name: 'Open service’s dashboard' }).click()
  await expect.poll(() => inputsOf(core, 'connections.openDashboard')).toEqual([{ id: connections[0].id }])
  // The Overview says it too, under what needs attention.
  await core.open('/overview')
  const item = overviewPage(page)
    .attention.getByRole('listitem')
    .filter({ hasText: /Autumn offers.* not paused/ })
  await expect(item).toContainText('It may still be sending.')
  core.change({ campaigns: { pause } })
  await item.getByRole('button', { name: /^Retry: Autumn offers/ }).click()
  await expect(page.getByText(/Paused at /)).toBeVisible()
  expect(inputsOf(core, 'campaigns.pause')).toHaveLength(3)
})

test('keeps filter and page in the address', async ({ page, core }) => {
  core.extend('campaigns.list', { total: 57 })
  const campaigns = campaignsPage(page)
  await core.open('/campaigns')
  await expect(campaigns.pageText).toHaveText('1–7 of 57')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(campaigns.pageText).toHaveText('21–27 of 57')
  await page.reload()
  await expect(campaigns.pageText).toHaveText('21–27 of 57')
  await page.getByRole('group', { name: 'Status' }).getByRole('button', { name: 'Running' }).click()
  await expect(campaigns.pageText).toHaveText('1–3 of 57')
  await page.getByRole('combobox', { name: 'Rows' }).click()
  await page.getByRole('option', { name: '50' }).click()
  const asked = { page: 1, perPage: 50, status: 'running' }
  await expect.poll(() => inputOf(core, 'campaigns.list')).toMatchObject(asked)
  await expect(page).toHaveURL(/status=running/)
  const before = inputsOf(core, 'campaigns.list').length
  await page.reload()
  await expect.poll(() => inputsOf(core, 'campaigns.list').slice(before)).toMatchObject([asked])
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
  const row = campaigns.row('Board election')
  await row.hover()
  const difference = await row.evaluate((element) => {
    const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
    const [ground, track] = [element, element.querySelector('.track')!].map((one) => {
      paint.fillStyle = getComputedStyle(one).backgroundColor
      paint.fillRect(0, 0, 1, 1)
      const [red, green, blue] = paint.getImageData(0, 0, 1, 1).data
      return red! + green! + blue!
    })
    return Math.abs(track! - ground!)
  })
  expect(difference, 'the track of a progress bar is visible on a hovered row').toBeGreaterThan(60)
  await row.dblclick()
  await expect(drawer).toContainText('Board election')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect(drawer).toBeVisible()
  await expect(drawer).not.toContainText('Board election')
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

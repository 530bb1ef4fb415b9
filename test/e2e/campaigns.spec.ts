import type { Campaign, CampaignId } from '#contract/domain.ts'
import { AppError, type ErrorCode } from '#contract/errors.ts'
import { connections, ordinaryCampaigns } from '../helpers/scripted-answers.ts'
import type { ScriptChanges } from '../helpers/scripted-core.ts'
import { CampaignsPage } from './pages/campaigns-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const production = 'Acme production'

/** A service with `all` its campaigns; `change` replaces one of them. */
function service(all: Campaign[] = ordinaryCampaigns()) {
  const list: NonNullable<ScriptChanges['campaigns']>['list'] = ({ page = 1, perPage = 20, status }) => {
    const matching = all.filter((campaign) => status === undefined || campaign.status === status)
    return {
      items: matching.slice((page - 1) * perPage, page * perPage),
      total: matching.length,
      page,
      perPage,
      freshness: { asOf: new Date().toISOString(), source: 'live' as const, error: null },
    }
  }
  return {
    list,
    set: (next: Campaign[]) => (all = next),
    failing: (code: ErrorCode, data: Record<string, string> = {}) => ({
      pause: () => {
        throw new AppError(code, data)
      },
    }),
  }
}

test('campaigns show their status, progress and age, and what the service does not offer', async ({
  page,
  scripted,
}) => {
  const core = await scripted({ campaigns: { list: service().list } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.row('Autumn offers')).toContainText('Running')
  await expect(campaigns.row('Autumn offers')).toContainText('74,310 of 120,000 sent')
  await expect(campaigns.row('Autumn offers').getByTitle(/failed as a share of sent/)).toHaveText(
    '812 failed (1.1%)',
  )
  await expect(campaigns.row('Board election')).toContainText('not started')
  await expect(page.getByText('It offers no call to create, resume or cancel one.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^(resume|cancel|create)( |$)/i })).toHaveCount(0)
})

test('a pause on production says what it means, asks for the name, and is told as done only when it is', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').click()
  await expect(campaigns.dialog).toContainText('This console cannot resume it.')
  await expect(campaigns.dialog).toContainText('up to 45,690 are left')
  await expect(campaigns.dialog.getByTitle(/failed as a share of sent/)).toHaveText('812 failed (1.1%)')
  await expect(campaigns.dialog).toContainText('still arrive')
  const confirm = campaigns.dialog.getByRole('button', { name: 'Pause campaign' })
  await expect(confirm).toBeDisabled()
  await campaigns.dialog.getByRole('textbox').fill('Acme')
  await expect(confirm).toBeDisabled()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(false)

  await campaigns.confirmPause(production)
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
  await expect(page.getByText(/Paused at .*, with 74,310 sent/)).toBeVisible()
  await expect(campaigns.pauseButton('Autumn offers')).toHaveCount(0)
  expect(core.calls.filter(({ name }) => name === 'campaigns.pause')).toMatchObject([
    { input: { confirmName: production } },
  ])
})

test('a connection that is not production asks for no name', async ({ page, scripted }) => {
  const core = await scripted()
  core.setStatus({ connection: connections[2]! })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').click()
  await expect(campaigns.dialog.getByRole('textbox')).toHaveCount(0)
  await campaigns.confirmPause()
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
})

test('a campaign that was not running shows its true status', async ({ page, scripted }) => {
  const all = ordinaryCampaigns()
  const { list, set, failing } = service(all)
  const core = await scripted({
    campaigns: { list, ...failing('CAMPAIGN_NOT_RUNNING', { status: 'completed' }) },
  })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Appointment reminders').click()
  set(all.map((one) => (one.name?.startsWith('Appointment') ? { ...one, status: 'completed' } : one)))
  await campaigns.confirmPause(production)
  await expect(campaigns.row('Appointment reminders')).toContainText('Completed')
  await expect(page.getByText('This campaign is completed, so it wasn’t paused.')).toBeVisible()
})

for (const [code, said] of [
  ['PAUSE_NOT_CONFIRMED', 'still running'],
  ['OUTCOME_UNKNOWN', 'may or may not have been done'],
] as const) {
  test(`a pause that ended in ${code} is never shown as a pause`, async ({ page, scripted }) => {
    const { list, failing } = service()
    const core = await scripted({
      campaigns: { list, ...failing(code, { status: 'running', host: 'The service', call: 'the pause' }) },
    })
    const campaigns = new CampaignsPage(page)
    await campaigns.open(core.url)
    await campaigns.pauseButton('Delivery notices').click()
    await campaigns.confirmPause(production)
    await expect(page.getByText(said)).toBeVisible()
    await expect(campaigns.row('Delivery notices').getByText('Running')).toBeVisible()
    await expect(campaigns.pauseButton('Delivery notices')).toBeEnabled()
  })
}

test('a pause that somebody else was quicker with is told as such', async ({ page, scripted }) => {
  const all = ordinaryCampaigns()
  const { list, set, failing } = service(all)
  const core = await scripted({ campaigns: { list, ...failing('CAMPAIGN_ALREADY_PAUSED') } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').click()
  set(all.map((one) => (one.name?.startsWith('Autumn') ? { ...one, status: 'paused' } : one)))
  await campaigns.confirmPause(production)
  await expect(page.getByText('It was paused already')).toBeVisible()
  await expect(campaigns.row('Autumn offers').getByText('Paused')).toBeVisible()
  await expect(campaigns.pauseButton('Autumn offers')).toHaveCount(0)
})

test('an open question about a campaign that was paused meanwhile says so and can no longer be answered', async ({
  page,
  scripted,
}) => {
  await page.clock.install()
  const all = ordinaryCampaigns()
  const { list, set } = service(all)
  const core = await scripted({ campaigns: { list } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').click()
  await campaigns.dialog.getByRole('textbox').fill(production)
  const confirm = campaigns.dialog.getByRole('button', { name: 'Pause campaign' })
  await expect(confirm).toBeEnabled()
  set(all.map((one) => (one.name?.startsWith('Autumn') ? { ...one, status: 'paused' } : one)))
  await page.clock.runFor(10_500)
  await expect(campaigns.dialog.getByRole('alert')).toContainText('It was paused already')
  await expect(confirm).toBeDisabled()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(false)
})

test('nothing can be paused while the console is not heard', async ({ page, scripted }) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.pauseButton('Autumn offers')).toBeEnabled()
  core.unplug()
  await expect(campaigns.pauseButton('Autumn offers')).toBeDisabled()
  core.plugIn()
  await campaigns.pauseButton('Autumn offers').click()
  await campaigns.dialog.getByRole('textbox').fill(production)
  core.unplug()
  await expect(campaigns.dialog.getByRole('alert')).toContainText('No connection to the console')
  await expect(campaigns.dialog.getByRole('button', { name: 'Pause campaign' })).toBeDisabled()
  core.plugIn()
  await campaigns.confirmPause()
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
})

test('while one pause is under way its row is busy and the others are not', async ({ page, scripted }) => {
  let finish = () => {}
  const gate = new Promise<void>((resolve) => (finish = resolve))
  const running = ordinaryCampaigns()[0]!
  const core = await scripted({
    campaigns: {
      pause: async () => {
        await gate
        return { campaign: { ...running, status: 'paused' }, sentBefore: 1 }
      },
    },
  })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').click()
  await campaigns.confirmPause(production)
  await expect(campaigns.pauseButton('Autumn offers')).toBeDisabled()
  await expect(campaigns.pauseButton('Delivery notices')).toBeEnabled()
  finish()
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
})

test('the status filter and the pages stand in the address', async ({ page, scripted }) => {
  const many = Array.from({ length: 57 }, (_item, at) => ({
    ...ordinaryCampaigns()[0]!,
    id: `c-${at}` as CampaignId,
    name: `Campaign ${at}`,
    status: at % 2 === 0 ? 'running' : 'archived',
  }))
  const core = await scripted({ campaigns: { list: service(many).list } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.pageText).toHaveText('1–20 of 57')
  await expect(campaigns.row('Campaign 1').first()).toContainText('archived')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(campaigns.pageText).toHaveText('21–40 of 57')
  await page.getByRole('button', { name: 'Running', exact: true }).click()
  await expect(campaigns.pageText).toHaveText('1–20 of 29')
  await page.getByLabel('Per page').selectOption('50')
  await expect(campaigns.pageText).toHaveText('1–29 of 29')
  await page.reload()
  await expect(campaigns.pageText).toHaveText('1–29 of 29')
  await expect(page).toHaveURL(/status=running/)
})

test('an answer that is kept from before says so, with the reason; a failure keeps what is shown', async ({
  page,
  scripted,
}) => {
  const asOf = new Date(Date.now() - 3_600_000).toISOString()
  const core = await scripted({
    campaigns: {
      list: ({ page: number = 1, perPage = 20 }) => ({
        items: ordinaryCampaigns(),
        total: 7,
        page: number,
        perPage,
        freshness: {
          asOf,
          source: 'cache',
          error: {
            code: 'SERVICE_UNREACHABLE',
            text: 'The service cannot be reached.',
            retryable: true,
            data: {},
          },
        },
      }),
    },
  })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(page.getByText('Last updated 1 h ago')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText('cannot be reached')
  core.change({
    campaigns: {
      list: () => {
        throw new AppError('NO_CONNECTION')
      },
    },
  })
  await page.keyboard.press('r')
  await expect(page.getByRole('alert')).toContainText('No service is connected')
  await expect(campaigns.names()).toHaveCount(7)
})

test('counts are read again by themselves, and rows keep their place', async ({ page, scripted }) => {
  await page.clock.install()
  const all = ordinaryCampaigns()
  const { list, set } = service(all)
  const core = await scripted({ campaigns: { list } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.row('Autumn offers')).toContainText('74,310 of')
  const before = await campaigns.names().allTextContents()
  set(all.map((one) => ({ ...one, sentCount: (one.sentCount ?? 0) + 5 })))
  await page.clock.runFor(10_500)
  await expect(campaigns.row('Autumn offers')).toContainText('74,315 of')
  expect(await campaigns.names().allTextContents()).toEqual(before)
})

test('the overview never shows older counts than this page did', async ({ page, scripted }) => {
  const kept = ordinaryCampaigns().map((one) => ({ ...one, sentCount: 1 }))
  const { list } = service()
  const core = await scripted({ campaigns: { list } })
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.row('Autumn offers')).toContainText('74,310 of')
  const asOf = new Date(Date.now() - 3_600_000).toISOString()
  core.change({
    campaigns: {
      list: ({ page: number = 1, perPage = 20 }) => ({
        items: kept.filter(({ status }) => status === 'running'),
        total: 3,
        page: number,
        perPage,
        freshness: { asOf, source: 'cache', error: null },
      }),
    },
  })
  await page.getByRole('link', { name: 'Overview' }).click()
  await expect(page.getByText('Last updated 1 h ago')).toBeVisible()
  await expect(page.getByText('74,310 of 120,000 sent')).toBeVisible()
})

test('a narrow window keeps how long ago a campaign was updated', async ({ page, scripted }) => {
  await page.setViewportSize({ width: 900, height: 800 })
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.row('Autumn offers')).toContainText(/updated\s+\d+ s ago/)
})

test('the track of a progress bar is seen on a row under the pointer', async ({ page, scripted }) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
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

test('the page and its question have no accessibility findings', async ({ page, scripted }) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.pauseButton('Autumn offers')).toBeVisible()
  await expectAccessible(page)
  await campaigns.pauseButton('Autumn offers').click()
  await expect(campaigns.dialog).toBeVisible()
  await expectAccessible(page)
})

test('the palette asks about pausing the campaigns that run', async ({ page, scripted }) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await expect(campaigns.pauseButton('Autumn offers')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('pause campaign')
  await expect(page.getByRole('option', { name: /^Pause campaign/ })).toHaveCount(3)
  await page.keyboard.type(' delivery')
  await page.keyboard.press('Enter')
  await expect(campaigns.dialog.getByRole('heading', { name: /Pause Delivery notices/ })).toBeVisible()
  expect(core.calls.some(({ name }) => name === 'campaigns.pause')).toBe(false)
})

test('the keyboard alone pauses a campaign', async ({ page, scripted }) => {
  const core = await scripted()
  const campaigns = new CampaignsPage(page)
  await campaigns.open(core.url)
  await campaigns.pauseButton('Autumn offers').focus()
  await page.keyboard.press('Enter')
  await expect(campaigns.dialog.getByRole('textbox')).toBeFocused()
  await page.keyboard.type(production)
  await page.keyboard.press('Enter')
  await expect(campaigns.row('Autumn offers')).toContainText('Paused')
})

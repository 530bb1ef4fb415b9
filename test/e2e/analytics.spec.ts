import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import type { LocalAnalytics } from '#contract/analytics.ts'
import { AppError, errorText } from '#contract/errors.ts'
import { ordinaryBilling, ordinaryLocal, ordinaryOverview } from '../helpers/scripted/analytics.ts'
import { ago, dayMs } from '../helpers/scripted/broadcast.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const live = () => ({ asOf: new Date().toISOString(), source: 'live' as const, error: null })

async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const file = await download
  return { name: file.suggestedFilename(), bytes: await readFile((await file.path())!) }
}

test('the service’s figures stand against the period before, each currency by itself', async ({
  page,
  scripted,
}) => {
  const core = await scripted({
    analytics: {
      overview: ({ startDate, endDate }) => ({
        overview: {
          totalMessages: startDate === '2026-01-08' ? 200 : 100,
          delivered: startDate === '2026-01-08' ? 150 : 90,
          failed: startDate === '2026-01-08' ? 7 : 0,
          revenue: 30.5,
          cost: null,
          margin: -2,
        },
        freshness: { ...live(), asOf: `${endDate}T00:00:00.000Z` },
      }),
    },
  })
  await page.goto(`${core.url}#/analytics?range=custom&from=2026-01-08&to=2026-01-14`)
  await expect(page.getByTestId('range')).toHaveText(
    '2026-01-08 to 2026-01-14 UTC, against 2026-01-01 to 2026-01-07',
  )
  const messages = page.getByRole('region', { name: 'Messages as a table' })
  await expect(messages.getByRole('row')).toHaveText([
    /Figure/,
    'Messages200100+100+100.0%',
    'Delivered15090+60+66.7%',
    'Failed70+7—',
    'Delivered, of all messages75.0%90.0%−15.0 pp—',
    'Failed, of all messages3.5%0.0%+3.5 pp—',
  ])
  const totals = panel(page, 'Revenue, cost and margin')
  await expect(totals).toContainText(
    'The service’s own totals. It bills in 2 currencies (EUR, USD), so they are amounts of no single one.',
  )
  await expect(totals).toContainText('Cost———')
  await expect(totals).toContainText('Margin−2.00')
  const billing = page.getByRole('region', { name: 'Billing by currency as a table' })
  await expect(billing.getByRole('row')).toHaveCount(7)
  await expect(page.locator('.part')).not.toContainText(/[€$£]/)
  await expect(page.getByRole('note')).toContainText('start_date, end_date) are assumed, not proven')
  await expect(page.getByRole('img', { name: /Revenue and cost in EUR/ })).toBeVisible()

  await messages.focus()
  await expect(messages).toBeFocused()
  const csv = await saved(page, 'Save Billing by currency as CSV')
  expect(csv.name).toBe('billing-2026-01-08-to-2026-01-14.csv')
  const lines = csv.bytes.toString('utf8').replace('\ufeff', '').split('\r\n')
  expect(lines[0]).toBe('Currency,Figure,This span,Before,Difference,%')
  expect(lines[1]).toMatch(/^EUR,Revenue,[\d.]+,[\d.]+,-?[\d.]+,-?[\d.]+$/)
  const png = await saved(page, 'Save Messages as PNG')
  expect(png.name).toBe('messages-2026-01-08-to-2026-01-14.png')
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
  expect(png.bytes.length).toBeGreaterThan(2_000)
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await page.setViewportSize({ width: 900, height: 800 })
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Probe them in Settings' }).click()
  await expect(page).toHaveURL(/#\/settings\?section=dialect/)
})

test('ranges are chosen by name or by their days, and a wrong one is not asked for', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/analytics`)
  await expect(page.getByTestId('range')).toContainText('not over yet')
  await page.getByRole('combobox', { name: 'Range of days' }).click()
  await page.getByRole('option', { name: 'Yesterday' }).click()
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await expect(page.getByTestId('range')).toContainText(`${yesterday} UTC`)
  await page.getByRole('combobox', { name: 'Range of days' }).click()
  await page.getByRole('option', { name: 'Other days' }).click()
  await page.getByLabel('From').fill('2026-02-03')
  await page.getByLabel('to', { exact: true }).fill('2026-02-01')
  await expect(page.getByRole('alert')).toHaveText('The last day is before the first.')
  await expect(page.getByRole('button', { name: 'Show', exact: true })).toBeDisabled()
  await page.getByLabel('to', { exact: true }).fill('2026-02-04')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByTestId('range')).toContainText('2026-02-03 to 2026-02-04')
  const asked = core.calls.filter(({ name }) => name === 'analytics.billing').map(({ input }) => input)
  expect(asked).toContainEqual({ startDate: '2026-02-03', endDate: '2026-02-04' })
  expect(asked).toContainEqual({ startDate: '2026-02-01', endDate: '2026-02-02' })
  expect(asked).not.toContainEqual({ startDate: '2026-02-03', endDate: '2026-02-01' })
})

test('a part that fails leaves the others, old answers say their age, and refused dates what to do', async ({
  page,
  scripted,
}) => {
  const data = { serviceText: 'unknown date', names: 'start_date and end_date', example: '2026-01-31' }
  const unreachable = {
    code: 'SERVICE_UNREACHABLE',
    text: errorText('SERVICE_UNREACHABLE', { host: 'api.messaging.example', detail: 'no answer' }),
    retryable: true,
    data: {},
  }
  const core = await scripted({
    analytics: {
      overview: () => {
        throw new AppError('ANALYTICS_DATES_REFUSED', data)
      },
    },
  })
  await page.goto(`${core.url}#/analytics`)
  await expect(page.getByRole('alert')).toContainText(
    'The service rejected the dates: “unknown date”. They were sent as start_date and end_date, for example 2026-01-31. Check Settings › Field names',
  )
  await expect(page.getByRole('region', { name: 'Billing by currency as a table' })).toBeVisible()
  await expectAccessible(page)

  core.change({
    analytics: {
      overview: (span) => ({
        overview: ordinaryOverview(span),
        freshness: {
          asOf: new Date(Date.now() - 3 * 3_600_000).toISOString(),
          source: 'cache',
          error: unreachable,
        },
      }),
      billing: () => {
        throw new AppError('SERVICE_FAILED', { status: 500, serviceText: 'boom' })
      },
    },
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(panel(page, 'Messages')).toContainText('Last updated 3 h ago')
  await expect(page.getByRole('alert').filter({ hasText: 'no answer' }).first()).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'boom' })).toBeVisible()
  await expectAccessible(page)
})

test('figures that are the same for any span are called doubtful, and few fields are enough', async ({
  page,
  scripted,
}) => {
  const core = await scripted({
    analytics: {
      overview: () => ({
        overview: {
          totalMessages: 5,
          delivered: null,
          failed: null,
          revenue: null,
          cost: null,
          margin: null,
        },
        freshness: live(),
      }),
      billing: (span) => ({ billing: { ...ordinaryBilling(span), byCurrency: [] }, freshness: live() }),
    },
  })
  await page.goto(`${core.url}#/analytics`)
  await expect(page.getByRole('note')).toContainText(
    'Both spans have the very same figures: the service seems to ignore the dates.',
  )
  await expect(page.getByRole('region', { name: 'Messages as a table' })).toContainText('Delivered———')
  await expect(page.getByText('The service names no currency for this span.')).toBeVisible()
  await expect(page.getByText('It names no currency for them.')).toBeVisible()
})

test('days are read one by one when that is asked for, and stopping keeps what was read', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/analytics?range=custom&from=2026-01-08&to=2026-01-12`)
  const days = panel(page, 'Day by day')
  await expect(days).toContainText('a day each is 5 requests of the tenant’s budget, about 2 s.')
  expect(core.calls.some(({ name }) => name === 'analytics.readDays')).toBe(false)
  core.change({
    analytics: {
      readDays: () => {
        core.day.tasks.put({
          id: 't-days',
          kind: 'analytics-days',
          subject: '2026-01-08 to 2026-01-12',
          state: 'running',
          progress: { done: 2, total: 5, unit: 'requests' },
          ratePerSecond: 3,
          etaMs: 1_000,
          counts: {},
          refId: '2026-01-08 to 2026-01-12',
          can: { pause: true, resume: false, cancel: true },
          problem: null,
          createdAt: new Date().toISOString(),
          startedAt: new Date().toISOString(),
          endedAt: null,
        })
        return { taskId: 't-days' }
      },
    },
  })
  await days.getByRole('button', { name: 'Read day by day: 5 requests' }).click()
  await expect(days).toContainText('2 of 5 requests')
  await expect(days.getByRole('button', { name: /Read day by day/ })).toHaveCount(0)
  await days.getByRole('button', { name: /^Cancel/ }).click()
  await expect(days).toContainText('Cancelled')
  core.change({ analytics: { readDays: core.day.script.analytics.readDays } })
  await days.getByRole('button', { name: 'Read day by day: 5 requests' }).click()
  await expect(days.getByRole('region', { name: 'Day by day as a table' }).getByRole('row')).toHaveCount(6)
  await expect(days).toContainText('Every day was read after its end and is kept.')
  await expect(days.getByRole('img', { name: /5 days read/ })).toBeVisible()
  await expectAccessible(page)

  await page.goto(`${core.url}#/analytics?range=custom&from=2026-01-01&to=2026-03-31`)
  await expect(days).toContainText('at most 31 days are read one by one')
  await expect(days.getByRole('button', { name: /Read day by day/ })).toHaveCount(0)
})

test('the events kept here are shown with their holes, and a code opens its card', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/analytics`)
  await expect(panel(page, 'Messages')).toBeVisible()
  await page.keyboard.press('2')
  await expect(page).toHaveURL(/tab=local/)
  await expect(page.getByTestId('caveat')).toContainText('Counts what arrived here; 1 hole in this span.')
  await expect(page.getByTestId('chart-hole')).toHaveCount(1)
  await expect(panel(page, 'Arrivals')).toContainText('Not listening')
  await expect(panel(page, 'Arrivals')).toContainText('events per 1 h, times in UTC')
  await expect(panel(page, 'Outcomes')).toContainText('buffered_by_carrier')
  await expect(panel(page, 'Submitted to delivered')).toContainText('Half within3.2 s')
  await expect(panel(page, 'Destinations')).toContainText('+44 United Kingdom and 3 more')
  await expect(panel(page, 'Destinations')).toContainText('Not in international form')
  await panel(page, 'Error codes').getByRole('button', { name: 'Code 4' }).click()
  await expect(page.getByRole('dialog', { name: 'Error code 4' })).toBeVisible()
  await page.keyboard.press('Escape')

  const table = page.getByRole('region', { name: 'Arrivals as a table' })
  await expect(table.getByRole('row')).toHaveCount(61)
  await table.getByRole('button', { name: /Show all/ }).click()
  expect(await table.getByRole('row').count()).toBeGreaterThan(140)
  const png = await saved(page, 'Save Arrivals as PNG')
  expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
  const csv = await saved(page, 'Save Arrivals as CSV')
  expect(csv.bytes.toString('utf8')).toContain(
    'From (UTC),Submitted,Delivered,Failed,Expired,Inbound,All,"All, before"',
  )

  await page.getByRole('combobox', { name: 'Width of the bars' }).click()
  await page.getByRole('option', { name: 'Per day' }).click()
  await expect(panel(page, 'Arrivals')).toContainText('events per 1 d')
  await expectAccessible(page)
  await page.setViewportSize({ width: 900, height: 800 })
  await expectAccessible(page)
})

test('a span without events and a failure say what they are', async ({ page, scripted }) => {
  const nothing = (input: Parameters<typeof ordinaryLocal>[0]): LocalAnalytics => {
    const local = ordinaryLocal(input)
    return {
      ...local,
      series: {
        ...local.series,
        lines: local.series.lines.map(({ name, counts }) => ({ name, counts: counts.map(() => 0) })),
      },
      outcomes: [],
      errorCodes: [],
      destinations: [],
      latency: { measured: 0, p50Ms: null, p90Ms: null, p99Ms: null, bins: [] },
      holes: [],
      holesTotal: 0,
      recordedSince: null,
    }
  }
  const core = await scripted({ analytics: { local: nothing } })
  await page.goto(`${core.url}#/analytics?tab=local&range=yesterday`)
  await expect(page.getByText('No record: this console did not listen yet.')).toBeVisible()
  await expect(page.getByTestId('caveat')).toHaveText(
    'No record: this console has not listened for this connection yet.',
  )
  await expect(page.getByTestId('chart-hole')).toHaveCount(1)
  await expectAccessible(page)
  core.change({
    analytics: { local: (input) => ({ ...nothing(input), recordedSince: ago(400 * dayMs) }) },
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('No events in this span.')).toBeVisible()
  await expect(page.getByTestId('chart-hole')).toHaveCount(0)
  await expect(page.getByTestId('caveat')).toHaveText('Counts what arrived here; no holes in this span.')
  await expect(page.getByText('Nothing to measure')).toBeVisible()
  await expectAccessible(page)

  core.change({
    analytics: {
      local: () => {
        throw new AppError('STORAGE_FAILED', { detail: 'disk I/O error' })
      },
    },
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('Couldn’t refresh. Showing the last answer.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Range of days' }).click()
  await page.getByRole('option', { name: 'Today' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  core.change({ analytics: { local: ordinaryLocal } })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(panel(page, 'Outcomes')).toBeVisible()
})

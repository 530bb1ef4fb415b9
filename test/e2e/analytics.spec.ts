import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import type { LocalAnalytics } from '#contract/views/analytics.ts'
import { AppError } from '#contract/errors.ts'
import { defaultFieldNames } from '#electron/core/service/field-names/default-field-names.ts'
import { ordinaryBilling, ordinaryLocal, ordinaryOverview } from '../helpers/scripted/analytics.ts'
import { ago, dayMs } from '../helpers/scripted/broadcast.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const live = () => ({ asOf: new Date().toISOString(), source: 'live' as const, error: null })

async function saved(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const menu = button.replace(/^Save (.*) as .*$/, 'Export $1')
  await page.getByRole('button', { name: menu, exact: true }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const file = await download
  return { name: file.suggestedFilename(), bytes: await readFile((await file.path())!) }
}

/** The colours in a saved picture's title, its legend and its plot, with how many pixels have them. Its ground isn't counted. */
const coloursOf = (page: Page, { bytes }: { bytes: Buffer }) =>
  page.evaluate(async (base64) => {
    const binary = Uint8Array.from(atob(base64), (byte) => byte.codePointAt(0)!)
    const image = await createImageBitmap(new Blob([binary], { type: 'image/png' }))
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d', {
      willReadFrequently: true,
    })!
    context.drawImage(image, 0, 0)
    const [title, legend, plot] = [
      [0, 44],
      [44, 90],
      [92, image.height],
    ].map(([fromY, toY]) => {
      const { data } = context.getImageData(0, fromY!, image.width, toY! - fromY!)
      const counts = new Map<string, number>()
      for (let at = 0; at < data.length; at += 4) {
        const colour = data.slice(at, at + 3).join()
        counts.set(colour, (counts.get(colour) ?? 0) + 1)
      }
      counts.delete(context.getImageData(0, 0, 1, 1).data.slice(0, 3).join())
      return Object.fromEntries(counts)
    })
    return { title: title!, legend: legend!, plot: plot! }
  }, bytes.toString('base64'))

test('compares the service’s totals with the previous period, per currency', async ({ page, core }) => {
  core.change({
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
  await core.open('/analytics?range=custom&from=2026-01-08&to=2026-01-14')
  await expect(page.getByTestId('range')).toHaveText(
    '2026-01-08 to 2026-01-14 (UTC) vs 2026-01-01 to 2026-01-07',
  )
  const messages = page.getByRole('region', { name: 'Messages table' })
  await expect(messages.getByRole('row')).toHaveText([
    /Metric/,
    'Messages200100+100+100.0%',
    'Delivered15090+60+66.7%',
    'Failed70+7–',
    'Delivery rate (of messages)75.0%90.0%−15.0 pp–',
    'Failure rate (of messages)3.5%0.0%+3.5 pp–',
  ])
  const totals = panel(page, 'Revenue, cost and margin')
  await expect(totals).toContainText('Totals from the service. They mix currencies (EUR, USD).')
  await expect(totals).toContainText('Cost–––')
  await expect(totals).toContainText('Margin−2.00')
  const billing = page.getByRole('region', { name: 'Billing by currency table' })
  await expect(billing.getByRole('row')).toHaveCount(7)
  await expect(page.locator('.part')).not.toContainText(/[€$£]/)
  await expect(page.getByRole('note')).toContainText('start_date, end_date) are unverified')
  await expect(page.getByRole('img', { name: /Revenue and cost in EUR/ })).toBeVisible()

  await messages.focus()
  await expect(messages).toBeFocused()
  const csv = await saved(page, 'Save Billing by currency as CSV')
  expect(csv.name).toBe('billing-2026-01-08-to-2026-01-14.csv')
  const lines = csv.bytes.toString('utf8').replace('\ufeff', '').split('\r\n')
  expect(lines[0]).toBe('Currency,Metric,This period,Previous period,Change,%')
  expect(lines[1]).toMatch(/^EUR,Revenue,[\d.]+,[\d.]+,-?[\d.]+,-?[\d.]+$/)
  const png = await saved(page, 'Save Messages as PNG')
  expect(png.name).toBe('messages-2026-01-08-to-2026-01-14.png')
  const { title, legend, plot } = await coloursOf(page, png)
  expect(Object.keys(title)).not.toEqual([])
  // Both periods, each in the colour of the legend.
  expect(Object.keys(legend).filter((colour) => (plot[colour] ?? 0) > 1_000)).toHaveLength(2)

  await page.getByRole('link', { name: 'Verify in Settings' }).click()
  await expect(page).toHaveURL(/#\/settings\?section=field-names/)
})

test('takes a preset or custom period and rejects a reversed one', async ({ page, core }) => {
  await core.open('/analytics')
  await expect(page.getByTestId('range')).toContainText('Partial period')
  await page.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'Yesterday' }).click()
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await expect(page.getByTestId('range')).toContainText(`${yesterday} (UTC)`)
  await page.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'Custom' }).click()
  await page.getByLabel('From').fill('2026-02-03')
  await page.getByLabel('to', { exact: true }).fill('2026-02-01')
  await expect(page.getByRole('alert')).toHaveText('The end is before the start')
  await expect(page.getByRole('button', { name: 'Apply', exact: true })).toBeDisabled()
  await page.getByLabel('to', { exact: true }).fill('2026-02-04')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByTestId('range')).toContainText('2026-02-03 to 2026-02-04')
  const asked = () => inputsOf(core, 'analytics.billing')
  await expect.poll(asked).toContainEqual({ startDate: '2026-02-03', endDate: '2026-02-04' })
  await expect.poll(asked).toContainEqual({ startDate: '2026-02-01', endDate: '2026-02-02' })
  expect(asked()).not.toContainEqual({ startDate: '2026-02-03', endDate: '2026-02-01' })
})

test('shows what failed beside what loaded, and the age of cached totals', async ({ page, core }) => {
  const data = { serviceText: 'unknown date', names: 'start_date and end_date', example: '2026-01-31' }
  const unreachable = {
    code: 'SERVICE_UNREACHABLE',
    acted: 'no' as const,
    data: { host: 'api.messaging.example', detail: 'no answer' },
  }
  core.fail('analytics.overview', 'ANALYTICS_DATES_REFUSED', data)
  await core.open('/analytics')
  await expect(page.getByRole('alert')).toContainText(
    'The service rejected the dates: “unknown date”. They were sent as start_date and end_date, for example 2026-01-31. Check Settings › Field names',
  )
  await expect(page.getByRole('region', { name: 'Billing by currency table' })).toBeVisible()

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
        throw new AppError('SERVICE_FAILED', { answer: 'status 500: “boom”' })
      },
    },
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('Last updated 3 h ago')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'no answer' }).first()).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'boom' })).toBeVisible()
})

test('warns about identical periods and copes with missing fields', async ({ page, core }) => {
  core.change({
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
  await core.open('/analytics')
  await expect(page.getByRole('note')).toContainText(
    'Both periods have identical figures. The service may be ignoring the dates.',
  )
  await expect(page.getByRole('region', { name: 'Messages table' })).toContainText('Delivered–––')
  await expect(page.getByText('No currencies in this period')).toBeVisible()
  await expect(page.getByText('Currency not given.')).toBeVisible()

  const analyticsDates = { ...defaultFieldNames.analyticsDates, provenance: 'proven' as const }
  core.change({ settings: { getFieldNames: () => ({ ...defaultFieldNames, analyticsDates }) } })
  await page.reload()
  await expect(page.getByText('Currency not given.')).toBeVisible()
  await expect(page.getByRole('note')).toBeHidden()
})

test('shows local events with gaps and opens an error code’s card', async ({ page, core }) => {
  await core.open('/analytics')
  await expect(panel(page, 'Messages')).toBeVisible()
  await page.keyboard.press('2')
  await expect(page).toHaveURL(/tab=local/)
  await expect(page.getByTestId('caveat')).toContainText(
    'Events received on this computer. 1 gap in this period.',
  )
  await expect(page.getByTestId('chart-gap')).toHaveCount(1)
  await expect(panel(page, 'Events over time')).toContainText('Gap')
  await expect(panel(page, 'Events over time')).toContainText('Per 1 h, UTC')
  await expect(panel(page, 'Outcomes')).toContainText('buffered_by_carrier')
  await expect(panel(page, 'Delivery time')).toContainText('p503.2 s')
  await expect(panel(page, 'Destinations')).toContainText('+44 United Kingdom and 3 more')
  await expect(panel(page, 'Destinations')).toContainText('Unknown country')
  await panel(page, 'Error codes').getByRole('button', { name: 'Code 4' }).click()
  await expect(page.getByRole('dialog', { name: 'Error code 4' })).toBeVisible()
  await page.keyboard.press('Escape')

  const table = page.getByRole('region', { name: 'Events over time table' })
  await expect(table.getByRole('row')).toHaveCount(61)
  await table.getByRole('button', { name: /Show all/ }).click()
  expect(await table.getByRole('row').count()).toBeGreaterThan(140)
  const { legend, plot } = await coloursOf(page, await saved(page, 'Save Events over time as PNG'))
  // A proven gap: the colour of warnings in the legend, 35 % of it in the plot.
  expect(legend['133,83,0']).toBeGreaterThan(100)
  expect(plot['212,195,166']).toBeGreaterThan(5_000)
  const csv = await saved(page, 'Save Events over time as CSV')
  expect(csv.bytes.toString('utf8')).toContain(
    'Time (UTC),Submitted,Delivered,Failed,Expired,Inbound,All,Previous period',
  )

  await page.getByRole('combobox', { name: 'Interval' }).click()
  await page.getByRole('option', { name: 'Day', exact: true }).click()
  await expect(panel(page, 'Events over time')).toContainText('Per 1 d, UTC')
})

test('explains an empty period and a failure', async ({ page, core }) => {
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
      gaps: [],
      gapsTotal: 0,
      recordedSince: null,
    }
  }
  core.change({ analytics: { local: nothing } })
  await core.open('/analytics?tab=local&range=yesterday')
  await expect(page.getByText('No data: the listener hasn’t run yet')).toBeVisible()
  await expect(page.getByTestId('caveat')).toHaveText(
    'No data: the listener has not run for this connection.',
  )
  await expect(page.getByTestId('chart-gap')).toHaveCount(1)
  await expect(panel(page, 'Events over time').getByText('Not recorded')).toBeVisible()
  await expect(panel(page, 'Events over time').getByText('Gap')).toHaveCount(0)
  core.change({
    analytics: { local: (input) => ({ ...nothing(input), recordedSince: ago(400 * dayMs) }) },
  })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('No events in this period')).toBeVisible()
  await expect(page.getByTestId('chart-gap')).toHaveCount(0)
  await expect(page.getByTestId('caveat')).toHaveText('Events received on this computer. No gaps.')
  await expect(page.getByText('No messages with both reports')).toBeVisible()
  await expectAccessible(page)

  core.fail('analytics.local', 'STORAGE_FAILED', { detail: 'disk I/O error' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByText('Couldn’t refresh. Showing cached data.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Period' }).click()
  await page.getByRole('option', { name: 'Today' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  core.change({ analytics: { local: ordinaryLocal } })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(panel(page, 'Outcomes')).toBeVisible()
})

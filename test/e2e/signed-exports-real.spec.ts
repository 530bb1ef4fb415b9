import { expect, type Locator } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { eventsPage } from './pages/events-page.ts'
import { realConsole } from './real-console.ts'

/** The real console in a real browser, with a service that delivers events. */
const test = realConsole({ ratePerSecond: 20 })

test('replays past events without new ones, verifies their export, and saves a filter', async ({
  page,
  open,
  console,
}) => {
  const events = eventsPage(page)
  await open('/events')
  const count = async (text: Locator) => Number((await text.textContent())?.replace(/[^\d]/g, ''))
  await expect.poll(() => count(events.storedTotal)).toBeGreaterThan(20)
  await page.getByRole('button', { name: 'Replay' }).click()
  const bar = page.getByRole('region', { name: 'Replay' })
  const position = bar.getByRole('slider')
  // A few seconds of events are over before a click could pause them.
  await expect(bar.getByRole('button', { name: 'Play' })).toBeVisible()
  await position.press('Home')
  await expect(page.getByText('No events had arrived by this time.')).toBeVisible()
  await position.press('End')
  // It ends at the newest event that the list had shown.
  let shown = 0
  const isSettled = async () => {
    const last = shown
    shown = await count(events.matchingTotal)
    return shown > 0 && shown === last
  }
  await expect.poll(isSettled).toBe(true)
  const newest = await events.row(0).textContent()
  const { storedTotal: before } = await console.rpc.events.search({ filter: {}, limit: 1 })
  await expect
    .poll(async () => (await console.rpc.events.search({ filter: {}, limit: 1 })).storedTotal)
    .toBeGreaterThan(before + 20)
  expect(await count(events.matchingTotal)).toBe(shown)
  expect(await events.row(0).textContent()).toBe(newest)
  await bar.getByRole('button', { name: 'Back to live' }).click()
  await expect.poll(() => count(events.storedTotal)).toBeGreaterThan(before)

  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Signed export…', exact: true }).click()
  await dialog.getByRole('button', { name: 'Export' }).click()
  await expect(dialog).toContainText('Signing key created.')
  await dialog.getByRole('button', { name: 'Close' }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  const file = await readFile((await (await saved).path())!)

  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('button', { name: 'Verify signed export…' }).click()
  const verdict = page.getByRole('region', { name: 'Result' })
  const give = (buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name: 'export.ndjson', mimeType: 'text/plain', buffer })
  await give(file)
  await expect(verdict).toContainText('Valid, signed by this Switchboard')
  const changed = Buffer.from(file)
  changed[changed.indexOf('"kind":"dlr"') + 9]! ^= 1
  await give(changed)
  await expect(verdict).toContainText('It was changed or cut off after it was signed')
  await page.keyboard.press('Escape')

  const savedFilters = page.getByRole('button', { name: 'Saved filters' })
  const filters = page.getByRole('list', { name: 'Saved filters' }).getByRole('listitem')
  const search = page.getByLabel('Search message ID or text')
  await savedFilters.click()
  await expect(page.getByLabel('Filter name')).toBeDisabled()
  await page.keyboard.press('Escape')
  await search.fill('m-7')
  await expect(page).toHaveURL(/text=m-7/)
  await savedFilters.click()
  await page.getByLabel('Filter name').fill('Seven')
  await page.keyboard.press('Enter')
  await expect(filters).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page).not.toHaveURL(/text=/)
  await savedFilters.click()
  await page.getByRole('button', { name: 'Seven', exact: true }).click()
  await expect(search).toHaveValue('m-7')
  await savedFilters.click()
  await page.getByRole('button', { name: 'Remove Seven' }).click()
  await expect(filters).toHaveCount(0)
})

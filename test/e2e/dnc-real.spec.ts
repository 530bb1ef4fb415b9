import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { realConsole } from './real-console.ts'

const test = realConsole({ sandbox: { traffic: false } })

test('syncs the real list, finds one of its numbers blocked offline and online, checks a file and exports a hold', async ({
  page,
  open,
  console,
}) => {
  await open('/dnc')
  const copy = page.getByRole('region', { name: 'Offline copy' })
  await expect(copy).toContainText('Never synced')
  await copy.getByRole('button', { name: 'Sync now' }).click()
  await expect(copy).toContainText('Up to date')
  await expect(page.getByTestId('dnc-total')).toHaveText('250 entries')
  // No task of the sync failed.
  await expect(page.getByTestId('tasks')).toHaveText(/^Tasks: ?Tasks$/)

  const { items } = await console.rpc.dnc.list({ which: 'all', limit: 1 })
  await open('/dnc?tab=check')
  await page.getByLabel('Number', { exact: true }).fill(items[0]!.phone!)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status', { name: 'Offline copy' })).toContainText('Blocked')
  await expect(page.getByRole('status', { name: 'Service (live)' })).toContainText('Blocked')

  const blocked = items[0]!.phone!
  await page.locator('input[type=file]').setInputFiles({
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`name,mobile\nAda,+442079460000\nGrace,${blocked}\nZoë,not a number\n`),
  })
  await expect(page.getByRole('region', { name: 'First rows of the file' })).toContainText('Grace')
  await page.getByRole('button', { name: 'Check list' }).click()
  const run = page.locator('[data-check]').first()
  await expect(run.getByRole('button', { name: 'Save Blocked: 1 of list.csv' })).toBeVisible()
  await expect(run.getByRole('button', { name: 'Save Clear: 1 of list.csv' })).toBeVisible()
  const download = page.waitForEvent('download')
  await run.getByRole('button', { name: 'Save Blocked: 1 of list.csv' }).click()
  expect(await readFile((await (await download).path())!, 'utf8')).toContain(blocked)

  await open('/dnc?tab=holds')
  await page.getByLabel('Number to hold').fill('+491711234567')
  await page.getByLabel('Reason').fill('asked at the desk')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').filter({ hasText: '+491711234567' })
  await expect(row).toContainText('Not yet')
  const handOff = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export new holds' }).click()
  expect(await readFile((await (await handOff).path())!, 'utf8')).toContain('asked at the desk')
  await expect(row).not.toContainText('Not yet')
  await page.getByRole('button', { name: 'Export new holds' }).click()
  await expect(page.getByText('No new holds since the last export.')).toBeVisible()
})

test('detects the field names, then searches the saved error codes', async ({ page, open }) => {
  await open('/settings?section=field-names')
  await page.getByRole('button', { name: 'Detect', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'Error code search parameter' })
  await expect(row).toContainText('Verified')

  await open('/error-codes')
  await expect(page.getByText('Never fetched')).toBeVisible()
  await page.getByRole('button', { name: 'Fetch all' }).first().click()
  await expect(page.getByTestId('codes-total')).toHaveText(/^([5-9]|\d\d+) codes$/, { timeout: 45_000 })
  await page.getByLabel('Search code or description').fill('unreachable')
  await expect(page.getByRole('grid', { name: 'Error codes' })).toContainText(/unreachable/i)
})

import { expect, type Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { realConsole } from './real-console.ts'

const test = realConsole({ traffic: false })

const offline = (page: Page) => page.getByRole('status', { name: 'Offline copy' })
const online = (page: Page) => page.getByRole('status', { name: 'Service (live)' })

test('calls no number clear before the first sync, then checks a number and a file, and exports a hold', async ({
  page,
  open,
  console,
}) => {
  await open('/dnc?tab=check')
  await page.getByLabel('Number', { exact: true }).fill('+442079460000')
  await page.keyboard.press('Enter')
  await expect(offline(page)).toContainText('Unknown')
  await expect(offline(page)).not.toContainText('Clear')
  await expect(online(page)).toContainText('Unverified')
  await page.getByRole('button', { name: 'Paste' }).click()
  await page.getByLabel('Numbers, one per line').fill('+442079460000\n\nno number\n')
  await expect(page.getByText('2 lines')).toBeVisible()
  await page.getByRole('button', { name: 'Check list' }).click()
  const run = page.locator('[data-check]').first()
  await expect(run).toContainText('Pasted list, 2 numbers')
  await expect(run).toContainText('unknown, not clear')
  await expect(run.getByRole('button', { name: /^Save Unknown: 1/ })).toBeVisible()
  await expect(run.getByRole('button', { name: /^Save Clear/ })).toHaveCount(0)

  await open('/dnc')
  const copy = page.getByRole('region', { name: 'Offline copy' })
  await expect(copy).toContainText('Never synced')
  await copy.getByRole('button', { name: 'Sync now' }).click()
  await expect(copy).toContainText('Up to date')
  await expect(page.getByTestId('dnc-total')).toHaveText('250 entries')
  // No task of the sync failed.
  await expect(page.getByTestId('tasks')).toHaveText(/^Tasks: ?Tasks$/)

  // Searches, opens and checks an entry by keyboard.
  const { items } = await console.rpc.dnc.list({ which: 'all', limit: 1 })
  const blocked = items[0]!.phone!
  await page.keyboard.press('/')
  await page.keyboard.type(blocked.slice(1))
  await expect(page.getByTestId('dnc-total')).toHaveText('1 entry')
  for (const key of ['Escape', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await expect(page.getByRole('complementary', { name: 'DNC entry' })).toContainText(blocked)
  await page.keyboard.press('c')
  await expect(offline(page)).toContainText('Blocked')
  await expect(online(page)).toContainText('Blocked')

  await open('/dnc?tab=check')
  await page.locator('input[type=file]').setInputFiles({
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `name,mobile,SMS consent,,name,mobile,SMS consent\nAda,+442079460000,perhaps\nGrace,${blocked},yes\nZoë,not a number,yes,,Ida,no number,yes\n`,
    ),
  })
  await expect(page.getByRole('region', { name: 'First rows of the file' })).toContainText('Grace')
  await expect(page.getByText('Rows of this file name several contacts.')).toBeVisible()
  await expect(page.getByText('Choose what happens: SMS consent.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check list' })).toBeDisabled()
  await page.getByRole('combobox', { name: 'If SMS consent says no' }).click()
  await page.getByRole('option', { name: 'Ignore' }).click()
  await page.getByRole('button', { name: 'Check list' }).click()
  await expect(run.getByRole('button', { name: 'Save Blocked: 1 of list.csv' })).toBeVisible()
  await expect(run.getByRole('button', { name: 'Save Clear: 1 of list.csv' })).toBeVisible()
  const download = page.waitForEvent('download')
  await run.getByRole('button', { name: 'Save Blocked: 1 of list.csv' }).click()
  expect(await readFile((await (await download).path())!, 'utf8')).toContain(blocked)

  await console.rpc.contacts.create({ name: 'Ada Weiss', phone: '+491711234567', email: '', tags: {} })
  await open('/dnc?tab=holds')
  await page.getByRole('button', { name: 'Add hold' }).click()
  await expect(page.getByText('Enter a number and a reason.')).toBeVisible()
  await expect(page.getByLabel('Number to hold')).toBeFocused()
  // A number without its country code shows what it stands for.
  await page.getByRole('combobox', { name: 'Default country' }).click()
  await page.keyboard.type('United States')
  await page.keyboard.press('Enter')
  await page.getByLabel('Number to hold').fill('(415) 555-0188')
  await expect(page.getByText('+14155550188 will be put on hold')).toBeVisible()
  await page.getByLabel('Number to hold').fill('+491711234567')
  await expect(page.getByText('will be put on hold')).toHaveCount(0)
  await page.getByLabel('Reason').fill('asked at the desk')
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').filter({ hasText: '+491711234567' })
  await expect(row).toContainText('Not yet')
  await expect(row).toContainText('Ada Weiss')
  const handOff = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export new holds' }).click()
  expect(await readFile((await (await handOff).path())!, 'utf8')).toContain('asked at the desk')
  await expect(row).not.toContainText('Not yet')
  await page.getByRole('button', { name: 'Export new holds' }).click()
  await expect(page.getByText('No new holds since the last export.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove hold on +491711234567' }).click()
  await expect(page.getByRole('dialog')).toContainText('can contact it again')
  await expect(page.getByRole('dialog')).toContainText('Reason: asked at the desk')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove hold' }).click()
  await expect(row).toHaveCount(0)
  await page.getByRole('button', { name: 'Ended' }).click()
  await expect(row).toContainText('Removed')

  await open('/dnc?tab=keywords')
  const keywords = page.getByLabel('Opt-out keywords, one per line')
  await expect(keywords).toHaveValue(/^stop\n/)
  await keywords.fill('STOP\nSTOPP\nstop')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('Changes saved.')).toBeVisible()
  expect(await console.rpc.dnc.optOutKeywords()).toEqual({ words: ['STOP', 'STOPP'] })
})

test('detects the field names, then searches the saved error codes', async ({ page, open }) => {
  await open('/settings?section=field-names')
  await page.getByRole('button', { name: 'Detect', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'Error code search parameter' })
  await expect(row).toContainText('Verified')

  await open('/error-codes')
  await expect(page.getByText('Never fetched')).toBeVisible()
  const fetchAll = page.getByRole('button', { name: 'Fetch all' }).first()
  await fetchAll.click()
  await expect(page.getByTestId('codes-total')).toHaveText(/^([5-9]|\d\d+) codes$/)
  // The total no longer grows.
  await expect(fetchAll).toBeEnabled()
  const total = (await page.getByTestId('codes-total').textContent())!
  await page.getByRole('combobox', { name: 'Category' }).click()
  await page.getByRole('option').nth(1).click()
  await expect(page).toHaveURL(/category=/)
  await expect(page.getByTestId('codes-total')).not.toHaveText(total)
  await open('/error-codes')
  await expect(page.getByTestId('codes-total')).toHaveText(total)
  await page.keyboard.press('/')
  await page.keyboard.type('unreachable')
  // The first row below the titles: the list shows the last result of typing.
  const first = page.getByRole('grid', { name: 'Error codes' }).getByRole('row').nth(1)
  await expect(first).toContainText(/unreachable/i)
  for (const key of ['Escape', 'j', 'Enter']) await page.keyboard.press(key)
  await expect(page.getByRole('article', { name: /^Error code/ })).toContainText(/unreachable/i)
  await expect(page).toHaveURL(/code=/)
  await expect(page.getByRole('link', { name: 'View events' })).toHaveAttribute('href', /events\?code=\d+$/)
})

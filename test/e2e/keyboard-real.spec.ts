import { type Page, expect } from '@playwright/test'
import { expectFocusIn, realConsole, tabTo } from './real-console.ts'

/** Main jobs by keyboard alone. Contacts are edited so in `contacts-work-real.spec.ts`, campaigns paused in `campaigns-real.spec.ts`. */
const test = realConsole({ ratePerSecond: 5 })

test.beforeEach(async ({ page, open }) => {
  await open('/overview')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
})

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

async function goTo(page: Page, key: string, title: string): Promise<void> {
  // As fast as a person: while the page is busy, waiting for the first key to be handled takes longer than a sequence may.
  await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(title)
}

test('imports a CSV file', async ({ page }) => {
  await goTo(page, 'p', 'Contacts')
  await press(page, 'i')
  const choosing = page.waitForEvent('filechooser')
  await tabTo(page, page.getByRole('button', { name: 'Choose a file' }), 'Enter')
  const buffer = Buffer.from('Name,Mobile\nZoë,+4915120000010\nEmil,+4915120000011\n')
  await (await choosing).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
  const heading = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })
  await expect(heading('File and columns')).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'Check', exact: true }), 'Enter')
  await expect(heading('Check')).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'Back' }), 'Enter')
  await expect(heading('File and columns')).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'Check', exact: true }), 'Enter')
  await tabTo(page, page.getByRole('button', { name: 'Import 2 contacts' }), 'Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('2 contacts imported')
  await expect(heading('Result')).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'View contacts' }), 'Enter')
  await expect(page.getByRole('grid', { name: 'Contacts' })).toContainText('Zoë')
})

test('filters live events, opens one and copies its raw body', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await goTo(page, 'e', 'Live events')
  const search = page.getByRole('search')
  await tabTo(page, search.getByRole('button', { name: 'Status', exact: true }), 'Enter')
  await tabTo(page, page.getByRole('button', { name: 'Delivered', exact: true }), 'Space')
  await press(page, 'Escape')
  await expect(search.getByRole('button', { name: 'Status: Delivered' })).toBeFocused()
  const list = page.getByRole('grid', { name: 'Events, newest first' })
  await expect(list.getByRole('row').nth(1)).toContainText('Delivered')
  await press(page, 'j', 'Enter')
  const drawer = page.getByRole('complementary', { name: 'Event details' })
  await tabTo(page, drawer.getByRole('button', { name: 'Raw', exact: true }), 'Enter')
  await tabTo(page, drawer.getByRole('button', { name: 'Copy raw body' }), 'Enter')
  const body = await drawer.locator('pre').textContent()
  expect(JSON.parse(body!)).toMatchObject({ event: 'dlr' })
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(body)
  await expectFocusIn(drawer)
  await press(page, 'Escape')
  await expect(list).toBeFocused()
})

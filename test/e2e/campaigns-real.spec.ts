import { expect } from '@playwright/test'
import { expectFocusIn, realConsole, tabTo } from './real-console.ts'

const test = realConsole({ ratePerSecond: 5 })

test('pauses a campaign by keyboard, with a receipt, then all others at once', async ({
  page,
  open,
  console,
}) => {
  const service = () => console.sandbox.tenant().campaigns()
  await open('/campaigns?status=running')
  const row = page.locator('[data-campaign]').first()
  const id = (await row.getAttribute('data-campaign'))!
  await expect(page.getByRole('row').nth(1)).toContainText('Running')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(drawer).toContainText('API fields')
  await expect(drawer.getByRole('img', { name: /^Sent count over time/ })).toBeVisible()
  await expect(drawer).toContainText('History is kept for 30 days')

  await tabTo(page, drawer.getByRole('button', { name: 'Pause', exact: true }), 'Enter')
  const dialog = page.getByRole('dialog')
  await expectFocusIn(dialog)
  await tabTo(page, dialog.getByRole('button', { name: 'Pause campaign' }), 'Enter')
  await expect.poll(() => service().find((one) => one.id === id)?.status).toBe('paused')
  await expect(drawer.getByTestId('receipt')).toContainText('Still watching')
  await expect(dialog).toHaveCount(0)
  await expectFocusIn(drawer)

  await page.getByRole('button', { name: 'Pause all' }).click()
  await dialog.getByRole('button', { name: 'Pause all' }).click()
  await expect(page.getByRole('dialog', { name: /of \d+ paused/ })).toBeVisible()
  for (const item of await page.getByTestId('pause-all-item').all())
    await expect(item).toContainText('Paused')
  expect(service().filter(({ status }) => status === 'running')).toEqual([])
  const pauses = console.sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/pause'))
    .map(({ path }) => path)
  expect(new Set(pauses).size).toBe(pauses.length)
})

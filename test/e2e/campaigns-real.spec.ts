import { expect } from '@playwright/test'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 20 })

test('pauses a campaign with a receipt, then all others at once', async ({ page, open, console }) => {
  const service = () => console.sandbox.tenant().campaigns()
  await open('/campaigns?status=running')
  const row = page.locator('[data-campaign]').first()
  const id = (await row.getAttribute('data-campaign'))!
  await row.click()
  const drawer = page.getByRole('complementary', { name: 'Campaign' })
  await expect(drawer).toContainText('API fields')
  await expect(drawer.getByRole('img', { name: /^Sent count over time/ })).toBeVisible()
  await expect(drawer).toContainText('History is kept for 30 days')

  await drawer.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause campaign' }).click()
  await expect.poll(() => service().find((one) => one.id === id)?.status).toBe('paused')
  await expect(drawer.getByTestId('receipt')).toContainText('Still watching')

  await page.getByRole('button', { name: 'Pause all' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause all' }).click()
  await expect(page.getByRole('dialog', { name: /of \d+ paused/ })).toBeVisible()
  for (const item of await page.getByTestId('pause-all-item').all())
    await expect(item).toContainText('Paused')
  const pauses = console.sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/pause'))
    .map(({ path }) => path)
  expect(new Set(pauses).size).toBe(pauses.length)
})

import { expect, test } from '@playwright/test'
import { startConsole } from '../helpers/start-console.ts'

test('lists signed-in browsers and signs out another, then this one', async ({ page }) => {
  await using console = await startConsole()
  await page.goto(console.url)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.goto(`${console.origin}/#/settings?section=browsers`)
  const rows = page.getByRole('row').filter({ has: page.getByRole('button') })
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText('Chrome')
  await expect(rows.first()).toContainText('This browser')
  await rows.nth(1).getByRole('button', { name: 'Sign out Unknown browser' }).click()
  await expect(rows).toHaveCount(1)
  expect(
    (
      await fetch(`${console.origin}/session`, {
        headers: { cookie: console.cookie, 'sec-fetch-site': 'same-origin' },
      })
    ).status,
  ).toBe(401)
  await rows.getByRole('button', { name: /this browser$/ }).click()
  await expect(page.getByRole('status')).toContainText('This page was opened without its link.')
})

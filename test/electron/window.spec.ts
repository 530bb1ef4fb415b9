import { expect, test } from './fixtures.ts'

test('the window shows the connect page, without one violation of its content policy', async ({
  desktop,
}) => {
  const page = await desktop.window()
  await expect(page.getByRole('button', { name: /open the sandbox/i })).toBeVisible()
  expect(await page.evaluate(() => location.origin)).toBe(desktop.pageOrigin)
})

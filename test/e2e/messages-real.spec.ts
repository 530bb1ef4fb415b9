import { expect } from '@playwright/test'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 2 })

test('looks up held messages, and releases one and several', async ({ page, open, console }) => {
  const held = () => console.sandbox.tenant().heldMessageIds()
  const [first, ...others] = held().slice(0, 4)
  await open('/messages')
  await page.getByLabel('Search, or paste message IDs').fill(first!)
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('complementary', { name: 'Message' })
  await expect(drawer).toContainText('Pending')
  await drawer.getByRole('button', { name: 'Release…' }).click()
  // The DNC list was never synced.
  await page.getByRole('dialog').getByText('Send without a DNC check').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
  const results = page.getByRole('region', { name: 'Release' })
  await expect(results).toContainText('1 released')
  expect(held()).not.toContain(first)
  // The sandbox sends it now, and its reports reach the listener.
  await expect(async () => {
    await drawer.getByRole('button', { name: 'Refresh message' }).click()
    await expect(drawer.getByText('Report', { exact: true }).first()).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 60_000 })
  await expect(drawer).toContainText('Created')
  await expect(drawer.getByText('Switchboard', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByLabel('Search, or paste message IDs').fill([...others, 'nobody-knows-it'].join('\n'))
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page.getByTestId('messages-total')).toHaveText('4 IDs looked up')
  await expect(page.getByText('Not found')).toBeVisible()
  for (const box of await page.getByRole('grid').getByRole('checkbox').all()) await box.click()
  await page.getByRole('button', { name: 'Release 3…' }).click()
  await page.getByRole('dialog').getByText('Send without a DNC check').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Release 3 messages' }).click()
  await expect(results).toContainText('3 released')
  for (const id of others) expect(held()).not.toContain(id)
  const asked = console.sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/release'))
  expect(asked).toHaveLength(4)
})

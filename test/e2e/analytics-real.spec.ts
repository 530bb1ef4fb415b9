import { expect } from '@playwright/test'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 5 })

test('shows the sandbox’s totals and local events', async ({ page, open, console }) => {
  await open('/analytics?range=yesterday')
  const messages = page.getByRole('region', { name: 'Messages table' })
  await expect(messages).toContainText('Delivery rate')
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  const { overview } = await console.rpc.analytics.overview({ startDate: yesterday, endDate: yesterday })
  expect(overview.totalMessages).toBeGreaterThan(0)
  const spelled = overview.totalMessages!.toLocaleString('en')
  await expect(messages.getByRole('row', { name: /^Messages/ })).toContainText(spelled)
  await expect(page.getByRole('region', { name: 'Billing by currency table' })).toBeVisible()

  await open('/analytics?tab=local&range=last7')
  const outcomes = page.getByRole('region', { name: 'Outcomes', exact: true })
  await expect(outcomes).toContainText('Delivered')
  await expect(page.getByRole('region', { name: 'Destinations', exact: true })).toContainText('+')
  await expect(page.getByTestId('caveat')).toContainText('Events received on this computer')
})

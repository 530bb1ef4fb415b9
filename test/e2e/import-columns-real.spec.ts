import { expect } from '@playwright/test'
import { realConsole, tabTo } from './real-console.ts'

const test = realConsole({ sandbox: { traffic: false } })

const lines = [
  'Contacts of the fair',
  'As of 2026-11-26',
  'Name;Mobile;Phone;SMS consent',
  'Ann Sample;+1 202 555 0101;+1 202 555 0111;yes',
  'Bob Sample;unknown;+1 202 555 0112;yes',
  'Cid Sample;+1 202 555 0103;;no',
  'Total;3;;',
]

test('uses the chosen column, and imports who said no on hold', async ({ page, open }) => {
  await open('/imports')
  await page.locator('input[type=file]').setInputFiles({
    name: 'fair.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  })
  const columns = page.getByRole('table', { name: 'Columns' })
  await expect(columns).toContainText('Ann Sample')
  await page.getByText('Advanced', { exact: true }).click()
  await expect(page.getByRole('combobox', { name: 'Header' })).toContainText('3')
  await expect(page.getByText('Number: Tried in this order: Mobile → Phone')).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Try column Mobile later' }), 'Enter')
  await expect(page.getByText('Number: Tried in this order: Phone → Mobile')).toBeVisible()

  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.locator('[data-problem="not-a-contact"]')).toContainText('1')
  const consent = page.locator('[data-consent="SMS consent"]')
  await expect(consent).toContainText('Import on hold')
  await expect(consent.getByRole('checkbox', { name: 'no', exact: true })).toBeChecked()
  await page.getByRole('button', { name: 'Import 3 contacts' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('3 contacts imported')
  await open('/contacts')
  await expect(page.getByText('+12025550111')).toBeVisible()
  await expect(page.getByText('+12025550112')).toBeVisible()
  await expect(page.getByText('+12025550103')).toBeVisible()
})

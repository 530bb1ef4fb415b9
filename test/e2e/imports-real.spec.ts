import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realConsole, tabTo } from './real-console.ts'

const test = realConsole({ traffic: false })
const workbook = join(import.meta.dirname, '../integration/jobs/sheets/files/xlsxwriter-shared.xlsx')
const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const lines = [
  'Contacts of the fair',
  'As of 2026-11-26',
  'Name;Mobile;Phone;SMS consent;Note',
  'Ann Sample;+1 202 555 0101;+1 202 555 0111;yes;Her lawyer wrote',
  'Bob Sample;unknown;+1 202 555 0112;yes;',
  'Cid Sample;+1 202 555 0103;;no;',
  'Total;3;;;',
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
  const note = page.locator('[data-consent="Note"]')
  await note.getByRole('button', { name: 'Show 1 other text' }).click()
  await note.getByRole('checkbox', { name: 'Her lawyer wrote' }).check()
  await expect(page.getByText('Numbers to put on hold: 3.')).toBeVisible()
  await page.getByRole('button', { name: 'Import 3 contacts' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('3 contacts imported')
  await open('/contacts')
  await expect(page.getByText('+12025550111')).toBeVisible()
  await expect(page.getByText('+12025550112')).toBeVisible()
  await expect(page.getByText('+12025550103')).toBeVisible()
})

test('explains a workbook with a password, and imports a sheet of another one', async ({ page, open }) => {
  await open('/imports')
  const input = page.locator('input[type=file]')
  await expect(input).toHaveAttribute('accept', /\.xlsx/)
  const locked = await readFile(join(workbook, '../password.xlsx'))
  await input.setInputFiles({ name: 'locked.xlsx', mimeType, buffer: locked })
  await expect(page.getByRole('alert')).toContainText(
    'locked.xlsx can’t be read: it is protected with a password. Nothing was imported. Save it as .xlsx or CSV and try again.',
  )
  await input.setInputFiles({ name: 'customers.xlsx', mimeType, buffer: await readFile(workbook) })
  const columns = page.getByRole('table', { name: 'Columns' })
  const sheet = page.getByRole('combobox', { name: 'Sheet' })
  await expect(sheet).toContainText('Customers')
  await expect(columns).toContainText('358401234567')
  await expect(page.getByText('1 hidden row is included.')).toBeVisible()

  await sheet.click()
  await expect(page.getByRole('option')).toHaveText(['Summary', 'Customers', 'Old numbers (hidden)'])
  await page.getByRole('option', { name: 'Old numbers (hidden)' }).click()
  await expect(columns).toContainText('+12025550199')
  await expect(page.getByText('1 hidden row is included.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Import 1 contact' }).click()
  const result = page.getByRole('region', { name: 'Result' })
  await expect(result).toContainText('1 contact imported')
  await expect(page.getByText('customers.xlsx').first()).toBeVisible()
})

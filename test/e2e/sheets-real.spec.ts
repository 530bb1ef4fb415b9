import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { realConsole } from './real-console.ts'

const test = realConsole({ sandbox: { traffic: false } })
const workbook = join(import.meta.dirname, '../integration/jobs/sheets/files/xlsxwriter-shared.xlsx')
const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

test('imports a sheet of a workbook, and another one', async ({ page, open }) => {
  await open('/imports')
  const input = page.locator('input[type=file]')
  await expect(input).toHaveAttribute('accept', /\.xlsx/)
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

test('explains a workbook with a password, and takes another file', async ({ page, open }) => {
  await open('/imports')
  const input = page.locator('input[type=file]')
  const locked = await readFile(join(workbook, '../password.xlsx'))
  await input.setInputFiles({ name: 'locked.xlsx', mimeType, buffer: locked })
  await expect(page.getByRole('alert')).toContainText(
    'locked.xlsx can’t be read: it is protected with a password. Nothing was imported. Save it as .xlsx or CSV and try again.',
  )
  await input.setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('name,phone\nAnn,+12025550101\n'),
  })
  await expect(page.getByRole('table', { name: 'Columns' })).toContainText('Ann')
  await expect(page.getByRole('combobox', { name: 'Sheet' })).toHaveCount(0)
})

import { expect } from '@playwright/test'
import { contactsPage } from './pages/contacts-page.ts'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 2 })

test('imports a file, finds its contact, and pushes it', async ({ page, open, console }) => {
  await open('/imports')
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      'Name,Mobile,City\nAda,+442079460018,London\nZoë,0151 20000010,Köln\nNobody,12,Nowhere\nAda again,+442079460018,London\n',
    ),
  })
  await expect(page.getByRole('table', { name: 'Columns' })).toContainText('Zoë')
  const question = page.getByRole('group', { name: 'How are the numbers without + written?' })
  await expect(question).toContainText('0151 20000010 → +4915120000010')
  await expect(page.getByRole('button', { name: 'Check', exact: true })).toBeDisabled()
  await question.getByRole('radio', { name: /^National numbers \(Germany\)/ }).click()
  // The answer is one sentence, here and in the check.
  await expect(question).toHaveCount(0)
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await expect(question.getByRole('radio', { name: /^National numbers \(Germany\)/ })).toBeChecked()
  expect(await page.evaluate(() => localStorage.getItem('switchboard.region'))).not.toBe('DE')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(page.getByText('Numbers without + are read as national numbers (Germany).')).toBeVisible()
  await expect(question).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Rows by result' }).getByRole('listitem')).toHaveText([
    'New 2',
    'Updated 0',
    'Skipped 1',
    'Rejected 1',
  ])
  await page.getByRole('button', { name: 'Import 2 contacts' }).click()
  const report = page.getByRole('region', { name: 'Result' })
  await expect(report).toContainText('2 contacts imported')
  await expect(report).toContainText('Done')
  await page.getByRole('button', { name: 'View contacts' }).click()

  const contacts = contactsPage(page)
  await expect(contacts.total).toHaveText('2 contacts')
  await expect(page.getByText('people.csv')).toBeVisible()
  await contacts.search.fill('zoe')
  await expect(contacts.total).toHaveText('1 of 2 contacts')
  await expect(contacts.row(0)).toContainText('+4915120000010')
  await expect(contacts.row(0)).toContainText('Local only')
  await contacts.showAll.click()
  await expect(contacts.total).toHaveText('2 contacts')
  await contacts.list.getByLabel('Select all matching').click()
  await contacts.ask('Push')
  await expect(contacts.dialog).toContainText('2 requests')
  await expect(contacts.dialog).toContainText('The DNC list was never synced')
  await expect(contacts.confirm('Push')).toBeDisabled()
  await contacts.dialog.getByRole('button', { name: 'Sync first' }).click()
  await expect(contacts.dialog).not.toContainText('The DNC list was never synced')
  await expect(contacts.chosen).toBeVisible()
  await contacts.confirm('Push').click()
  await expect(contacts.list.getByText('On service')).toHaveCount(2)
  await contacts.row(0).click()
  await expect(contacts.details).toContainText('Service ID')
  const sent = console.sandbox
    .requestLog()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/contacts'))
  expect(sent).toHaveLength(2)

  await open('/imports')
  await page.getByRole('gridcell', { name: 'people.csv', exact: true }).click()
  await report.getByRole('button', { name: 'Undo import…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
  await expect(report).toContainText('2 kept')
})

import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 2 })

test('creates a template, sends it to one and to many, and deletes it', async ({ page, open, console }) => {
  await open('/dnc')
  const copy = page.getByRole('region', { name: 'Offline copy' })
  await copy.getByRole('button', { name: 'Sync now' }).click()
  await expect(copy).toContainText('Up to date')
  const { items } = await console.rpc.dnc.list({ which: 'all', limit: 1 })
  const listed = items[0]!.phone!

  await open('/templates')
  await page.getByRole('button', { name: 'New template' }).first().click()
  const form = page.getByRole('form', { name: 'New template' })
  await form.getByLabel('Name', { exact: true }).fill('Points')
  await form.getByLabel('Text', { exact: true }).fill('{{name}}: {{points}} points')
  await form.getByRole('combobox', { name: 'Type of points' }).click()
  await page.getByRole('option', { name: 'number' }).click()
  await form.getByRole('button', { name: 'Create' }).click()
  const drawer = page.getByRole('complementary', { name: 'Template' })
  await expect(drawer).toContainText('Active')

  await drawer.getByRole('button', { name: 'Send', exact: true }).click()
  const one = page.getByRole('form', { name: 'Single send' })
  // Connected by address, the console doesn’t know that this is the sandbox: the channel is typed once.
  const [channel] = console.sandbox.tenant().channels()
  await one.getByLabel('Channel ID').fill(channel!.id)
  await one.getByLabel('name', { exact: true }).fill('Ada')
  const send = one.getByRole('button', { name: 'Send', exact: true })
  await one.getByLabel('points', { exact: true }).fill('1,200')
  await expect(one).toContainText('“1,200” has two meanings; type 1200 or 1.2.')
  await expect(send).toBeDisabled()
  await one.getByLabel('points', { exact: true }).fill('007')
  await expect(one).toContainText('To send text, use a template where this placeholder’s type is text.')
  await one.getByLabel('points', { exact: true }).fill('12,50')
  await one.getByLabel('Number', { exact: true }).fill(listed)
  await expect(one).toContainText('You can’t send to it.')
  await expect(send).toBeDisabled()
  await expect(one.getByTestId('preview')).toHaveText('Ada: 12.50 points')
  await one.getByLabel('Number', { exact: true }).fill('+442079460000')
  await send.click()
  await expect(page.getByRole('status', { name: 'Result' })).toContainText('Delivered')
  expect(console.sandbox.tenant().ottMessages()).toMatchObject([{ body: 'Ada: 12.50 points' }])

  // “Why did I get this?”, from the number alone.
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('(020) 7946 0000')
  await page.getByRole('option', { name: 'Find “(020) 7946 0000” in Outbox' }).click()
  await page.getByRole('row').filter({ hasText: '+442079460000' }).click()
  const request = page.getByRole('complementary', { name: 'Request' })
  await request.getByRole('link', { name: 'Events' }).click()
  await expect(page.getByRole('grid', { name: 'Events, newest first' }).getByRole('row').nth(1)).toBeVisible()
  // By keys: a report that arrives between press and release moves the row from under the pointer.
  for (const key of ['j', 'Enter']) await page.keyboard.press(key)
  const origin = page.getByRole('complementary', { name: 'Event details' })
  await expect(origin).toContainText('Ada: 12.50 points')
  await origin.getByRole('link', { name: '“Points” to +442079460000' }).click()
  await expect(page).toHaveURL(/outbox\?batch=/)
  await page.getByRole('row').filter({ hasText: '+442079460000' }).click()
  await request.getByRole('link', { name: 'Message', exact: true }).click()
  await expect(page.getByRole('complementary').or(page.getByRole('main'))).toContainText([
    'Ada: 12.50 points',
  ])
  await open('/templates')

  await page.getByRole('button', { name: 'Channels' }).click()
  const channels = page.getByRole('region', { name: 'Channels' })
  const id = '77777777-7777-4777-8777-777777777777'
  await channels.getByLabel('Channel ID').fill(id)
  await channels.getByRole('button', { name: 'Add' }).click()
  const name = channels.getByLabel(`Name of channel ${id}`)
  await name.fill('Viber')
  await name.press('Enter')
  await channels.getByRole('button', { name: 'Remove channel Viber' }).click()
  await expect(name).toHaveCount(0)
  expect((await console.rpc.templates.channels()).items).toMatchObject([{ id: channel!.id }])

  await page.getByRole('link', { name: 'Bulk send' }).click()
  const many = page.getByRole('form', { name: 'Bulk send' })
  await many.getByText('File', { exact: true }).click()
  await page.locator('input[type=file]').setInputFiles({
    name: 'points.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `name,mobile,points,Newsletter\nAda,+442079460001,1.500,yes\nGrace,${listed},2.000,yes\nZoë,+442079460002,,yes\nAda again,+442079460001,3,yes\nNed,+442079460003,4,no\n`,
    ),
  })
  await many.getByRole('combobox', { name: 'Template' }).click()
  await page.getByRole('option', { name: 'Points' }).click()
  const question = many.getByRole('group', { name: 'How are the numbers of “points” written?' })
  const comma = question.getByRole('radio', { name: 'Decimal comma' })
  await expect(comma).toHaveAccessibleName(/1\.500 → 1500 2\.000 → 2000/)
  const dryRun = page.getByRole('button', { name: 'Dry run' })
  await expect(dryRun).toBeDisabled()
  await expect(page.getByText('Choose how to read points')).toBeVisible()
  await comma.press('Space')
  const newsletter = many.locator('[data-consent="Newsletter"]')
  await expect(newsletter.getByRole('combobox')).toContainText('Skip')
  await expect(newsletter.getByRole('checkbox', { name: 'no', exact: true })).toBeChecked()
  await dryRun.press('Enter')
  await expect(page.getByText('1 will get it, 4 are skipped')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Dry run' })).toBeFocused()
  const counts = page.getByRole('list', { name: 'Recipients' }).locator('strong')
  await expect(counts).toHaveText(['1', '1', '1', '1', '1'])
  // Back to the choices, which are still there.
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(comma).toBeChecked()
  expect((await console.rpc.templates.sends({})).items).toEqual([])
  await dryRun.click()
  await expect(page.getByRole('region', { name: 'First recipients' })).toContainText('Ada: 1500 points')
  const testSend = page.getByRole('region', { name: 'Test send' })
  await testSend.getByLabel('Your number').fill('+442079460001')
  await testSend.getByRole('button', { name: 'Send test' }).click()
  const twice = page.getByRole('dialog', { name: 'Send a test to +442079460001?' })
  await expect(twice).toContainText('This number is also a recipient of this send.')
  await twice.getByRole('button', { name: 'Cancel' }).click()
  await testSend.getByLabel('Your number').fill('+442079460077')
  await testSend.getByRole('button', { name: 'Send test' }).click()
  await expect(testSend.getByRole('status', { name: 'Result' })).toContainText('Done+442079460077')
  await expect(testSend).toContainText(/Delivery report: (Submitted|Delivered|Failed)/)
  await expect(page.getByText(/from \d messages? looked up on this channel/)).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export skipped' }).click()
  expect(await readFile((await (await download).path())!, 'utf8')).toContain(listed)

  await page.getByRole('button', { name: 'Send to 1 recipient…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('button', { name: /^Undo/ })).toBeVisible()
  await page.getByRole('button', { name: /^Undo/ }).click()
  await expect(page.getByText('1 message undone; nothing was sent.')).toBeVisible()

  await page.getByRole('link', { name: 'Templates', exact: true }).last().click()
  await page.getByRole('grid', { name: 'Templates' }).getByText('Points', { exact: true }).click()
  await drawer.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('Template deleted.')).toBeVisible()
  expect((await console.rpc.templates.list({})).total).toBe(0)
  await page.getByRole('button', { name: 'Add by ID' }).last().click()
  const byId = page.getByRole('form', { name: 'Add template by ID' })
  await byId.getByLabel('Template ID').fill('7c0f5b1e-0000-4000-8000-000000000099')
  await byId.getByLabel('Placeholders (comma-separated)').fill('name, day')
  await byId.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('Template saved.')).toBeVisible()
  const variables = [
    { name: 'name', type: 'string' },
    { name: 'day', type: 'string' },
  ]
  expect((await console.rpc.templates.list({})).items).toMatchObject([{ origin: 'adopted', variables }])
})

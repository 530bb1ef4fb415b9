import { expect } from '@playwright/test'
import { outboxPage } from './pages/outbox-page.ts'
import { realConsole } from './real-console.ts'

const test = realConsole({ ratePerSecond: 2 })

test('pauses a real push, cancels part of it and completes the rest', async ({ page, open, console }) => {
  const { contacts, outbox: rpcOutbox } = console.rpc
  for (const [at, name] of ['Ada', 'Grace', 'Zoë'].entries()) {
    await contacts.create({ name, phone: `+49151200000${at}0`, email: '', tags: {} })
  }
  await rpcOutbox.pause()
  const { count } = await contacts.push({
    selection: { filter: {}, exceptIds: [] },
    uncheckedKnowingly: true,
  })
  expect(count).toBe(3)

  const outbox = outboxPage(page)
  await open('/outbox')
  await expect(outbox.sending).toContainText('Nothing is sent until you resume.')
  await expect(outbox.total).toHaveText('3 requests')
  await outbox.batches.getByRole('button', { name: /^Push of 3 contacts/ }).click()
  await expect(page).toHaveURL(/batch=/)
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search by name, number or message ID')).toBeFocused()
  await page.keyboard.type('grace')
  await expect(outbox.total).toHaveText('1 matching')
  await expect(page).toHaveURL(/batch=.*&text=grace/)
  await page.reload()
  await expect(outbox.total).toHaveText('1 matching')
  await outbox.row(0).getByText('Grace').click()
  await expect(outbox.details).toContainText('Push of 3 contacts')
  await open('/outbox')
  await expect(outbox.total).toHaveText('3 requests')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await outbox.selected.getByRole('button', { name: 'Cancel…' }).click()
  await expect(outbox.dialog.getByRole('button', { name: 'Keep' })).toBeVisible()
  await outbox.dialog.getByRole('button', { name: 'Cancel request' }).click()
  await expect(page.getByText('1 cancelled.')).toBeVisible()

  await page.getByRole('button', { name: 'Resume sending' }).click()
  await expect(outbox.chip('Done')).toContainText('2')
  await expect(outbox.list.getByText('Done')).toHaveCount(2)
  await expect(outbox.list.getByText('Cancelled')).toHaveCount(1)
  await expect(outbox.sending).toContainText('Idle')
  await page.getByLabel('Search by name, number or message ID').fill('07911 000200')
  await expect(page.getByRole('link', { name: 'Find the number in Live events' })).toBeVisible()
})

test('never resends an unconfirmed request, and lets you resolve it', async ({ page, open, console }) => {
  const { contacts } = console.rpc
  const { contact } = await contacts.create({ name: 'Bob', phone: '+4915120000099', email: '', tags: {} })
  const sent = () =>
    console.sandbox.requestLog().filter(({ method, path }) => method === 'POST' && path.endsWith('/contacts'))
      .length
  const before = sent()
  console.sandbox.setFault('reset-after-commit', { method: 'POST', path: '/contacts' })
  await contacts.push({ selection: { ids: [contact.id] }, uncheckedKnowingly: true })
  const outbox = outboxPage(page)
  await open('/outbox')
  await expect(page.getByRole('heading', { name: '1 unconfirmed request' })).toBeVisible()
  await expect(outbox.row(0)).toContainText('may have been done')
  // By keys alone, with its ID at the service.
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(outbox.details).toContainText('didn’t confirm that it created the contact')
  await outbox.details.getByRole('button', { name: 'Mark as created…' }).press('Enter')
  await outbox.dialog.getByRole('textbox').fill('con-4711')
  await expect(outbox.dialog.getByRole('button', { name: 'Mark as created' })).toBeEnabled()
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 marked as done.')).toBeVisible()
  await expect(outbox.row(0)).toContainText('Marked as done manually')
  expect(sent()).toBe(before + 1)
})

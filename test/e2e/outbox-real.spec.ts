import { test as base, expect } from '@playwright/test'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { OutboxPage } from './pages/outbox-page.ts'

/** The real console, signed in to a sandbox, before a real browser. */
const test = base.extend<{ console: RunningConsole }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  console: async ({}, use) => {
    await using running = await startConsole({ sandbox: { ratePerSecond: 2 } })
    await use(running)
  },
})

test('what is pushed goes through the real outbox, is paused, taken back and done before the operator’s eyes', async ({
  page,
  console,
}) => {
  const { contacts, outbox: rpcOutbox } = console.rpc
  for (const [at, name] of ['Ada', 'Grace', 'Zoë'].entries()) {
    await contacts.create({ name, phone: `+49151200000${at}0`, email: '', tags: {} })
  }
  await rpcOutbox.pause()
  const { count } = await contacts.push({ selection: { filter: {}, exceptIds: [] } })
  expect(count).toBe(3)

  const outbox = new OutboxPage(page)
  await page.goto(console.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await outbox.open(`${console.origin}/`)
  await expect(outbox.sending).toContainText('You paused it.')
  await expect(outbox.total).toHaveText('3 in all')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await outbox.chosen.getByRole('button', { name: 'Cancel…' }).click()
  await outbox.dialog.getByRole('button', { name: 'Take back' }).click()
  await expect(page.getByText('1 taken back.')).toBeVisible()

  await page.getByRole('button', { name: 'Resume sending' }).click()
  await expect(outbox.chip('Done')).toContainText('2')
  await expect(outbox.list.getByText('Done')).toHaveCount(2)
  await expect(outbox.list.getByText('Cancelled')).toHaveCount(1)
  await expect(outbox.sending).toContainText('Nothing to send')
})

import { test as real } from '@playwright/test'
import { deliverEvents, moBody } from '../helpers/deliver-events.ts'
import { startConsole } from '../helpers/start-console.ts'
import { expect, expectAccessible, inputOf, test } from './scripted-console.ts'

test('reads, searches, marks and holds conversations, by pointer and by keyboard', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/inbox`)
  const list = page.getByRole('grid', { name: 'Conversations' })
  await expect(list.getByRole('row', { name: /Ada Lovelace/ })).toContainText('1 unread')
  await expect(list.getByRole('row', { name: /491701234567/ })).toContainText('On hold')
  await expect(page.getByRole('link', { name: 'Inbox 2 unread' })).toBeVisible()

  // An opened conversation counts as read and shows its verdict.
  await list.getByRole('row', { name: /Ada Lovelace/ }).click()
  const pane = page.getByRole('region', { name: 'Ada Lovelace', exact: true })
  await expect(pane.getByRole('listitem')).toHaveText([/Never mind, it came!/, /Is my order on its way/])
  await expect(pane).toContainText('Clear')
  await expect(pane.getByRole('link', { name: 'Reply with template' })).toBeVisible()
  await expect(list.getByRole('row', { name: /Ada Lovelace/ })).not.toContainText('unread')

  await pane.getByRole('button', { name: 'Hold' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('+14155550101')
  await dialog.getByRole('button', { name: 'Hold' }).click()
  await expect(dialog).toBeHidden()
  expect(core.calls.find(({ name }) => name === 'dnc.hold')?.input).toMatchObject({
    phone: '+14155550101',
    evidence: 'Inbox: Never mind, it came!',
  })
  await expect(pane.getByRole('link', { name: 'Reply with template' })).toHaveCount(0)
  await expect(list.getByRole('row', { name: /Ada Lovelace/ })).toContainText('On hold')

  // Keyboard alone: next, mark unread, close.
  await page.keyboard.press('j')
  await expect(page.getByRole('heading', { name: '+491701234567' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Hold' })).toBeHidden()
  await page.keyboard.press('u')
  await expect(page.getByText('Select a conversation')).toBeVisible()
  await expect(list.getByRole('row', { name: /491701234567/ })).toContainText('1 unread')
  await page.keyboard.press('/')
  await page.keyboard.type('hopper')
  await expect(list.getByRole('row', { name: /Grace Hopper/ })).toBeVisible()
  await expect(list.getByRole('row', { name: /Ada/ })).toBeHidden()
  await page.keyboard.press('Escape')

  // A reply starts with the number and the contact’s name.
  await page.goto(`${core.url}#/inbox?sender=442071838750`)
  await page.getByRole('link', { name: 'Reply with template' }).click()
  await expect(
    page.getByRole('form', { name: 'Single send' }).getByLabel('Number', { exact: true }),
  ).toHaveValue('+442071838750')

  // A conversation read under the unread filter keeps its place until you leave it.
  await page.goto(`${core.url}#/inbox?show=unread`)
  await list.getByRole('row', { name: /491701234567/ }).click()
  await expect(page.getByRole('group', { name: 'Filter conversations' })).toContainText('Unread 0')
  await expect(list.getByRole('row', { name: /491701234567/ })).toBeVisible()
  await page.goto(`${core.url}#/inbox?sender=1`)
  await expect(page.getByRole('alert').filter({ hasText: 'This conversation' })).toBeVisible()
})

test('asks about possible opt-outs, and takes the answer by pointer or keyboard', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.goto(`${core.url}#/`)
  await page.getByRole('region', { name: 'Needs attention' }).getByText('1 possible opt-out').waitFor()
  await page
    .getByRole('listitem')
    .filter({ hasText: '1 possible opt-out' })
    .getByRole('link', { name: 'Review' })
    .click()
  const filters = page.getByRole('group', { name: 'Filter conversations' })
  await expect(filters).toContainText('Possible opt-outs 1')
  const list = page.getByRole('grid', { name: 'Conversations' })
  await expect(list.getByRole('row', { name: /Grace Hopper/ })).toContainText('Possible opt-out')
  await list.getByRole('row', { name: /Grace Hopper/ }).click()
  const pane = page.getByRole('region', { name: 'Grace Hopper', exact: true })
  await expect(pane.getByRole('listitem').filter({ hasText: 'Stop texting' })).toContainText(
    'Possible opt-out',
  )
  const asked = pane.getByRole('group', { name: 'Possible opt-out' })
  await expectAccessible(page)
  await asked.getByRole('button', { name: 'Not an opt-out' }).focus()
  await page.keyboard.press('Tab')
  await expect(asked.getByRole('button', { name: 'Hold' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(asked).toBeHidden()
  expect(inputOf(core, 'inbox.answerOptOut')).toMatchObject({ sender: '442071838750', answer: 'hold' })
  await expect(list.getByRole('row', { name: /Grace Hopper/ })).toHaveCount(0)
  await expect(filters).toContainText('Possible opt-outs 0')
  await filters.getByText('All', { exact: true }).click()
  await expect(list.getByRole('row', { name: /Grace Hopper/ })).toContainText('On hold')
})

test('searches a number without a country code in the region, and says how to write it when nothing matches', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  await page.addInitScript(() => localStorage.setItem('switchboard.region', 'DE'))
  await page.goto(`${core.url}#/inbox`)
  const field = page.getByRole('textbox', { name: 'Search conversations' })
  await field.fill('0170 / 12345')
  await expect(
    page.getByText('Searching as a national number (Germany), and for 17012345 anywhere.'),
  ).toBeVisible()
  await expect(page.getByText('No matching conversations')).toBeVisible()
  await expect(page.getByText('Add the country code, for example')).toBeVisible()
  const asked = () => inputOf(core, 'inbox.list')
  expect(asked()).toMatchObject({ text: '0170 / 12345', region: 'DE' })
  await field.fill('+49170')
  await expect(page.getByText('Searching as a national number')).toHaveCount(0)
  await expect.poll(asked).toMatchObject({ text: '+49170' })
  expect(asked()).not.toHaveProperty('region')
})

test('shows sent messages with their state, in order of time', async ({ page, scripted }) => {
  const core = await scripted()
  const { get } = core.day.script.inbox
  core.change({
    inbox: {
      get: async (input, signal) => ({
        ...(await get(input, signal)),
        sent: [
          {
            itemId: 7,
            batchId: 'b-1',
            templateName: 'Order status',
            text: 'It is on its way.',
            state: 'done',
            serviceStatus: 'delivered',
            queuedAt: new Date().toISOString(),
            endedAt: new Date().toISOString(),
          },
        ],
      }),
    },
  })
  await page.goto(`${core.url}#/inbox`)
  await page
    .getByRole('grid', { name: 'Conversations' })
    .getByRole('row', { name: /Ada Lovelace/ })
    .click()
  const pane = page.getByRole('region', { name: 'Ada Lovelace', exact: true })
  await expect(pane.getByRole('listitem')).toHaveText([
    /It is on its way\..*Sent with Order status.*Done.*Service: Delivered/,
    /Never mind, it came!/,
    /Is my order on its way/,
  ])
  await pane
    .getByTestId('sent')
    .getByRole('link', { name: /Outbox/ })
    .click()
  await expect(page).toHaveURL(/outbox\?batch=b-1/)
})

real(
  'a new message shows on every page, is read, and its opt-out keyword holds the sender',
  async ({ page }) => {
    await using console = await startConsole({ sandbox: { ratePerSecond: 0 } })
    const secret = 'a secret that the test knows'
    await console.rpc.listener.addSecret({ label: 'Test', value: secret })
    const deliver = (messageId: string, content: string) =>
      deliverEvents(console.rpc, secret, moBody(messageId, '+14155550177', content))
    await deliver('in-1', 'When do you open?')
    await page.goto(console.url)
    await page.getByRole('link', { name: 'Inbox 1 unread' }).click()
    await page.getByRole('row', { name: /\+14155550177/ }).click()
    const messages = page.getByRole('region', { name: 'Messages of +14155550177' })
    await expect(messages.getByRole('listitem')).toHaveText([/When do you open/])
    await expect(page.getByRole('link', { name: 'Inbox', exact: true })).toBeVisible()

    // A message that arrives in the open conversation is read at once and puts the sender on hold.
    await deliver('in-2', 'Stop.')
    await expect(messages.getByRole('listitem')).toHaveText([/Stop\./, /When do you open/])
    await expect(page.getByRole('group', { name: 'About the sender' }).getByText('On hold')).toBeVisible()
    await expect.poll(async () => (await console.rpc.inbox.list({})).state.unread).toBe(0)
  },
)

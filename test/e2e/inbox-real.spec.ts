import { expect } from '@playwright/test'
import { deliverEvents, moBody } from '../helpers/deliver-events.ts'
import { taskEnd } from '../helpers/wait-for.ts'
import { type ConsoleInSandbox, realConsole } from './real-console.ts'

const secret = 'a secret that the test knows'
let seq = 0
const deliver = ({ rpc }: ConsoleInSandbox, from: string, ...texts: string[]) =>
  deliverEvents(rpc, secret, ...texts.map((text) => moBody(`in-${++seq}`, from, text)))

/** A conversation with a contact, one that opted out, and one that perhaps did. */
const test = realConsole({ ratePerSecond: 0 }, async (console) => {
  const { contacts, dnc, listener } = console.rpc
  await listener.addSecret({ label: 'Test', value: secret })
  await taskEnd(console.rpc, (await dnc.sync()).taskId)
  await contacts.create({ name: 'Ada Lovelace', phone: '+14155550101', email: '', tags: {} })
  await contacts.create({ name: 'Grace Hopper', phone: '+442071838750', email: '', tags: {} })
  await deliver(console, '+442071838750', 'Can I come at ten instead?', 'Stop texting me please')
  await deliver(console, '+491701234567', 'STOP')
  await deliver(console, '+14155550101', 'Is my order on its way?', 'Never mind, it came!')
})

test('reads, searches, marks and holds conversations, by pointer and by keyboard', async ({ page, open }) => {
  await open('/inbox')
  const list = page.getByRole('grid', { name: 'Conversations' })
  const row = (name: RegExp) => list.getByRole('row', { name })
  await expect(row(/Ada Lovelace/)).toContainText('unread')
  await expect(row(/491701234567/)).toContainText('On hold')
  await expect(page.getByRole('link', { name: 'Inbox 3 unread' })).toBeVisible()

  // An opened conversation counts as read and shows its verdict.
  await row(/Ada Lovelace/).click()
  const pane = page.getByRole('region', { name: 'Ada Lovelace', exact: true })
  await expect(pane.getByRole('listitem')).toHaveText([/Never mind, it came!/, /Is my order on its way/])
  await expect(pane).toContainText('Clear')
  await pane.getByRole('link', { name: 'Reply with template' }).click()
  const form = page.getByRole('form', { name: 'Single send' })
  await expect(form.getByLabel('Number', { exact: true })).toHaveValue('+14155550101')
  await page.goBack()
  await expect(row(/Ada Lovelace/)).not.toContainText('unread')
  await pane.getByRole('button', { name: 'Hold' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('+14155550101')
  await dialog.getByRole('button', { name: 'Hold' }).click()
  await expect(dialog).toBeHidden()
  await expect(pane.getByRole('link', { name: 'Reply with template' })).toHaveCount(0)
  await expect(row(/Ada Lovelace/)).toContainText('On hold')

  // Keyboard alone: next, mark unread, close.
  await page.keyboard.press('j')
  await expect(page.getByRole('heading', { name: '+491701234567' })).toBeVisible()
  await expect(row(/491701234567/)).not.toContainText('unread')
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Hold' })).toBeHidden()
  await page.keyboard.press('u')
  await expect(page.getByText('Select a conversation')).toBeVisible()
  await expect(row(/491701234567/)).toContainText('unread')
  await page.keyboard.press('/')
  await page.keyboard.type('hopper')
  await expect(row(/Grace Hopper/)).toBeVisible()
  await expect(row(/Ada/)).toBeHidden()

  // Handled by keyboard, with a note; a done one leaves the open ones.
  await open('/inbox?sender=14155550101')
  await row(/Ada Lovelace/).click()
  await page.keyboard.press('a')
  await expect(row(/Ada Lovelace/)).toContainText('You')
  await expect(pane).toContainText('Assigned · You · just now')
  await pane.getByRole('textbox', { name: 'Note' }).fill('Call at five')
  await pane.getByRole('button', { name: 'Done' }).click()
  await expect(row(/Ada Lovelace/)).toContainText('Done')
  await expect(pane).toContainText('Done · You · just now')
  await expect(pane.getByRole('textbox', { name: 'Note' })).toHaveValue('Call at five')
  await page.getByRole('group', { name: 'Filter conversations' }).getByText('Open', { exact: true }).click()
  await expect(row(/491701234567/)).toBeVisible()
  await expect(row(/Ada Lovelace/)).toBeHidden()
  await page.keyboard.press('e')
  await expect(row(/Ada Lovelace/)).toBeVisible()
  await expect(pane.getByRole('textbox', { name: 'Note' })).toHaveValue('Call at five')

  // A conversation read under the unread filter keeps its place until you leave it.
  await open('/inbox?show=unread')
  await expect(row(/491701234567/)).toBeVisible()
  // The rows move when the filter applies.
  await expect(row(/Ada Lovelace/)).toBeHidden()
  await row(/491701234567/).click()
  await expect(page.getByRole('group', { name: 'Filter conversations' })).toContainText('Unread 1')
  await expect(row(/491701234567/)).toBeVisible()

  // A new contact starts with the number.
  await page.getByRole('link', { name: 'Add contact' }).click()
  const drawer = page.getByRole('complementary', { name: 'Contact' })
  await expect(drawer.getByLabel('Number', { exact: true })).toHaveValue('+491701234567')
  await expect(page).toHaveURL(/#\/contacts$/)
  await drawer.getByLabel('Name', { exact: true }).fill('Emil')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Contact added.')).toBeVisible()
  await page.getByRole('button', { name: 'Back to conversation' }).click()
  await expect(page.getByRole('heading', { name: 'Emil' })).toBeVisible()
})

test('asks about possible opt-outs, and shows a new message on every page; an opt-out holds its sender', async ({
  page,
  open,
  console,
}) => {
  await open('/overview')
  const attention = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
  await attention.filter({ hasText: '1 possible opt-out' }).getByRole('link', { name: 'Review' }).click()
  const filters = page.getByRole('group', { name: 'Filter conversations' })
  await expect(filters).toContainText('Possible opt-outs 1')
  const row = page.getByRole('grid', { name: 'Conversations' }).getByRole('row', { name: /Grace Hopper/ })
  await expect(row).toContainText('Possible opt-out')
  await row.click()
  const pane = page.getByRole('region', { name: 'Grace Hopper', exact: true })
  const message = pane.getByRole('listitem').filter({ hasText: 'Stop texting' })
  await expect(message).toContainText('Possible opt-out')
  const asked = pane.getByRole('group', { name: 'Possible opt-out' })
  await asked.getByRole('button', { name: 'Not an opt-out' }).focus()
  await page.keyboard.press('Tab')
  await expect(asked.getByRole('button', { name: 'Keep on hold' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(asked).toBeHidden()
  await expect(filters).toContainText('Possible opt-outs 0')
  await filters.getByText('All', { exact: true }).click()
  await expect(row).toContainText('On hold')

  const from = '+14155550177'
  await open('/overview')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  const { state } = await console.rpc.inbox.list({})
  await console.rpc.inbox.markAllRead(state)
  await expect(page.getByRole('link', { name: 'Inbox', exact: true })).toBeVisible()
  await deliver(console, from, 'When do you open?')
  await page.getByRole('link', { name: 'Inbox 1 unread' }).click()
  await page.getByRole('row', { name: /\+14155550177/ }).click()
  const messages = page.getByRole('region', { name: `Messages of ${from}` })
  await expect(messages.getByRole('listitem')).toHaveText([/When do you open/])
  await expect(page.getByRole('link', { name: 'Inbox', exact: true })).toBeVisible()

  // A message that arrives in the open conversation is read at once and puts the sender on hold.
  await deliver(console, from, 'Stop.')
  await expect(messages.getByRole('listitem')).toHaveText([/Stop\./, /When do you open/])
  await expect(page.getByRole('group', { name: 'About the sender' }).getByText('On hold')).toBeVisible()
  await expect.poll(async () => (await console.rpc.inbox.list({})).state.unread).toBe(0)
})

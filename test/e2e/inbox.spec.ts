import { createScriptedEvents, scriptedRow } from '../helpers/scripted-events.ts'
import type { Conversation } from '#contract/live/inbox.ts'
import { expect, inputOf, test } from './scripted-console.ts'

test('searches a national number, and says how to write it without matches', async ({ page, core }) => {
  core.extend('inbox.list', { items: [], total: 0 })
  await page.addInitScript(() => localStorage.setItem('switchboard.region', 'DE'))
  await core.open('/inbox')
  const field = page.getByRole('textbox', { name: 'Search conversations' })
  await field.fill('0170 / 12345')
  await expect(
    page.getByText('Searching as a national number (Germany), and for 17012345 anywhere.'),
  ).toBeVisible()
  await expect(page.getByText('No matching conversations')).toBeVisible()
  await expect(page.getByText('Add the country code, for example')).toBeVisible()
  const asked = () => inputOf(core, 'inbox.list')
  await expect.poll(asked).toMatchObject({ text: '0170 / 12345', region: 'DE' })
  await field.fill('+49170')
  await expect(page.getByText('Searching as a national number')).toHaveCount(0)
  await expect.poll(asked).toMatchObject({ text: '+49170' })
  expect(asked()).not.toHaveProperty('region')
})

test('shows sent messages with their reports, in order of time', async ({ page, core }) => {
  const report = { messageId: 'm-7', status: 'failed', errorCode: 2, number: '+14155550101' }
  core.change({
    events: createScriptedEvents([
      scriptedRow(1, Date.now() - 400_000, {
        ...report,
        messageId: 'elsewhere',
        status: 'delivered',
        errorCode: null,
      }),
      scriptedRow(2, Date.now(), report),
    ]).answers,
  })
  core.extend('inbox.get', {
    sent: [
      {
        author: null,
        itemId: 7,
        messageId: 'm-7',
        batchId: 'b-1',
        batchTitle: '“Order status” to 2 recipients',
        templateName: 'Order status',
        text: 'It is on its way.',
        state: 'done',
        serviceStatus: 'delivered',
        queuedAt: new Date().toISOString(),
        endedAt: new Date().toISOString(),
      },
    ],
  })
  await core.open('/inbox')
  await page
    .getByRole('grid', { name: 'Conversations' })
    .getByRole('row', { name: /Ada Lovelace/ })
    .click()
  const pane = page.getByRole('region', { name: 'Ada Lovelace', exact: true })
  await expect(pane.getByRole('listitem')).toHaveText([
    /It is on its way\..*Sent.*“Order status” to 2 recipients.*Failed.*Code 2: Destination unreachable/,
    /Never mind, it came!/,
    /Sent by the service.*Delivered.*Open message/,
    /Is my order on its way/,
  ])
  await pane
    .getByTestId('sent')
    .getByRole('link', { name: /^Request, .*\d:\d\d/ })
    .click()
  await expect(page).toHaveURL(/outbox\?batch=b-1&text=m-7/)
})

test('says when a colleague takes over a conversation, and why one can’t be read', async ({ page, core }) => {
  const { conversation } = (await core.day.script.inbox.get(
    { sender: '14155550101', limit: 1 },
    undefined,
  )) as {
    conversation: Conversation
  }
  const assignedTo = (by: string | null) =>
    core.extend('inbox.get', {
      conversation: { ...conversation, work: { state: 'assigned', by, at: conversation.last.receivedAt } },
    })
  assignedTo(null)
  await core.open('/inbox?sender=14155550101')
  const pane = page.getByRole('region', { name: 'Ada Lovelace', exact: true })
  await expect(pane.getByText(/Assigned · You/)).toBeVisible()
  assignedTo('Ben')
  await pane.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Ben took over the conversation with Ada Lovelace.')).toBeVisible()
  core.restore('inbox.get')
  await core.open('/inbox?sender=1')
  await expect(page.getByRole('alert').filter({ hasText: 'This conversation' })).toBeVisible()
})

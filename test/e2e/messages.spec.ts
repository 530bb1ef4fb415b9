import { AppError } from '#contract/errors.ts'
import type { MessageDetail } from '#contract/views/messages.ts'
import { viewOf } from '#electron/core/platform/rpc/errors.ts'
import type { Page } from '@playwright/test'
import { ago, hourMs, minuteMs } from '../helpers/scripted/broadcast.ts'
import { aDetail, aMessage, aRelease, aReport, notFound } from '../helpers/scripted/messages.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

const table = (page: Page) => page.getByRole('grid', { name: /^Messages/ })
const drawer = (page: Page) => page.getByRole('complementary', { name: 'Message' })
const total = (page: Page) => page.getByTestId('messages-total')
const unreachable = viewOf(new AppError('SERVICE_UNREACHABLE', { host: 'api.example', detail: 'no route' }))
const waits = viewOf(new AppError('SENDS_WAIT_FOR_INBOUND', { state: { key: 'inbound.relay' } }))

/** A message whose delivery reports are ahead of its record. */
const contradicted = (): MessageDetail => {
  const record = aMessage({
    id: 'msg-9',
    status: 'pending',
    createdAt: ago(20 * minuteMs),
    sentAt: null,
    deliveredAt: null,
    updatedAt: null,
  })
  const delivered = aReport({
    messageId: 'msg-9',
    seq: 8,
    serviceTime: ago(4 * minuteMs),
    receivedAt: ago(4 * minuteMs),
    copies: 2,
  })
  const failed = aReport({
    messageId: 'msg-9',
    seq: 7,
    status: 'failed',
    errorCode: 2,
    serviceTime: ago(9 * minuteMs),
    receivedAt: ago(3 * minuteMs),
  })
  return aDetail(record, {
    events: [
      { event: failed, copies: [{ receivedAt: failed.receivedAt, afterFirstMs: 0 }] },
      {
        event: delivered,
        copies: [
          { receivedAt: delivered.receivedAt, afterFirstMs: 0 },
          { receivedAt: ago(4 * minuteMs - 5_000), afterFirstMs: 5_000 },
        ],
      },
    ],
    eventStatus: 'delivered',
    contradictions: [
      { kind: 'ahead', recordSays: 'pending', eventSays: 'delivered', eventSeq: 8, isNewer: false },
    ],
    releases: [
      aRelease({
        messageId: 'msg-9',
        state: 'unknown',
        statusAfter: null,
        serviceText: null,
        at: ago(15 * minuteMs),
      }),
    ],
  })
}

test('finds a message’s request, also one that gets its ID later, or says why it can’t', async ({
  page,
  core,
}) => {
  const { sentAs } = core.day.script.templates
  core.change({
    templates: {
      sentAs: () => {
        throw new AppError('STORAGE_BUSY')
      },
    },
  })
  await core.open('/messages?id=msg-9')
  await expect(drawer(page)).toContainText('STORAGE_BUSY')
  core.extend('templates.sentAs', { message: null })
  await drawer(page).getByRole('button', { name: 'Retry' }).click()
  const origin = drawer(page).getByTestId('origin')
  await expect(origin).toHaveText('No request in the Outbox has this ID')
  core.change({ templates: { sentAs: () => sentAs({ messageId: 'msg-8' }, undefined) } })
  core.day.outbox.setDeletions([])
  await expect(origin.getByRole('link', { name: /^Request, / })).toBeVisible()
})

test('looks up pasted ids, each with its own result', async ({ page, core }) => {
  core.change({
    messages: {
      get: ({ id }) => {
        if (id === 'msg-slow') return { ...notFound(id), outcome: 'failed', problem: unreachable }
        return id === 'msg-none' || id.startsWith('0')
          ? notFound(id)
          : aDetail(aMessage({ id, status: 'parked_by_carrier' }))
      },
    },
  })
  await core.open('/messages')
  await expect(total(page)).toHaveText('100 of 342 loaded')
  await page.keyboard.press('/')
  const ids = page.getByLabel('Search, or paste message IDs')
  await expect(ids).toBeFocused()
  await ids.fill('msg-a, msg-none\n"msg-slow" msg-a')
  await expect(page.getByText('3 IDs, 1 duplicate')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(total(page)).toHaveText('3 IDs looked up')
  const found = page.getByRole('grid', { name: 'Messages looked up' })
  await expect(found.getByRole('row').nth(1)).toContainText('parked_by_carrier')
  await expect(found.getByRole('row').nth(2)).toContainText('Not found')
  await expect(found.getByRole('row').nth(3)).toContainText('Can’t reach')
  expect(inputsOf(core, 'messages.get').map((input) => (input as { id: string }).id)).toEqual([
    'msg-a',
    'msg-none',
    'msg-slow',
  ])
  await found.getByText('msg-none').click()
  await expect(drawer(page)).toContainText('“the message does not exist”. Check the ID and the connection.')
  await expect(page).toHaveURL(/id=msg-none/)
  await ids.fill('07911 000200')
  await ids.press('Enter')
  await expect(drawer(page)).toContainText('Looks like a number.')
  await drawer(page).getByRole('link', { name: 'Find in Outbox' }).click()
  await expect(page).toHaveURL(/outbox\?text=07911/)
})

test('shows API record, reports and releases in one timeline, and contradictions', async ({ page, core }) => {
  core.change({ messages: { get: contradicted } })
  await core.open('/messages?id=msg-9')
  await expect(drawer(page)).toContainText(
    'API record: Pending. Delivery report: Delivered. The record is newer.',
  )
  await expect(drawer(page)).toContainText('A delivery report shows it was already released.')
  const steps = drawer(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('time') })
  await expect(steps).toHaveText([
    /Created.*API/,
    /Unconfirmed.*Switchboard/,
    /Failed.*Report/,
    /Delivered.*Report/,
  ])
  await expect(steps.nth(2)).toContainText('received 6 min later')
  await expect(steps.nth(3)).toContainText('Received 2 times · 5 s later')
  await expect(drawer(page).getByText('0.0312 · currency not given')).toBeVisible()
  await expect(drawer(page).getByText('provider_message_id')).toBeHidden()
  await drawer(page).getByText('All API fields').click()
  await expect(drawer(page).getByText('provider_message_id')).toBeVisible()
  await expect(drawer(page).getByRole('link', { name: /^(Contact|Add contact)$/ })).toHaveAttribute(
    'href',
    /#\/contacts\?(text|new)=(%2B|\+)15552000001/,
  )
  const code = steps.nth(2).getByRole('button', { name: /Code 2/ })
  await expect(code).toHaveClass(/bad/)
  await code.click()
  await expect(page.getByRole('dialog', { name: 'Error code 2' })).toContainText('Destination unreachable')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Error code 2' })).toBeHidden()
  await expect(drawer(page)).toBeVisible()

  // Without the service, the last answer stays, with its age.
  const kept = { asOf: ago(3 * hourMs), source: 'cache' as const, error: unreachable }
  core.change({
    messages: {
      get: () => ({ ...contradicted(), outcome: 'last-known', freshness: kept, problem: unreachable }),
    },
  })
  await drawer(page).getByRole('button', { name: 'Refresh message' }).click()
  await expect(drawer(page)).toContainText('Last updated 3 h ago')
  await expect(drawer(page).getByRole('status').filter({ hasText: 'Couldn’t refresh' })).toBeVisible()
})

test('releases several messages with a result each, and no final ones', async ({ page, core }) => {
  await core.open('/messages')
  await expect(total(page)).toHaveText('100 of 342 loaded')
  const delivered = table(page).getByRole('row').filter({ hasText: 'Delivered' }).first()
  await expect(delivered.getByRole('checkbox')).toHaveCount(0)
  await page.getByRole('button', { name: 'Status', exact: true }).click()
  await page.getByRole('button', { name: /^Queued/ }).click()
  await page.keyboard.press('Escape')
  await expect(total(page)).toHaveText('12 of 100 loaded match')
  await expect(page.getByText('Filters apply to loaded messages only.')).toBeVisible()
  // One was created just now, so it is in transit.
  await page.getByRole('button', { name: 'Select likely held (11)' }).click()
  core.change({
    messages: {
      planRelease: ({ messages: [first, ...others] }) => ({
        etaMs: 11_000,
        unknown: [],
        blocked: [{ id: first!.id, to: '+15552000001', reason: 'complaint' }],
        withoutNumber: others.length - 9,
        dncList: { state: 'fresh', asOf: ago(minuteMs), teamReadAt: null, waits },
      }),
    },
  })
  await page.getByRole('button', { name: 'Release 11…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Release 11 messages?' })
  await expect(dialog).toContainText('Takes about 11 s')
  await expect(dialog).toContainText('1 message is skipped, because its recipient mustn’t be contacted')
  await expect(dialog.getByRole('listitem')).toHaveText('+15552000001: complaint')
  await dialog.getByRole('textbox').fill('Acme production')
  const confirm = dialog.getByRole('button', { name: 'Release 10 messages' })
  await expect(confirm).toBeDisabled()
  await expect(dialog).toContainText('1 recipient has no number that can be checked.')
  await expect(dialog).toContainText('Messages wait because the relay can’t be read')
  await dialog.getByText('Send without a DNC check').click()
  core.change({
    messages: {
      releaseMany: () => ({ runId: 'run-1', taskId: 't-1' }),
      run: () => ({
        runId: 'run-1',
        taskId: 't-1',
        isRunning: false,
        isPaused: false,
        waits: null,
        startedAt: ago(minuteMs),
        releases: [
          aRelease({ seq: 1, messageId: 'm-1' }),
          aRelease({ seq: 3, messageId: 'm-3', state: 'unknown', statusAfter: null, serviceText: null }),
        ],
      }),
    },
  })
  await confirm.click()
  const results = page.getByRole('region', { name: 'Release' })
  await expect(results).toContainText('1 released, 1 unconfirmed')
  await expect(results.getByRole('listitem')).toHaveText([/Unconfirmed.*not retried/, /Released/])
  await expectAccessible(page)
  expect(inputsOf(core, 'messages.releaseMany')).toMatchObject([{ uncheckedKnowingly: true }])
})

test('opens a message from Live events, and goes back', async ({ page, core }) => {
  await core.open('/events')
  await page.getByRole('grid').getByRole('row').nth(1).click()
  await page.getByRole('link', { name: 'Open message' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Messages')
  await expect(drawer(page)).toContainText('“the message does not exist”. Check the ID and the connection.')
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live events')
  await page.getByRole('grid').getByRole('row').nth(1).click()
  await page.keyboard.press('m')
  await expect(page).toHaveURL(/messages\?id=msg-/)
})

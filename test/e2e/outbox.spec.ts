import type { ResendCheck } from '../../renderer/src/features/outbox/item-actions.ts'
import { outboxPage } from './pages/outbox-page.ts'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import { ago, createBroadcast, hourMs, minuteMs } from '../helpers/scripted/broadcast.ts'
import { idleDrain, ordinaryOutbox, outboxCounts, outboxItems } from '../helpers/scripted/outbox.ts'
import { expect, inputsOf, test } from './scripted-console.ts'

const probable = ({ id, phone }: { id: number; phone: string }) => ({
  id,
  phone,
  messageId: `m-${id}`,
  status: 'delivered',
  receivedAt: ago(minuteMs),
  blocked: false,
})

test('lists unconfirmed requests first, with their delivery reports, and offers to resend only the others', async ({
  page,
  core,
}) => {
  const [arrived, onHold] = outboxItems(2, 41, 'b-push', 'send-ott', () => 'unknown')
  const blocked = [{ id: onHold!.id, phone: onHold!.phone, reason: 'STOP' }]
  core.change({
    sendReports: {
      resendCheck: ({ selection }) => {
        const isOthers = 'exceptIds' in selection && selection.exceptIds?.includes(arrived!.id)
        const report = isOthers ? { ...probable(onHold!), blocked: true } : probable(arrived!)
        return { reports: [report], blocked, blockedCount: 1, more: true }
      },
    },
  })
  const outbox = outboxPage(page)
  await core.open('/outbox')
  await expect(outbox.sending).toContainText('148/min')
  await expect(page.getByText('6 unconfirmed requests')).toBeVisible()
  for (let at = 0; at < 6; at++) await expect(outbox.row(at)).toContainText('Unconfirmed')
  for (const at of [6, 7]) await expect(outbox.row(at)).toContainText('In flight')
  await expect(outbox.row(8)).toContainText('Can be undone')
  await expect(outbox.total).toHaveText('2,452 requests')
  await expect(page.getByText('1 of them has a delivery report, so it was probably sent.')).toBeVisible()
  await expect(outbox.row(5)).toContainText(/Probably sent: Delivered \d/)
  for (const [name, title, says] of [
    ['Mark 1 as sent…', 'Mark this request as created?', 'It has a delivery report for its number.'],
    ['Discard the other 5…', 'Discard 5 requests?', 'Nothing is sent.'],
  ] as const) {
    await page.getByRole('button', { name }).click()
    await expect(outbox.dialog).toContainText(says)
    await expect(outbox.dialog.getByRole('heading', { name: title })).toBeVisible()
    await expect(outbox.dialog.getByRole('checkbox')).toHaveCount(0)
    await expect(outbox.dialog).not.toContainText('skipped')
    await page.keyboard.press('Escape')
  }
  await page.getByRole('button', { name: 'Resend the other 5…' }).click()
  await expect(outbox.dialog).toContainText('this creates a duplicate')
  await expect(outbox.dialog).not.toContainText('may have arrived')
  await expect(outbox.dialog).toContainText(`1 request is skipped, because its number mustn’t be contacted:`)
  await expect(outbox.dialog).toContainText('Only the first 10,000 requests were checked')
  await expect(outbox.dialog).toContainText('Resend all selected requests?')
  const confirm = outbox.dialog.getByRole('button', { name: 'Resend' })
  await expect(confirm).toBeDisabled()
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await confirm.click()
  await expect(page.getByText('6 queued to resend.')).toBeVisible()
  expect(inputsOf(core, 'outbox.resolve')).toEqual([
    {
      selection: { filter: { states: ['unknown'] }, exceptIds: [arrived!.id] },
      how: 'send-again',
      confirmName: 'Acme production',
    },
  ])
})

test('shows the service’s words on rejected requests and requeues them in bulk', async ({ page, core }) => {
  const outbox = outboxPage(page)
  await core.open('/outbox')
  await outbox.chip('Rejected').click()
  await expect(outbox.total).toHaveText('14 matching')
  await expect(outbox.row(0)).toContainText('“phone is not a mobile number”')
  await page.keyboard.press('a')
  await expect(outbox.selected).toContainText('All 14 selected')
  await expect(outbox.selected.getByRole('button', { name: 'Resend…' })).toHaveCount(0)
  await outbox.selected.getByRole('button', { name: 'Requeue' }).click()
  await expect(page.getByText('14 requeued.')).toBeVisible()
})

test('undoes a batch within its undo window, after a failed attempt too', async ({ page, core }) => {
  core.fail('outbox.undo', 'STORAGE_BUSY')
  const outbox = outboxPage(page)
  await core.open('/outbox')
  await expect(outbox.batches).toContainText(/Undo \(\d+ s\)/)
  const undoing = outbox.batches.getByRole('button', { name: 'Undo Deletion of 12 contacts' })
  await undoing.click()
  await expect(page.getByRole('alert').filter({ hasText: 'STORAGE_BUSY' })).toBeVisible()
  core.restore('outbox.undo')
  await undoing.click()
  await expect(page.getByText('12 contacts restored.')).toBeVisible()
  expect(inputsOf(core, 'outbox.undo').at(-1)).toEqual({ batchId: 'b-delete' })
})

test('says why messages wait, and sends them anyway', async ({ page, core }) => {
  const problem = {
    code: 'SENDS_WAIT_FOR_INBOUND' as const,
    acted: 'no' as const,
    data: { state: { key: 'inbound.secret' as const } },
  }
  const drain = createBroadcast(idleDrain({ state: 'waiting', problem, counts: outboxCounts({ queued: 2 }) }))
  core.change({ outbox: { watch: (_input, signal) => drain.watch(signal) } })
  const outbox = outboxPage(page)
  core.setStatus({ listener: { ...ordinaryStatus().listener, secretsNotKnown: ['https://hooks.example/'] } })
  await core.open('/outbox')
  await expect(outbox.sending).toContainText('Messages wait because a signing secret is missing')
  await expect(outbox.sending).toContainText('Missing: “https://hooks.example/”.')
  await expect(outbox.sending).not.toContainText(problem.code)
  await expect(outbox.sending.getByRole('link', { name: 'Signing secrets' })).toBeVisible()
  await outbox.sending.getByRole('button', { name: 'Send anyway…' }).click()
  await expect(outbox.dialog).toContainText('918 queued messages leave now. Someone who opted out')
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await outbox.dialog.getByRole('button', { name: 'Send anyway' }).click()
  await expect(outbox.dialog).toHaveCount(0)
  expect(inputsOf(core, 'outbox.sendAnyway')).toEqual([
    { problem: problem.data.state.key, confirmName: 'Acme production' },
  ])
})

test('checks an unconfirmed message for a delivery report and a block, and resends nothing unchecked', async ({
  page,
  core,
}) => {
  const none = { blocked: [], blockedCount: 0, more: false }
  const [item] = outboxItems(1, 7, 'b-old', 'send-ott', () => 'unknown')
  let check: ResendCheck = { ...none, reports: [{ ...probable(item!), status: 'submitted' }] }
  core.change({
    outbox: {
      list: ({ filter: { states = ['unknown'] } }) => ({
        items: states.includes('unknown') ? [item!] : [],
        total: 1,
        nextCursor: null,
        asOf: ago(0),
      }),
    },
    // Not among the first 10,000 that the list reads reports of.
    sendReports: { resendCheck: ({ reportsOnly }) => (reportsOnly ? { ...none, reports: [] } : check) },
  })
  const outbox = outboxPage(page)
  await core.open('/outbox')
  await outbox.row(0).click()
  await expect(outbox.details).toContainText(/Probably sent: Submitted .+This delivery report is for/)
  core.fail('sendReports.resendCheck', 'STORAGE_BUSY')
  const resend = outbox.details.getByRole('button', { name: 'Resend…' })
  await resend.click()
  const confirm = outbox.dialog.getByRole('button', { name: 'Resend' })
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await expect(outbox.dialog.getByRole('alert')).toContainText('STORAGE_BUSY')
  await expect(confirm).toBeDisabled()
  check = { ...none, reports: [probable(item!)] }
  core.change({ sendReports: { resendCheck: () => check } })
  await outbox.dialog.getByRole('button', { name: 'Retry' }).click()
  await expect(outbox.dialog).toContainText(/Probably sent: Delivered \d/)
  await expect(confirm).toBeEnabled()
  await page.keyboard.press('Escape')
  const { id, phone } = item!
  check = { reports: [], blocked: [{ id, phone, reason: 'STOP' }], blockedCount: 1, more: false }
  await resend.click()
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await expect(outbox.dialog.getByRole('heading', { name: 'This request is skipped' })).toBeVisible()
  await expect(outbox.dialog).toContainText('This request can’t be resent')
  await expect(outbox.dialog).not.toContainText('duplicate')
  await expect(confirm).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(outbox.details).toContainText('This request can’t be resent')
})

test('moves, starts or cancels sends that missed their start or wait for local hours', async ({
  page,
  core,
}) => {
  const { batches } = ordinaryOutbox()
  const counts = outboxCounts({ scheduled: 5 })
  const nextAt = new Date(2036, 0, 5, 9, 30).toISOString()
  const hours = { fromMinute: 540, toMinute: 1_200 }
  core.change({
    outbox: {
      batches: () => ({
        items: [
          { ...batches[1]!, counts, startAt: ago(hourMs), startMissed: true, hours },
          { ...batches[2]!, counts, waitsFor: { hours, nextAt, lastAt: nextAt } },
        ],
        nextCursor: null,
        counts: outboxCounts({ scheduled: 5 }),
      }),
    },
    sendReports: { toSkip: ({ batchId }) => ({ count: batchId === batches[1]!.id ? 2 : 0 }) },
  })
  const outbox = outboxPage(page)
  await core.open('/outbox')
  await expect(outbox.batches).toContainText('2 will be skipped: on the DNC list or on hold')
  await expect(outbox.batches).toContainText('Not sent in time. Start:')
  await expect(
    outbox.batches.getByRole('button', { name: 'Cancel send: Push of 2,400 contacts' }),
  ).toBeVisible()
  await outbox.batches.getByRole('button', { name: 'Change start of Push of 2,400 contacts' }).click()
  await expect(outbox.dialog).toContainText('Choose a time in the future.')
  await expect(outbox.dialog).toContainText('recipients’ local hours: 09:00 – 20:00.')
  await expect(outbox.dialog.getByRole('button', { name: 'Set start' })).toBeDisabled()
  await outbox.dialog.getByRole('button', { name: 'Start now' }).click()
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await page.keyboard.press('Enter')
  await expect(outbox.dialog).toBeHidden()
  await expect(outbox.batches).toContainText('Local hours. Next: 05 Jan, 09:30')
  await outbox.batches.getByRole('button', { name: 'Change start of Push of 40 contacts' }).click()
  await expect(outbox.dialog.getByLabel('Start time')).toHaveValue('2036-01-05T09:30')
  await expect(outbox.dialog.getByRole('button', { name: 'Start now' })).toHaveCount(0)
  await outbox.dialog.getByRole('textbox').last().fill('Acme production')
  await page.keyboard.press('Enter')
  await expect(outbox.dialog).toBeHidden()
  expect(inputsOf(core, 'outbox.setStart')).toEqual([
    { batchId: batches[1]!.id, at: null, confirmName: 'Acme production' },
    { batchId: batches[2]!.id, at: nextAt, confirmName: 'Acme production' },
  ])
  await outbox.batches.getByRole('button', { name: 'Cancel send: Push of 40 contacts' }).click()
  await outbox.dialog.getByRole('button', { name: 'Cancel requests' }).click()
  await expect(page.getByText('1 cancelled.')).toBeVisible()
})

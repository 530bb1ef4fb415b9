import { AppError } from '#contract/errors.ts'
import { connections } from '../helpers/scripted-answers.ts'
import { OutboxPage } from './pages/outbox-page.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

test('lists unconfirmed requests first, and warns of duplicates before it resends in production', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.sending).toContainText('148/min')
  await expect(page.getByText('6 unconfirmed requests')).toBeVisible()
  for (let at = 0; at < 6; at++) await expect(outbox.row(at)).toContainText('Unconfirmed')
  await expect(outbox.row(6)).toContainText('Undo window')
  await expect(outbox.total).toHaveText('2,452 requests')
  await page.setViewportSize({ width: 900, height: 700 })
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Resend all…' }).click()
  await expect(outbox.dialog).toContainText('this creates a duplicate')
  const confirm = outbox.dialog.getByRole('button', { name: 'Resend' })
  await expect(confirm).toBeDisabled()
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await confirm.click()
  await expect(page.getByText('6 queued to resend.')).toBeVisible()
  await expect(page.getByText(/unconfirmed requests?$/)).toHaveCount(0)
  expect(inputsOf(core, 'outbox.resolve')).toEqual([
    { selection: { filter: { states: ['unknown'] } }, how: 'send-again', confirmName: 'Acme production' },
  ])
})

test('marks an unconfirmed request as created, with its id, by keys alone', async ({ page, scripted }) => {
  const core = await scripted()
  core.setStatus({ connection: connections[2]! })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.row(0)).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(outbox.details).toContainText('didn’t confirm POST /contacts')
  await outbox.details.getByRole('button', { name: 'Mark as created…' }).press('Enter')
  await outbox.dialog.getByRole('textbox').fill('con-4711')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 marked as done.')).toBeVisible()
  expect(inputsOf(core, 'outbox.resolve')).toEqual([
    { selection: { ids: [46] }, how: 'mark-done', serviceId: 'con-4711' },
  ])
  await expect(page.getByText('5 unconfirmed requests')).toBeVisible()
})

test('shows the service’s words on rejected requests and requeues them in bulk', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await outbox.chip('Rejected').click()
  await expect(outbox.total).toHaveText('14 matching')
  await expect(outbox.row(0)).toContainText('“phone is not a mobile number”')
  await page.keyboard.press('a')
  await expect(outbox.selected).toContainText('All 14 selected')
  await expect(outbox.selected.getByRole('button', { name: 'Resend…' })).toHaveCount(0)
  await outbox.selected.getByRole('button', { name: 'Requeue' }).click()
  await expect(page.getByText('14 requeued.')).toBeVisible()
  await expect(page.getByText('No matching requests')).toBeVisible()
})

test('undoes a batch within its undo window, after a failed attempt too', async ({ page, scripted }) => {
  const core = await scripted()
  const { undo } = core.day.script.outbox
  core.change({
    outbox: {
      undo: () => {
        throw new AppError('STORAGE_BUSY')
      },
    },
  })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.batches).toContainText(/Undo \(\d+ s\)/)
  const undoing = outbox.batches.getByRole('button', { name: 'Undo Deletion of 12 contacts' })
  await undoing.click()
  await expect(page.getByRole('alert').filter({ hasText: 'STORAGE_BUSY' })).toBeVisible()
  core.change({ outbox: { undo } })
  await undoing.click()
  await expect(page.getByText('12 contacts restored.')).toBeVisible()
  await expect(outbox.batches.getByRole('button', { name: /^Undo/ })).toHaveCount(0)
  await expect(outbox.batches.getByRole('button', { name: /^Deletion of 12 contacts/ })).toContainText(
    'undone',
  )
  expect(inputsOf(core, 'outbox.undo').at(-1)).toEqual({ batchId: 'b-delete' })
})

test('filters the list by batch and text, and keeps both in the address', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await outbox.batches.getByRole('button', { name: /^Push of 40 contacts/ }).click()
  await expect(outbox.total).toHaveText('40 matching')
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search by name or number')).toBeFocused()
  await page.keyboard.type('grace')
  await expect(outbox.total).toHaveText('7 matching')
  await expect(page).toHaveURL(/batch=b-old&text=grace/)
  await page.reload()
  await expect(outbox.total).toHaveText('7 matching')
  await outbox
    .row(0)
    .getByText(/^Grace Hopper/)
    .click()
  await expect(outbox.details).toContainText('Push of 40 contacts')
})

test('says how old it is while disconnected, and does not claim to send without the service', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.row(0)).toBeVisible()
  core.unplug()
  await expect(page.getByText(/last updated/i).first()).toBeVisible()
  await expect(outbox.row(0)).toBeVisible()
  core.plugIn()
  await expect(page.locator('h1 + .age, .age').first()).toContainText('Updated')
  await expect(outbox.sending).toContainText('148/min')
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem: null } })
  await expect(outbox.sending).toContainText('Offline')
  await expect(outbox.sending).not.toContainText('/min')
})

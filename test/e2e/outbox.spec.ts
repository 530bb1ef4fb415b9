import { AppError } from '#contract/errors.ts'
import { connections } from '../helpers/scripted-answers.ts'
import { outboxItems } from '../helpers/scripted/outbox.ts'
import { OutboxPage } from './pages/outbox-page.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

test('lists unconfirmed requests first, loudly and accessibly', async ({ page, scripted }) => {
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
})

test('warns of duplicates and asks for the production name before it resends', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
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

test('asks before it cancels requests, and says which were skipped', async ({ page, scripted }) => {
  const core = await scripted({ outbox: { cancel: () => ({ cancelled: 1, left: 1 }) } })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url, '?state=queued')
  await expect(outbox.row(0)).toBeVisible()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await expect(outbox.selected).toContainText('2 selected')
  await outbox.selected.getByRole('button', { name: 'Cancel…' }).click()
  await expect(outbox.dialog.getByRole('button', { name: 'Keep' })).toBeVisible()
  await outbox.dialog.getByRole('button', { name: 'Cancel requests' }).click()
  await expect(page.getByText('1 cancelled. 1 skipped: its status had changed.')).toBeVisible()
})

test('undoes a batch within its undo window', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.batches).toContainText(/Undo \(\d+ s\)/)
  await outbox.batches.getByRole('button', { name: 'Undo Deletion of 12 contacts' }).click()
  await expect(page.getByText('12 contacts restored.')).toBeVisible()
  await expect(outbox.batches.getByRole('button', { name: /^Undo/ })).toHaveCount(0)
  await expect(outbox.batches.getByRole('button', { name: /^Deletion of 12 contacts/ })).toContainText(
    'undone',
  )
  expect(inputsOf(core, 'outbox.undo')).toEqual([{ batchId: 'b-delete' }])
})

test('says when an undo came too late', async ({ page, scripted }) => {
  const core = await scripted({
    outbox: {
      undo: () => {
        throw new AppError('NOT_FOUND', { what: 'This batch' })
      },
    },
  })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await outbox.batches.getByRole('button', { name: /^Undo/ }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'NOT_FOUND' })).toBeVisible()
})

test('pauses and resumes sending, and says why nothing is sent', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await page.getByRole('button', { name: 'Pause sending' }).click()
  await expect(outbox.sending).toContainText('Nothing is sent until you resume.')
  await page.getByRole('button', { name: 'Resume sending' }).click()
  await expect(outbox.sending).toContainText('Sending')
  for (const [state, words] of [
    ['offline', 'Service unreachable.'],
    ['signed-out', 'Sign in to continue.'],
    ['rate-limited', 'Rate limit reached.'],
  ] as const) {
    core.day.outbox.setDrain({ state, ratePerMinute: null, etaMs: null })
    await expect(outbox.sending).toContainText(words)
  }
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

test('updates the listed requests as they change', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url, '?batch=b-new')
  await expect(page.getByText('No matching requests')).toBeVisible()
  core.day.outbox.setItems(outboxItems(3, 9_000, 'b-new', 'create-contact', () => 'queued'))
  await expect(outbox.row(2)).toContainText('Queued')
  core.day.outbox.setItems(outboxItems(3, 9_000, 'b-new', 'create-contact', () => 'done'))
  await expect(outbox.row(2)).toContainText('Done')
})

test('scrolls ten thousand requests with few of them in the document', async ({ page, scripted }) => {
  const core = await scripted()
  core.day.outbox.setItems(outboxItems(10_000, 1, 'b', 'create-contact', () => 'done'))
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.total).toHaveText('10,000 requests')
  for (const loaded of ['500', '1,000', '1,500']) {
    await expect(page.getByText(`${loaded} loaded`, { exact: true })).toBeVisible()
    await outbox.list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  }
  expect(await outbox.list.getByRole('row').count()).toBeLessThan(80)
})

test('says how much is in the undo window, and until when', async ({ page, scripted }) => {
  const core = await scripted()
  core.day.outbox.setItems(outboxItems(12, 1, 'b-delete', 'delete-contact', () => 'held-back'))
  core.day.outbox.setDrain({
    state: 'idle',
    ratePerMinute: null,
    etaMs: null,
    heldUntil: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.sending).toContainText('Undo window')
  await expect(outbox.sending).toContainText(/[\d,]+ requests in the undo window\. First sent in \d/)
  await expect(outbox.sending).not.toContainText('Idle')
})

test('explains an empty outbox and a failed reading', async ({ page, scripted }) => {
  const core = await scripted({ outbox: { batches: () => ({ items: [], nextCursor: null }) } })
  core.day.outbox.setItems([])
  core.day.outbox.setDrain({ state: 'idle', ratePerMinute: null, etaMs: null })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(page.getByText('Outbox is empty', { exact: true })).toBeVisible()
  await expect(outbox.sending).toContainText('Idle')
  await expectAccessible(page)
  core.change({
    outbox: {
      list: () => {
        throw new AppError('STORAGE_BUSY')
      },
    },
  })
  await outbox.open(core.url, '?state=done')
  await expect(page.getByRole('alert').filter({ hasText: 'STORAGE_BUSY' })).toBeVisible()
})

test('says how old it is while disconnected', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.row(0)).toBeVisible()
  core.unplug()
  await expect(page.getByText(/last updated/i).first()).toBeVisible()
  await expect(outbox.row(0)).toBeVisible()
  core.plugIn()
  await expect(page.locator('h1 + .age, .age').first()).toContainText('Updated')
})

test('does not claim to send while the service is unreachable', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.sending).toContainText('148/min')
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem: null } })
  await expect(outbox.sending).toContainText('Offline')
  await expect(outbox.sending).not.toContainText('/min')
  core.setStatus({ network: { reachable: true, lastAnswerAt: null, problem: null } })
  await expect(outbox.sending).toContainText('148/min')
})

test('opens another page while a typed search is pending', async ({ page, scripted }) => {
  await page.clock.install()
  const core = await scripted()
  const outbox = new OutboxPage(page)
  let letIn = () => {}
  const gate = new Promise<void>((resolve) => (letIn = resolve))
  await page.route('**/ContactsView*.js', async (route) => {
    await gate
    await route.continue()
  })
  await outbox.open(core.url)
  await expect(outbox.row(0)).toBeVisible()
  const asked = page.waitForRequest('**/ContactsView*.js')
  await page.getByLabel('Search by name or number').fill('ada')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Contacts' }).click()
  await asked
  await page.clock.runFor(1_000)
  letIn()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contacts')
})

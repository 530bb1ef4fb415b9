import { AppError } from '#contract/errors.ts'
import { connections } from '../helpers/scripted-answers.ts'
import { outboxItems } from '../helpers/scripted/outbox.ts'
import { OutboxPage } from './pages/outbox-page.ts'
import { expect, expectAccessible, test } from './scripted-console.ts'

const inputsOf = (core: { calls: readonly { name: string; input: unknown }[] }, name: string) =>
  core.calls.filter((call) => call.name === name).map(({ input }) => input)

test('unknown outcomes stand first and loud, and the page holds no barrier', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.sending).toContainText('148 a minute')
  await expect(page.getByText('6 requests have an unknown outcome: you decide')).toBeVisible()
  for (let at = 0; at < 6; at++) await expect(outbox.row(at)).toContainText('Unknown outcome')
  await expect(outbox.row(6)).toContainText('Can be undone')
  await expect(outbox.total).toHaveText('2,452 in all')
  await expectAccessible(page)
  await page.setViewportSize({ width: 900, height: 700 })
  await expectAccessible(page)
})

test('sending again warns of doubles, asks for the production name, and only then sends', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await page.getByRole('button', { name: 'Send all again…' }).click()
  await expect(outbox.dialog).toContainText('is then there twice')
  const confirm = outbox.dialog.getByRole('button', { name: 'Send again' })
  await expect(confirm).toBeDisabled()
  await expectAccessible(page)
  await outbox.dialog.getByRole('textbox').fill('Acme production')
  await confirm.click()
  await expect(page.getByText('6 queued to be sent again.')).toBeVisible()
  await expect(page.getByText('have an unknown outcome')).toHaveCount(0)
  expect(inputsOf(core, 'outbox.resolve')).toEqual([
    { selection: { filter: { states: ['unknown'] } }, how: 'send-again', confirmName: 'Acme production' },
  ])
})

test('one unknown is marked as created with the id that was found, by keys alone', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  core.setStatus({ connection: connections[2]! })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.row(0)).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(outbox.details).toContainText('did not confirm POST /contacts')
  await outbox.details.getByRole('button', { name: 'Mark as created…' }).press('Enter')
  await outbox.dialog.getByRole('textbox').fill('con-4711')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 marked as done.')).toBeVisible()
  expect(inputsOf(core, 'outbox.resolve')).toEqual([
    { selection: { ids: [46] }, how: 'mark-done', serviceId: 'con-4711' },
  ])
  await expect(page.getByText('5 requests have an unknown outcome')).toBeVisible()
})

test('rejected ones show the service’s words and are queued again in bulk', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await outbox.chip('Rejected').click()
  await expect(outbox.total).toHaveText('14 match')
  await expect(outbox.row(0)).toContainText('“phone is not a mobile number”')
  await page.keyboard.press('a')
  await expect(outbox.chosen).toContainText('All 14 matching chosen')
  await expect(outbox.chosen.getByRole('button', { name: 'Send again…' })).toHaveCount(0)
  await outbox.chosen.getByRole('button', { name: 'Queue again' }).click()
  await expect(page.getByText('14 queued again.')).toBeVisible()
  await expect(page.getByText('No item matches')).toBeVisible()
})

test('chosen items are cancelled after a question, and those that left meanwhile are told', async ({
  page,
  scripted,
}) => {
  const core = await scripted({ outbox: { cancel: () => ({ cancelled: 1, left: 1 }) } })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url, '?state=queued')
  await expect(outbox.row(0)).toBeVisible()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await expect(outbox.chosen).toContainText('2 chosen')
  await outbox.chosen.getByRole('button', { name: 'Cancel…' }).click()
  await expect(outbox.dialog.getByRole('button', { name: 'Keep them' })).toBeVisible()
  await outbox.dialog.getByRole('button', { name: 'Cancel requests' }).click()
  await expect(page.getByText('1 taken back. 1 was left as it was')).toBeVisible()
})

test('a batch is undone while its grace time lasts', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.batches).toContainText(/Leaves in \d+ s/)
  await outbox.batches.getByRole('button', { name: 'Undo Deletion of 12 contacts' }).click()
  await expect(page.getByText('12 contacts brought back.')).toBeVisible()
  await expect(outbox.batches.getByRole('button', { name: /^Undo/ })).toHaveCount(0)
  await expect(outbox.batches.getByRole('button', { name: /^Deletion of 12 contacts/ })).toContainText(
    'taken back',
  )
  expect(inputsOf(core, 'outbox.undo')).toEqual([{ batchId: 'b-delete' }])
})

test('an undo that came too late says so', async ({ page, scripted }) => {
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

test('sending is paused and resumed, and why nothing is sent is said', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await page.getByRole('button', { name: 'Pause sending' }).click()
  await expect(outbox.sending).toContainText('You paused it.')
  await page.getByRole('button', { name: 'Resume sending' }).click()
  await expect(outbox.sending).toContainText('Sending')
  for (const [state, words] of [
    ['offline', 'The service cannot be reached.'],
    ['signed-out', 'Nobody is signed in'],
    ['rate-limited', 'are used up'],
  ] as const) {
    core.day.outbox.setDrain({ state, ratePerMinute: null, etaMs: null })
    await expect(outbox.sending).toContainText(words)
  }
})

test('a batch and a text narrow the list, and the address keeps them', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await outbox.batches.getByRole('button', { name: /^Push of 40 contacts/ }).click()
  await expect(outbox.total).toHaveText('40 match')
  await page.keyboard.press('/')
  await expect(page.getByLabel('Part of a name or number')).toBeFocused()
  await page.keyboard.type('grace')
  await expect(outbox.total).toHaveText('7 match')
  await expect(page).toHaveURL(/batch=b-old&text=grace/)
  await page.reload()
  await expect(outbox.total).toHaveText('7 match')
  await outbox
    .row(0)
    .getByText(/^Grace Hopper/)
    .click()
  await expect(outbox.details).toContainText('Push of 40 contacts')
})

test('what changes is read again where it is looked at', async ({ page, scripted }) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url, '?batch=b-new')
  await expect(page.getByText('No item matches')).toBeVisible()
  core.day.outbox.setItems(outboxItems(3, 9_000, 'b-new', 'create-contact', () => 'queued'))
  await expect(outbox.row(2)).toContainText('Queued')
  core.day.outbox.setItems(outboxItems(3, 9_000, 'b-new', 'create-contact', () => 'done'))
  await expect(outbox.row(2)).toContainText('Done')
})

test('ten thousand items are scrolled without holding them all in the document', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  core.day.outbox.setItems(outboxItems(10_000, 1, 'b', 'create-contact', () => 'done'))
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.total).toHaveText('10,000 in all')
  for (let round = 0; round < 4; round++) {
    await outbox.list.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    await expect(outbox.list.getByText('Loading more…')).toHaveCount(1)
  }
  expect(await outbox.list.getByRole('row').count()).toBeLessThan(80)
})

test('what is held back is said with when it leaves and that it can be undone', async ({
  page,
  scripted,
}) => {
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
  await expect(outbox.sending).toContainText('Held back')
  await expect(outbox.sending).toContainText(/[\d,]+ requests are held back\. The first leaves in \d/)
  await expect(outbox.sending).toContainText('until then its batch can be undone')
  await expect(outbox.sending).not.toContainText('Nothing to send')
  await expectAccessible(page)
})

test('an empty outbox says what goes through it, and a failed reading why', async ({ page, scripted }) => {
  const core = await scripted({ outbox: { batches: () => ({ items: [], nextCursor: null }) } })
  core.day.outbox.setItems([])
  core.day.outbox.setDrain({ state: 'idle', ratePerMinute: null, etaMs: null })
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(page.getByText('Nothing was queued yet', { exact: true })).toBeVisible()
  await expect(outbox.sending).toContainText('Nothing to send')
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

test('while the way to the core is broken the page says how old it is', async ({ page, scripted }) => {
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

test('while the service is out of reach the outbox does not say that it sends', async ({
  page,
  scripted,
}) => {
  const core = await scripted()
  const outbox = new OutboxPage(page)
  await outbox.open(core.url)
  await expect(outbox.sending).toContainText('148 a minute')
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem: null } })
  await expect(outbox.sending).toContainText('Waiting for the network')
  await expect(outbox.sending).not.toContainText('a minute')
  core.setStatus({ network: { reachable: true, lastAnswerAt: null, problem: null } })
  await expect(outbox.sending).toContainText('148 a minute')
})

test('a page that is on its way when a typed text was to be applied is not called off', async ({
  page,
  scripted,
}) => {
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
  await page.getByRole('search').getByRole('textbox').fill('ada')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Contacts' }).click()
  await asked
  await page.clock.runFor(1_000)
  letIn()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contacts')
})

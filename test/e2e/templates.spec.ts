import type { Page } from '@playwright/test'
import type { SentMessage } from '#contract/people/sent.ts'
import { ago, dayMs } from '../helpers/scripted/broadcast.ts'
import { outboxItems } from '../helpers/scripted/outbox.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

/** The scripted connection, whose name must be typed. */
const production = 'Acme production'
const waits = {
  code: 'SENDS_WAIT_FOR_INBOUND' as const,
  acted: 'no' as const,
  data: { state: { key: 'inbound.token' as const } },
}
const known = (page: Page) => page.getByRole('grid', { name: 'Templates' })

test('lists templates with their status, and says what the API can’t do', async ({ page, core }) => {
  await core.open('/templates')
  await expect(page.getByText('The API can’t list or edit templates.')).toBeVisible()
  const row = (name: string) => known(page).getByRole('row').filter({ hasText: name })
  await expect(row('Order on its way')).toContainText('Active')
  await expect(row('Points balance')).toContainText('in_review')
  await expect(
    row('Points balance').getByRole('button', { name: 'Send Points balance', exact: true }),
  ).toBeEnabled()
  await expect(row('Begrüßung')).toContainText('Unconfirmed')
  await expect(row('Begrüßung').getByRole('button', { name: 'Send Begrüßung', exact: true })).toBeDisabled()
  await expect(row('Text unknown')).toHaveCount(1)
  await expect(row('Spring offer')).toContainText('Not found')
  await row('Spring offer').getByText('Spring offer').first().click()
  const drawer = page.getByRole('complementary', { name: 'Template' })
  await drawer.getByRole('button', { name: 'Remove from list' }).click()
  await expect.poll(() => inputsOf(core, 'templates.forget')).toEqual([{ key: 2 }])
})

test('says on the tabs for sending that their lists can’t be read, until they can', async ({
  page,
  core,
}) => {
  for (const [tab, call] of [
    ['?tab=one', 'templates.channels'],
    ['?tab=many', 'templates.sends'],
  ] as const) {
    core.fail(call, 'STORAGE_BUSY')
    await page.goto('about:blank')
    await core.open(`/templates${tab}`)
    await expect(page.getByRole('alert')).toContainText('busy')
    core.restore(call)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
})

test('previews a template while typing, keeps the draft over a restart, and repeats no unconfirmed creation', async ({
  page,
  core,
}) => {
  await core.open('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  const form = page.getByRole('form', { name: 'New template' })
  await expect(form.getByRole('button', { name: 'Cancel' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Next row' })).toHaveCount(0)
  await form.getByLabel('Name', { exact: true }).fill('Balance')
  const body = form.getByLabel('Text', { exact: true })
  await body.fill('Hi {{ name }}, {{points}} points {{')
  await expect(form.getByText('A {{ is not closed.')).toBeVisible()
  await expect(form.getByRole('button', { name: 'Create' })).toBeDisabled()
  await body.fill('Hi {{ name }}, {{points}} points')
  await form.getByLabel('Example for name').fill('Ada')
  await expect(form.getByTestId('preview')).toHaveText('Hi Ada, {{points}} points')
  await expect(form).toContainText('21 characters · about 1 segment')

  await core.open('/dnc')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Do not contact')
  await page.reload()
  // The router ignores an address set before the first page is shown.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Do not contact')
  await core.open('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  await expect(body).toHaveValue('Hi {{ name }}, {{points}} points')
  await form.getByRole('combobox', { name: 'Type of points' }).click()
  await page.getByRole('option', { name: 'number' }).click()
  await expect(form.getByTestId('preview')).toHaveText('Hi {{ name }}, {{points}} points')
  await form.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'New template' }).click()
  await expect(body).toHaveValue('')
  expect(inputsOf(core, 'templates.create')).toEqual([
    {
      name: 'Balance',
      body: 'Hi {{ name }}, {{points}} points',
      variables: [
        { name: 'name', type: 'string' },
        { name: 'points', type: 'number' },
      ],
    },
  ])

  core.fail('templates.create', 'OUTCOME_UNKNOWN', { host: 'service', call: 'POST /templates' })
  await form.getByLabel('Name', { exact: true }).fill('Other')
  await form.getByLabel('Text', { exact: true }).fill('Hello')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form).toContainText('It may have been done, so it wasn’t retried')
  await expect(form.getByLabel('Text', { exact: true })).toHaveValue('Hello')
  // An unconfirmed template blocks another with the same name and text.
  await form.getByLabel('Name', { exact: true }).fill('Begrüßung')
  await form.getByLabel('Text', { exact: true }).fill('Grüß Gott {{name}}, schön, dass Sie da sind! 🎁')
  await expect(form).toContainText('Creation unconfirmed.')
  await expect(form.getByRole('button', { name: 'Create' })).toBeDisabled()
  expect(inputsOf(core, 'templates.create')).toHaveLength(2)
})

test('keeps a single send over another page, warns of a repeat, asks for the name, and keeps a rejected number', async ({
  page,
  core,
}) => {
  const repeated: SentMessage = {
    author: null,
    itemId: 7,
    messageId: 'm-7',
    batchId: 'b-1',
    batchTitle: '“Points” to +442079460000',
    templateName: 'Points',
    text: 'Hi Ada, you have 12 points.',
    state: 'unknown',
    serviceStatus: null,
    queuedAt: new Date(Date.now() - 72 * 3_600_000).toISOString(),
    endedAt: new Date(Date.now() - 3 * 60_000).toISOString(),
  }
  core.change({ templates: { sentTo: () => ({ items: [repeated] }) } })
  await core.open('/templates?tab=one&template=5')
  const form = page.getByRole('form', { name: 'Single send' })
  await form.getByLabel('name', { exact: true }).fill('Ada')
  await form.getByLabel('points', { exact: true }).fill('12')
  await form.getByLabel('Number', { exact: true }).fill('+442079460000')
  await expect(form.getByTestId('repeat')).toContainText(
    'This template was already sent to this number 3 min ago (same text). You can still send it. Unconfirmed',
  )
  await expect(form.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
  core.change({
    templates: {
      sentTo: () => ({
        items: [{ ...repeated, author: 'Ana', itemId: null, batchId: null, state: 'done' }],
      }),
    },
  })
  await form.getByLabel('Number', { exact: true }).fill('+442079460001')
  await expect(form.getByTestId('repeat')).toHaveText(
    'Ana sent this template to this number 3 min ago. You can still send it.',
  )
  await page.getByRole('link', { name: 'Do not contact' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Do not contact')
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await page.getByRole('link', { name: 'Single send' }).click()
  await expect(form.getByLabel('points', { exact: true })).toHaveValue('12')
  await expect(form.getByLabel('Number', { exact: true })).toHaveValue('+442079460001')
  await expect(form.getByTestId('preview')).toHaveText('Hi Ada, you have 12 points.')
  await expect(form.getByTestId('repeat')).toBeVisible()

  let ended = false
  const { checkOffline } = core.day.script.dnc
  core.change({
    dnc: {
      async checkOffline(...asked) {
        const { verdicts, cache } = await checkOffline(...asked)
        return { verdicts, cache: { ...cache, waits } }
      },
    },
    outbox: {
      list: () => ({
        items: outboxItems(1, 40, 'b-old', 'send-ott', () => (ended ? 'rejected' : 'in-flight')),
        total: 1,
        nextCursor: null,
        asOf: new Date().toISOString(),
      }),
    },
  })
  const number = form.getByLabel('Number', { exact: true })
  await number.fill('+442079460000')
  await expect(form).toContainText('Messages wait because the token of the relay is missing')
  await form.getByRole('button', { name: 'Send', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Send to +442079460000?' })
  await expect(dialog).toContainText('Template ')
  await dialog.getByRole('textbox').fill(production)
  await page.keyboard.press('Enter')
  await expect(form.getByRole('status', { name: 'Result' })).toContainText('In flight')
  expect(inputsOf(core, 'templates.send')).toMatchObject([{ confirmName: production }])
  await expect(number).toHaveValue('')
  ended = true
  await expect(number).toHaveValue('+442079460000')
})

test('reads the numbers of a file as selected, and discards the file it replaces', async ({ page, core }) => {
  await core.open('/templates?template=6')
  await page.getByRole('link', { name: 'Bulk send' }).click()
  const form = page.getByRole('form', { name: 'Bulk send' })
  await expect(form.getByRole('combobox', { name: 'Template' })).toContainText('Order on its way')
  await form.getByRole('button', { name: 'File', exact: true }).click()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('customer,mobile\n') })
  await form.getByRole('button', { name: 'Filter', exact: true }).click()
  await form.getByRole('button', { name: 'File', exact: true }).click()
  await form.getByRole('button', { name: 'Change file' }).click()
  await expect.poll(() => inputsOf(core, 'files.discard')).toHaveLength(1)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('customer,mobile\n') })
  await form.getByRole('button', { name: 'Change', exact: true }).click()
  await form.getByRole('combobox', { name: 'Numbers without +' }).click()
  await page.keyboard.type('Austria')
  await page.getByRole('option', { name: 'Austria (AT)' }).click()
  await expectAccessible(page)
  await form.getByRole('combobox', { name: 'Value of order_number' }).click()
  await page.getByRole('option', { name: 'Column: order' }).click()
  await page.getByRole('button', { name: 'Dry run' }).click()
  const detail = page.getByRole('region', { name: 'Bulk send', exact: true })
  await expect(detail).toContainText('12,031 will get it, 449 are skipped')
  await expectAccessible(page)
  expect(inputsOf(core, 'templates.prepare')).toMatchObject([
    { source: { file: { region: 'AT', hasCountryCodes: false } } },
  ])
  // The dry run reads the second file.
  expect(inputsOf(core, 'files.discard')).toHaveLength(1)
})

test('finds a recipient in a dry run, asks for the name, and syncs an outdated DNC list first', async ({
  page,
  core,
}) => {
  const { sendOf } = core.day.script.templates
  const ofList = () =>
    inputsOf(core, 'dnc.sync').length > 0 ? {} : { state: 'stale' as const, asOf: ago(3 * dayMs) }
  core.change({
    templates: {
      async sendOf(...asked) {
        const shown = await sendOf(...asked)
        const { state } = shown.send
        const isQueueing = inputsOf(core, 'templates.queue').length > 0
        const send = { ...shown.send, sentBy: ['Ana'], state: isQueueing ? ('queueing' as const) : state }
        return { ...shown, dncList: { ...shown.dncList, waits, ...ofList() }, send }
      },
    },
  })
  await core.open('/templates?send=send-2')
  await expect(page.getByText('Messages wait because the token of the relay is missing')).toBeVisible()
  await expect(page.getByText('12,031 would get it unchecked, 449 are skipped')).toBeVisible()
  await page.getByTestId('sent-twice').getByRole('button', { name: 'Skip them' }).click()
  await expect.poll(() => inputsOf(core, 'templates.recount')).toEqual([{ id: 'send-2', skipReceived: true }])
  await page.getByLabel('Number or position').fill('40')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Recipient', exact: true })).toContainText('A-4039')
  await page.getByRole('button', { name: 'Send to 12,031 recipients…' }).click()
  const dialog = page.getByRole('dialog')
  for (const part of [
    'Send to 12,031 recipients?',
    'Order on its way',
    'WhatsApp',
    'After the wait ends',
    'by colleagues: Ana',
    'Messages wait',
    'outdated',
  ])
    await expect(dialog).toContainText(part)
  const send = dialog.getByRole('button', { name: 'Send', exact: true })
  const unchecked = dialog.getByText('Send without a DNC check')
  await unchecked.click()
  await expect(send, 'the connection is production').toBeDisabled()
  await dialog.getByRole('textbox').fill(production)
  await expect(send).toBeEnabled()
  await unchecked.click()
  await expect(send).toBeDisabled()
  await dialog.getByRole('button', { name: 'Sync first' }).click()
  await expect(dialog).not.toContainText('outdated')
  await expect(dialog.getByRole('textbox')).toHaveValue(production)
  await send.click()
  await expect(dialog).toBeHidden()
  expect(inputsOf(core, 'templates.queue')).toEqual([
    { id: 'send-2', willSend: 12_031, digest: 'd-1', uncheckedKnowingly: false, confirmName: production },
  ])
  // It is counted again first.
  await expect(page.getByRole('heading', { name: 'Result' })).toBeVisible()
})

test('says why nobody gets a send, that its count is outdated, and why another one failed instead of its old figures', async ({
  page,
  core,
}) => {
  const { sendOf, recount } = core.day.script.templates
  let isCountedAgain = false
  core.change({
    templates: {
      recount(...asked) {
        isCountedAgain = true
        return recount(...asked)
      },
      async sendOf(...asked) {
        const shown = await sendOf(...asked)
        const nobody = { ...shown.send.counts!, willSend: 0 }
        if (!isCountedAgain) return { ...shown, isOutdated: true, send: { ...shown.send, counts: nobody } }
        const problem = { code: 'SEND_PLAN_GONE' as const, acted: 'no' as const, data: {} }
        return { ...shown, send: { ...shown.send, state: 'failed', problem } }
      },
    },
  })
  await core.open('/templates?send=send-2')
  await expect(page.getByText('The DNC list or holds have changed since.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Skipped recipients' }), 'nobody gets it').toBeVisible()
  await page.getByRole('button', { name: 'Check again' }).click()
  await expect(page.getByText('This dry run has expired.')).toBeVisible()
  await expect(page.getByText('will get it')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Send to/ })).toHaveCount(0)
  await expect.poll(() => inputsOf(core, 'templates.recount')).toEqual([{ id: 'send-2' }])
})

test('shows the delivery reports of a send, and retries what certainly failed', async ({ page, core }) => {
  const { sendOf } = core.day.script.templates
  core.change({
    templates: {
      async sendOf(...asked) {
        const shown = await sendOf(...asked)
        const dncList = { ...shown.dncList, waits }
        return { ...shown, dncList, drain: { state: 'waiting', problem: waits } }
      },
    },
  })
  await core.open('/templates?tab=many&send=send-1')
  const result = page.getByRole('region', { name: 'Bulk send', exact: true })
  await expect(result).toContainText('Waiting')
  await expect(result).not.toContainText(waits.code)
  await expect(result.getByRole('link', { name: 'Listener settings' })).toBeVisible()
  await expect(result.getByRole('button', { name: 'Send anyway…' })).toBeVisible()
  const reports = page.getByRole('region', { name: 'Delivery reports' })
  await expect(reports).toContainText('2,480 of 3,001 accepted messages delivered')
  await expect(reports.getByRole('row').nth(1)).toContainText('Code 2: Destination unreachable')
  await expectAccessible(page)
  await reports.getByRole('button', { name: 'Retry 58 failed…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Retry 58 failed messages?' })
  await expect(dialog).toContainText('Messages wait because the token of the relay is missing')
  await dialog.getByRole('textbox').fill(production)
  await page.keyboard.press('Enter')
  await expect(page.getByText('57 failed messages requeued. 1 mustn’t be contacted.')).toBeVisible()
  expect(inputsOf(core, 'sendReports.retryFailed')).toEqual([
    { id: 'send-1', uncheckedKnowingly: false, confirmName: production },
  ])

  await result.getByRole('button', { name: 'Retry 20 rejected…' }).click()
  const rejected = page.getByRole('dialog', { name: 'Retry 20 rejected messages?' })
  await expect(rejected.getByRole('button', { name: 'Retry', exact: true })).toBeDisabled()
  expect(inputsOf(core, 'outbox.retryRejected')).toEqual([])
  await rejected.getByRole('textbox').fill(production)
  await page.keyboard.press('Enter')
  await expect(page.getByText('14 rejected messages requeued')).toBeVisible()
  expect(inputsOf(core, 'outbox.retryRejected')).toEqual([{ selection: { filter: { batchId: 'b-push' } } }])
})

test('sends to selected contacts, or to a saved filter of them, within local hours', async ({
  page,
  core,
}) => {
  await core.open('/contacts?tag=city%3DBerlin')
  const form = page.getByRole('form', { name: 'Bulk send' })
  await page.getByRole('grid').getByRole('checkbox').nth(1).click()
  await page.getByRole('button', { name: 'Send template…' }).click()
  await expect(form).toContainText('1 selected contact')
  await core.open('/contacts?tag=city%3DBerlin')
  await page.getByRole('button', { name: 'Saved filters' }).click()
  await page.getByLabel('Filter name').fill('Berlin')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('list', { name: 'Saved filters' })).toContainText('Berlin')
  await core.open('/templates?tab=many&template=6')
  await form.getByRole('button', { name: 'Filter', exact: true }).click()
  await form.getByRole('combobox', { name: 'Tags, key=value' }).click()
  await page.keyboard.type('city=Berlin')
  await page.keyboard.press('Enter')
  await page.keyboard.type('tier=gold')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect
    .poll(() => inputsOf(core, 'contacts.count').at(-1), 'both tags are required')
    .toEqual({
      filter: {
        tags: [
          { key: 'city', value: 'Berlin' },
          { key: 'tier', value: 'gold' },
        ],
      },
    })
  await form.getByRole('button', { name: 'Saved filter', exact: true }).click()
  await expect(page.getByText('Choose a saved filter.')).toBeVisible()
  await form.getByRole('combobox', { name: 'Saved filter' }).click()
  await page.getByRole('option', { name: 'Berlin', exact: true }).click()
  for (const name of ['order_number', 'day']) {
    await form.getByRole('combobox', { name: `Value of ${name}` }).click()
    await page.getByRole('option', { name: 'First name' }).click()
  }
  await form.getByRole('button', { name: 'Later' }).click()
  await expect(form.getByLabel('Start time')).toHaveValue(/:00$/)
  await form.getByLabel('Start time').fill('2020-03-01T09:30')
  await expect(page.getByText('Choose a time in the future.')).toBeVisible()
  await form.getByLabel('Start time').fill('2199-03-01T09:30')
  await form.getByText('Only within recipients’ local hours').click()
  await form.getByLabel('To', { exact: true }).fill('08:00')
  await expect(page.getByText('The hours must end after they begin.')).toBeVisible()
  await form.getByLabel('To', { exact: true }).fill('18:00')
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByRole('heading', { name: 'Dry run' })).toBeVisible()
  expect(inputsOf(core, 'templates.prepare')).toMatchObject([
    {
      subject: { key: 'subject.savedFilter', name: 'Berlin' },
      source: { contacts: { filter: { tags: [{ key: 'city', value: 'Berlin' }] }, exceptIds: [] } },
      startAt: await page.evaluate(() => new Date('2199-03-01T09:30').toISOString()),
      hours: { fromMinute: 540, toMinute: 1_080 },
    },
  ])
})

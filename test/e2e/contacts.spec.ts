import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { AppError } from '#contract/errors.ts'
import { connections } from '../helpers/scripted-answers.ts'
import { aTask } from '../helpers/scripted/tasks.ts'
import { ContactsPage } from './pages/contacts-page.ts'
import { expect, expectAccessible, inputsOf, test } from './scripted-console.ts'

/** Opens the page and waits for its first row. */
async function openContacts(page: Page, core: { url: string }): Promise<ContactsPage> {
  const contacts = new ContactsPage(page)
  await contacts.open(core.url)
  await expect(contacts.row(0)).toBeVisible()
  return contacts
}

test('scrolls through a million contacts with few of them read and in the document', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 1_000_000 })
  const contacts = new ContactsPage(page)
  await contacts.open(core.url)
  await expect(contacts.total).toHaveText('1,000,000 contacts')
  await expect(contacts.row(0)).toContainText('Grace Hopper 1')
  await contacts.list.evaluate((grid) => (grid.scrollTop = 14_000_000))
  await expect(contacts.list).toContainText(/ 50\d{4}/)
  expect(await contacts.rows().count()).toBeLessThan(80)
  expect(inputsOf(core, 'contacts.list').length).toBeLessThan(8)
  await expect(contacts.list).toHaveAttribute('aria-rowcount', '1000001')
})

test('keeps a pasted list a list in any notation, and says when part of it did not fit', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 300 })
  const contacts = await openContacts(page, core)
  const paste = (text: string) =>
    contacts.search.evaluate((input: HTMLInputElement, pasted) => {
      input.focus()
      input.select()
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', pasted)
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  await paste('0152 0000007\r\n0152 0000008\r\n')
  await expect(contacts.search).toHaveValue('0152 0000007, 0152 0000008')
  const note = page.getByRole('search').getByRole('status')
  await expect(note).toHaveCount(0)
  await paste(Array.from({ length: 50 }, (_, at) => `+49152${at + 1_000_000}`).join('\n'))
  await expect(note).toContainText('Only the first 200 characters are searched.')
  await expect(contacts.total).toHaveText(/ matching 13 numbers$/)
  await expectAccessible(page)
  await contacts.search.press('End')
  await contacts.search.press('Backspace')
  await expect(note).toHaveCount(0)
})

test('searches while typing, filters, sorts, and keeps the filter in the address', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 300 })
  const contacts = new ContactsPage(page)
  await contacts.open(core.url, '?held=perhaps')
  await expect(page.getByText('Ignored:')).toHaveCount(1)
  await expect(contacts.total).toHaveText('300 contacts')
  await page.keyboard.press('/')
  await expect(contacts.search).toBeFocused()
  await page.keyboard.type('lovelace')
  await expect(contacts.total).toHaveText('50 of 300 contacts')
  await expect(contacts.search).toHaveValue('lovelace')
  await expect(page).toHaveURL(/text=lovelace/)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.keyboard.type('unconfirmed')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/state=unknown/)
  await contacts.showAll.click()
  await expect(contacts.total).toHaveText('300 contacts')
  await expect(contacts.search).toHaveValue('')
  const number = contacts.list.getByRole('button', { name: 'Number' })
  for (const first of ['+491520000001', '+491520000300']) {
    await number.click()
    await expect(contacts.row(0)).toContainText(first)
  }
  await expect(contacts.list.getByRole('columnheader', { name: 'Number' })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
})

test('selects all matching contacts but one, tags them from a typed list, and shows the tags', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 12 })
  const contacts = new ContactsPage(page)
  await contacts.open(core.url)
  const all = contacts.list.getByLabel('Select all matching')
  const one = contacts.row(0).getByRole('checkbox')
  await all.click()
  await expect(contacts.chosen).toContainText('All 12 selected')
  await expect(all).toBeChecked()
  await expect(one).toBeChecked()
  await one.click()
  await expect(contacts.chosen).toContainText('11 of 12 selected')
  await expect(all).toBeChecked({ indeterminate: true })
  await expect(one).not.toBeChecked()
  await contacts.ask('Tag')
  await expect(contacts.dialog.getByLabel('Key of tag 1')).toBeFocused()
  await expect(contacts.confirm('Tag')).toBeDisabled()
  await expect(contacts.dialog).toContainText('Add a tag to set, or a key to remove.')
  // Fields are named by their visible labels.
  const removed = { name: 'Keys to remove (comma-separated)', exact: true }
  await expect(contacts.dialog.getByRole('textbox', removed)).toBeVisible()
  await contacts.dialog.getByLabel('Key of tag 1').fill('wave=7; vip')
  await contacts.dialog.getByRole('textbox', removed).focus()
  await expect(contacts.dialog.getByLabel('Value of tag 1')).toHaveValue('7')
  await expect(contacts.dialog.getByLabel('Key of tag 2')).toHaveValue('vip')
  await expect(contacts.dialog).toContainText(/Overwrites .* in 11 contacts\./)
  await contacts.confirm('Tag').click()
  await expect(page.getByText('11 contacts tagged.')).toBeVisible()
  await expect(contacts.row(1)).toContainText('wave=7')
  await expect(contacts.row(0)).not.toContainText('wave=7')
  expect(inputsOf(core, 'contacts.tag')).toMatchObject([
    { selection: { filter: {} }, set: { wave: '7', vip: '' } },
  ])
  await contacts.row(1).getByText(/^Ada/).click()
  await expect(contacts.details.getByText('vip', { exact: true })).toBeVisible()
})

test('asks for the production name before a deletion, and undoes it from any page', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 12 })
  const contacts = await openContacts(page, core)
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await contacts.ask('Delete')
  await expect(contacts.dialog).toContainText('2 requests, under a second at the rate limit.')
  await expect(contacts.confirm('Delete')).toBeDisabled()
  await contacts.dialog.getByRole('textbox').fill('Acme production')
  await contacts.confirm('Delete').click()
  await expect(contacts.total).toHaveText('10 contacts')
  await expect(page.getByText('2 contacts deleted.')).toBeVisible()
  await page.evaluate(() => (location.hash = '#/overview'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.getByRole('button', { name: /^Undo \(\d+ s\)/ }).click()
  await expect(page.getByText('2 contacts restored.')).toBeVisible()
  expect(inputsOf(core, 'outbox.undo')).toEqual([{ batchId: 'b-new' }])
})

test('says that a deletion is paused, and resumes it there', async ({ page, scripted }) => {
  const core = await scripted()
  await page.goto(`${core.url}#/dnc`)
  core.day.outbox.setDeletions([
    { batchId: 'b-all', chosen: 145_518, requested: 0, until: null, state: 'marking', marked: 7_000 },
  ])
  const bar = page.locator('p').filter({ hasText: '145,518 contacts' })
  await expect(bar.getByRole('button', { name: 'Stop and undo' })).toBeVisible()
  await expect(bar.getByRole('button', { name: 'Resume' })).toHaveCount(0)
  core.day.tasks.put(aTask({ id: 't-all', kind: 'bulk-delete', refId: 'b-all', state: 'interrupted' }))
  await expect(bar).toContainText('Deletion paused at 7,000 of 145,518 contacts.')
  await expect(bar.getByRole('button', { name: 'Undo', exact: true })).toBeVisible()
  await expectAccessible(page)
  await bar.getByRole('button', { name: 'Resume' }).click()
  await expect(bar).toContainText('Deleting 145,518 contacts: 7,000 marked.')
  expect(inputsOf(core, 'tasks.resume')).toEqual([{ id: 't-all' }])
})

test('says that a contact is being deleted, and offers no change', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 3 })
  const contacts = new ContactsPage(page)
  const { get, list } = core.day.script.contacts
  const deleting = { state: 'deleting' as const }
  core.change({
    contacts: {
      get: async (input, signal) => {
        const detail = await get(input, signal)
        return { ...detail, contact: { ...detail.contact, ...deleting } }
      },
      list: async (input, signal) => {
        const answer = await list(input, signal)
        return { ...answer, items: answer.items.map((row) => ({ ...row, ...deleting })) }
      },
    },
  })
  await contacts.open(core.url)
  await expect(contacts.row(0)).toContainText('Deleting')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  const drawer = page.getByRole('complementary', { name: 'Contact' })
  await expect(drawer).toContainText('Being deleted. Undo the deletion to edit it.')
  await expect(drawer.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await expect(drawer.getByRole('textbox', { name: 'Name' })).toHaveCount(0)
})

test('says what a push skips and waits for, and lets you cancel when it can’t be counted', async ({
  page,
  scripted,
}) => {
  const core = await scripted(
    {
      contacts: {
        preview: () => {
          throw new AppError('STORAGE_BUSY', {})
        },
      },
    },
    { contacts: 200 },
  )
  const contacts = await openContacts(page, core)
  await page.keyboard.press('a')
  await contacts.ask('Push')
  await expect(contacts.dialog.getByRole('alert')).toBeVisible()
  await expect(contacts.confirm('Push')).toBeDisabled()
  await contacts.dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(contacts.dialog).toHaveCount(0)
  core.change({
    contacts: {
      preview: () => ({
        count: 200,
        replaced: 7,
        requests: 180,
        etaMs: 60_000,
        leftOut: { dnc: 2, held: 0, unknown: 18 },
        nameless: { count: 30, otherRequests: 150, otherEtaMs: 120_000 },
        withoutId: 0,
        upToId: 200,
        dncList: { state: 'stale', asOf: new Date(Date.now() - 7 * 86_400_000).toISOString() },
      }),
    },
  })
  await contacts.ask('Push')
  await expect(contacts.dialog).toContainText('30 have no name and will probably be rejected.')
  await expect(contacts.dialog).toContainText('150 requests, about 2 min at the rate limit.')
  const leavesOut = contacts.dialog.getByRole('checkbox', { name: 'Skip contacts without a name' })
  await expect(leavesOut).toBeChecked()
  await expectAccessible(page)
  await leavesOut.click()
  await expect(contacts.dialog).toContainText('180 requests, about 1 min at the rate limit.')
  await leavesOut.click()
  core.setStatus({ network: { reachable: false, lastAnswerAt: null, problem: null } })
  await expect(contacts.dialog).toContainText('The service is unreachable. Requests wait in the outbox.')
  await expect(contacts.dialog).toContainText('2 skipped: on or maybe on the DNC list')
  await expect(contacts.dialog).toContainText(
    '7 changed contacts are recreated and their old records deleted.',
  )
  await expect(contacts.dialog).toContainText('18 skipped: unconfirmed')
  // The offline copy is outdated, so newer entries are unknown.
  await expect(contacts.dialog).toContainText('outdated (7 d ago)')
  await expect(contacts.confirm('Push')).toBeDisabled()
  await contacts.dialog.getByRole('checkbox', { name: 'Push without a DNC check' }).click()
  await contacts.confirm('Push').click()
  await expect(page.getByText('Queued in the outbox.')).toBeVisible()
  expect(core.calls.find(({ name }) => name === 'contacts.push')?.input).toMatchObject({
    selection: { upToId: 200 },
    uncheckedKnowingly: true,
    leaveOutNameless: true,
  })
})

test('exports contacts and saves the file from the same place', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 5 })
  const contacts = await openContacts(page, core)
  await page.keyboard.press('a')
  await contacts.ask('Export')
  for (const column of ['Name', 'First name', 'Last name', 'Number', 'Email', 'Tags', 'Note']) {
    await contacts.dialog.getByRole('checkbox', { name: column, exact: true }).click()
  }
  await expect(contacts.dialog).toContainText('Select at least one column.')
  await contacts.dialog.getByRole('checkbox', { name: 'Number', exact: true }).click()
  await contacts.confirm('Export').click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  expect(await readFile((await (await download).path())!, 'utf8')).toContain('+442079460000')
  expect(inputsOf(core, 'contacts.export')).toMatchObject([{ columns: ['phone'] }])
})

test('finds, opens and edits a contact by keyboard alone, and asks before it discards text', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 30 })
  core.setStatus({ connection: connections[2]! })
  const contacts = await openContacts(page, core)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(contacts.details).toContainText('city=')
  await page.keyboard.press('j')
  await expect(contacts.row(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('e')
  const name = contacts.details.getByLabel('Name', { exact: true })
  await expect(name).toBeFocused()
  await name.fill('Ada King')
  await contacts.details.getByRole('button', { name: 'Add tag' }).focus()
  await page.keyboard.press('Escape')
  await expect(contacts.dialog).toContainText('Your changes to this contact will be lost')
  await contacts.dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(contacts.dialog).toHaveCount(0)
  await expect(name).toHaveValue('Ada King')
  await name.press('Enter')
  await expect(contacts.details).not.toContainText('Save')
  await expect(contacts.list).toContainText('Ada King')
  await page.keyboard.press('Escape')
  await expect(contacts.details).toHaveCount(0)
  await expect(contacts.list).toBeFocused()
})

test('leaves a field on Escape before anything closes, so that later keys aren’t typed into it', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 30 })
  const contacts = await openContacts(page, core)
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const content = contacts.details.getByRole('group', { name: 'Contact, content' })
  const note = contacts.details.getByRole('textbox', { name: 'Note', exact: true })
  await note.click()
  await page.keyboard.press('Escape')
  await expect(content).toBeFocused()
  await page.keyboard.press('j')
  await expect(contacts.row(1)).toHaveAttribute('aria-selected', 'true')
  await expect(note).toHaveValue('')

  await page.keyboard.press('e')
  const name = contacts.details.getByLabel('Name', { exact: true })
  await expect(name).toBeFocused()
  const before = await name.inputValue()
  await page.keyboard.press('Escape')
  await expect(content).toBeFocused()
  await expect(name).toHaveValue(before)
  await page.keyboard.press('Escape')
  await expect(name).toHaveCount(0)
  await expect(content).toBeFocused()

  await page.keyboard.press('e')
  await name.fill('Ada King')
  await page.keyboard.press('Escape')
  await expect(name).toHaveValue('Ada King')
  await page.keyboard.press('Escape')
  await expect(contacts.dialog).toContainText('Your changes to this contact will be lost')
  await contacts.dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(name).toHaveCount(0)
  await expect(content).toBeFocused()
  expect(inputsOf(core, 'contacts.update')).toHaveLength(0)
})

test('returns the focus to the details or the list after a form is saved or cancelled', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 30 })
  const contacts = await openContacts(page, core)
  const content = contacts.details.getByRole('group', { name: 'Contact, content' })
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await contacts.details.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(content).toBeFocused()
  await page.keyboard.press('e')
  await contacts.details.getByLabel('Name', { exact: true }).fill('Ada King')
  await page.keyboard.press('Enter')
  await expect(contacts.details).toContainText('Ada King')
  await expect(content).toBeFocused()
  await page.keyboard.press('n')
  await contacts.details.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(contacts.details).toHaveCount(0)
  await expect(contacts.list).toBeFocused()
  await page.keyboard.press('n')
  await contacts.details.getByLabel('Number', { exact: true }).fill('+442079460999')
  await page.keyboard.press('Enter')
  await expect(contacts.details).toContainText('Local only')
  await expect(content).toBeFocused()
})

test('exposes the role, open state and selection of a list filter', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 30 })
  const contacts = await openContacts(page, core)
  const states = page.getByRole('combobox', { name: 'Status' })
  const list = page.getByRole('listbox', { name: 'Status' })
  await contacts.search.focus()
  await page.keyboard.press('Tab')
  await expect(states).toBeFocused()
  await expect(states).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('Enter')
  await expect(states).toBeFocused()
  await expect(states).toHaveAttribute('aria-expanded', 'true')
  await expect(states).toHaveAttribute('aria-controls', (await list.getAttribute('id'))!)
  await page.keyboard.press('ArrowDown')
  const second = list.getByRole('option').nth(1)
  await expect(states).toHaveAttribute('aria-activedescendant', (await second.getAttribute('id'))!)
  await page.keyboard.press('Enter')
  await expect(second).toHaveAttribute('aria-selected', 'true')
  await expect(list.getByRole('option').nth(0)).toHaveAttribute('aria-selected', 'false')
  await page.keyboard.press('Escape')
  await expect(list).toHaveCount(0)
  await expect(states).toBeFocused()
  await expect(states).toHaveAttribute('aria-expanded', 'false')
})

test('saves a note when its field loses focus, and never shows it at another contact', async ({
  page,
  scripted,
}) => {
  const core = await scripted({}, { contacts: 30 })
  const contacts = new ContactsPage(page)
  await contacts.open(core.url)
  const name = contacts.row(0).getByText(/^Ada Lovelace/)
  await name.click({ modifiers: ['Shift'] })
  await expect(contacts.details).toHaveCount(0)
  await name.click()
  await contacts.details.getByLabel('Note').fill('calls back on Monday')
  await contacts.row(1).click()
  await expect(contacts.details.getByLabel('Note')).not.toHaveValue('calls back on Monday')
  await contacts.row(0).click()
  await expect(contacts.details.getByLabel('Note')).toHaveValue('calls back on Monday')
  expect(inputsOf(core, 'contacts.setNote')).toHaveLength(1)
})

test('stays responsive when you leave the page during a refresh', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 300 })
  const contacts = new ContactsPage(page)
  await contacts.open(core.url)
  await contacts.search.fill('ada')
  await expect(contacts.total).toHaveText('50 of 300 contacts')
  await contacts.row(0).click()
  await expect(contacts.details).toContainText('Ada Lovelace')
  expect(await page.evaluate(() => String(getSelection()))).toBe('')
  const read = inputsOf(core, 'contacts.list').length
  core.change({ contacts: { list: () => new Promise(() => {}) } })
  core.day.contacts.touch()
  await expect.poll(() => inputsOf(core, 'contacts.list').length).toBe(read + 1)
  await page.evaluate(() => (location.hash = '#/settings'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await page.getByRole('link', { name: 'Appearance' }).click()
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('Appearance')
  expect(inputsOf(core, 'contacts.list')).toHaveLength(read + 1)
})

test('does not cancel a navigation when the address follows the search', async ({ page, scripted }) => {
  const core = await scripted({}, { contacts: 300 })
  const contacts = new ContactsPage(page)
  await page.clock.install()
  let letIn = () => {}
  const gate = new Promise<void>((resolve) => (letIn = resolve))
  await page.route('**/OutboxView*.js', async (route) => {
    await gate
    await route.continue()
  })
  await contacts.open(core.url)
  await contacts.search.fill('ada')
  const asked = page.waitForRequest('**/OutboxView*.js')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Outbox' }).click()
  await asked
  await expect(contacts.total).toHaveText('50 of 300 contacts')
  // Longer than the delay of the address.
  await page.clock.fastForward(600)
  letIn()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Outbox')
})

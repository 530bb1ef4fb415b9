import type { Page } from '@playwright/test'
import { aContact } from '../helpers/scripted/contacts.ts'
import { aTask } from '../helpers/scripted/tasks.ts'
import { contactsPage } from './pages/contacts-page.ts'
import { expect, expectAccessible, inputOf, inputsOf, type OpenCore, test } from './scripted-console.ts'

/** Opens the page and waits for its first row. */
async function openContacts(page: Page, core: OpenCore) {
  const contacts = contactsPage(page)
  await core.open('/contacts')
  await expect(contacts.row(0)).toBeVisible()
  return contacts
}

test('scrolls through a million contacts with few of them read and drawn', async ({ page, core }) => {
  const contacts = contactsPage(page)
  await core.open('/contacts')
  await expect(contacts.total).toHaveText('1,000,000 contacts')
  await expect(contacts.row(0)).toContainText('Grace Hopper 1')
  await contacts.list.evaluate((grid) => (grid.scrollTop = 14_000_000))
  await expect(contacts.list).toContainText(/ 50\d{4}/)
  expect(await contacts.rows.count()).toBeLessThan(80)
  expect(inputsOf(core, 'contacts.list').length).toBeLessThan(8)
  await expect(contacts.list).toHaveAttribute('aria-rowcount', '1000001')
})

test('keeps a pasted list a list, and says when part of it did not fit', async ({ page, core }) => {
  core.extend('contacts.list', { anyOfNumbers: 13 })
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
  await contacts.search.press('End')
  await contacts.search.press('Backspace')
  await expect(note).toHaveCount(0)
})

test('says that a deletion is paused, and resumes it there', async ({ page, core }) => {
  await core.open('/dnc')
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
  await expect.poll(() => inputsOf(core, 'tasks.resume')).toEqual([{ id: 't-all' }])
})

test('says that a contact is being deleted, and offers no change', async ({ page, core }) => {
  const contacts = contactsPage(page)
  const contact = { ...aContact(1), state: 'deleting' as const }
  core.extend('contacts.get', { contact })
  core.extend('contacts.list', { items: [contact] })
  await core.open('/contacts')
  await expect(contacts.row(0)).toContainText('Deleting')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  const drawer = page.getByRole('complementary', { name: 'Contact' })
  await expect(drawer).toContainText('Being deleted. Undo the deletion to edit it.')
  await expect(drawer.getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await expect(drawer.getByRole('textbox', { name: 'Name' })).toHaveCount(0)
})

test('says what a push skips and waits for, also when it can’t be counted', async ({ page, core }) => {
  core.fail('contacts.preview', 'STORAGE_BUSY')
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
        dncList: {
          state: 'stale',
          asOf: new Date(Date.now() - 7 * 86_400_000).toISOString(),
          teamReadAt: null,
          waits: null,
        },
      }),
    },
  })
  await contacts.ask('Push')
  await expect(contacts.dialog).toContainText('30 have no name and will probably be rejected.')
  await expect(contacts.dialog).toContainText('150 requests, about 2 min at the rate limit.')
  const leavesOut = contacts.dialog.getByRole('checkbox', { name: 'Skip contacts without a name' })
  await expect(leavesOut).toBeChecked()
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

test('exposes the role, open state and selection of a list filter', async ({ page, core }) => {
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

test('does not cancel a navigation when the address follows the search', async ({ page, core }) => {
  const contacts = contactsPage(page)
  await page.clock.install()
  let letIn = () => {}
  const gate = new Promise<void>((resolve) => (letIn = resolve))
  await page.route('**/OutboxView*.js', async (route) => {
    await gate
    await route.continue()
  })
  await core.open('/contacts')
  await contacts.search.fill('ada')
  const asked = page.waitForRequest('**/OutboxView*.js')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Outbox' }).click()
  await asked
  await expect.poll(() => inputOf(core, 'contacts.list')).toMatchObject({ filter: { text: 'ada' } })
  // Longer than the delay of the address.
  await page.clock.fastForward(600)
  letIn()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Outbox')
})

test('keeps the width given to the details', async ({ page, core }) => {
  const contacts = await openContacts(page, core)
  const edge = page.getByRole('separator', { name: 'Resize details' })
  const drawer = page.getByRole('complementary', { name: 'Contact' })
  const width = async () => Math.round((await drawer.boundingBox())!.width)
  await contacts.row(0).click()
  const before = await width()
  await edge.press('ArrowLeft')
  expect(await width()).toBe(before + 20)
  const { x, y } = (await edge.boundingBox())!
  await page.mouse.move(x + 3, y + 200)
  await page.mouse.down()
  await page.mouse.move(x - 97, y + 200)
  await page.mouse.up()
  expect(await width()).toBe(before + 120)
  await page.reload()
  await contacts.row(0).click()
  expect(await width()).toBe(before + 120)
})

test('says in the receipt of an erasure once the relay removed the number, too', async ({ page, core }) => {
  let inLog: number | null = null
  const { items } = await core.day.script.erase.receipts(undefined, undefined)
  const team = { erased: ['Ben'], kept: [], missing: [] }
  core.change({
    erase: {
      receipts: () => ({ items: items.map((one) => ({ ...one, taskId: 'gone', team: { ...team, inLog } })) }),
    },
  })
  await page.clock.install()
  await core.open('/contacts?erase=%2B14155550112')
  const dialog = page.getByRole('dialog', { name: 'Erase a person' })
  await dialog.getByText('Past erasures').click()
  await dialog.getByRole('button', { name: 'Receipt' }).click()
  await expect(dialog.getByRole('group', { name: 'Receipt' })).toBeFocused()
  await expect(dialog).toContainText('Not removed from the relay yet.')
  inLog = 0
  await page.clock.runFor(6_000)
  await expect(dialog).toContainText('Removed from the relay.')
})

import { expect } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { contactsPage } from './pages/contacts-page.ts'
import { realConsole } from './real-console.ts'

const names = ['Ada Lovelace', 'Grace Hopper', 'Zoë van Dijk']
/** Twelve contacts on a production connection, whose name must be typed. */
const test = realConsole({ traffic: false }, async ({ rpc }) => {
  const [own] = (await rpc.connections.list()).connections
  await rpc.connections.update({ ...own!, name: 'Acme', production: true })
  for (let at = 0; at < 12; at++) {
    const phone = `+49151200000${at + 10}`
    await rpc.contacts.create({ name: `${names[at % 3]!} ${at}`, phone, email: '', tags: {} })
  }
})

test('searches while typing, filters, sorts, tags all but one from a typed list, and exports', async ({
  page,
  open,
}) => {
  const contacts = contactsPage(page)
  await open('/contacts?held=perhaps')
  await expect(page.getByText('Ignored:')).toHaveCount(1)
  await expect(contacts.total).toHaveText('12 contacts')
  await page.keyboard.press('/')
  await expect(contacts.search).toBeFocused()
  await page.keyboard.type('lovelace')
  await expect(contacts.total).toHaveText('4 of 12 contacts')
  await expect(page).toHaveURL(/text=lovelace/)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.keyboard.type('unconfirmed')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/state=unknown/)
  await contacts.showAll.click()
  await expect(contacts.total).toHaveText('12 contacts')
  await expect(contacts.search).toHaveValue('')
  for (const first of ['+4915120000010', '+4915120000021']) {
    await contacts.list.getByRole('button', { name: 'Number' }).click()
    await expect(contacts.row(0)).toContainText(first)
  }
  const header = contacts.list.getByRole('columnheader', { name: 'Number' })
  await expect(header).toHaveAttribute('aria-sort', 'descending')

  await contacts.search.fill('grace')
  await expect(contacts.total).toHaveText('4 of 12 contacts')
  const all = contacts.list.getByLabel('Select all matching')
  const one = contacts.row(0).getByRole('checkbox')
  await all.click()
  await expect(contacts.chosen).toContainText('All 4 selected')
  await expect(one).toBeChecked()
  await one.click()
  await expect(contacts.chosen).toContainText('3 of 4 selected')
  await expect(all).toBeChecked({ indeterminate: true })
  await contacts.ask('Tag')
  await expect(contacts.dialog.getByLabel('Key of tag 1')).toBeFocused()
  await expect(contacts.confirm('Tag')).toBeDisabled()
  await expect(contacts.dialog).toContainText('Add a tag to set, or a key to remove.')
  await contacts.dialog.getByLabel('Key of tag 1').fill('wave=7; vip')
  // Fields are named by their visible labels.
  const removed = { name: 'Keys to remove (comma-separated)', exact: true }
  await contacts.dialog.getByRole('textbox', removed).focus()
  await expect(contacts.dialog.getByLabel('Value of tag 1')).toHaveValue('7')
  await expect(contacts.dialog.getByLabel('Key of tag 2')).toHaveValue('vip')
  await contacts.confirm('Tag').click()
  await expect(page.getByText('3 contacts tagged.')).toBeVisible()
  await expect(contacts.row(1)).toContainText('wave=7')
  await expect(contacts.row(0)).not.toContainText('wave=7')
  await contacts
    .row(1)
    .getByText(/^Grace/)
    .click()
  await expect(contacts.details.getByText('vip', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(contacts.details).toHaveCount(0)

  await page.keyboard.press('a')
  await contacts.ask('Export')
  for (const column of ['Name', 'First name', 'Last name', 'Number', 'Email', 'Tags', 'Note'])
    await contacts.dialog.getByRole('checkbox', { name: column, exact: true }).click()
  await expect(contacts.dialog).toContainText('Select at least one column.')
  await contacts.dialog.getByRole('checkbox', { name: 'Number', exact: true }).click()
  await contacts.confirm('Export').click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  const text = await readFile((await (await download).path())!, 'utf8')
  expect(text).toMatch(/^\uFEFF"phone"(\r\n"\+49151200000\d\d"){4}\r\n$/)
})

test('edits a contact and its note, but not over a change made elsewhere; Escape asks before text is lost', async ({
  page,
  open,
  console: { rpc },
}) => {
  const contacts = contactsPage(page)
  await open('/contacts')
  await expect(contacts.row(0)).toBeVisible()
  const content = contacts.details.getByRole('group', { name: 'Contact, content' })
  const name = contacts.details.getByLabel('Name', { exact: true })
  const note = contacts.details.getByRole('textbox', { name: 'Note', exact: true })
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await press('j', 'Enter')
  await note.click()
  await press('Escape')
  await expect(content).toBeFocused()
  await press('j')
  await expect(contacts.row(1)).toHaveAttribute('aria-selected', 'true')
  await expect(note).toHaveValue('')

  await press('e')
  await expect(name).toBeFocused()
  await press('Escape')
  await expect(content).toBeFocused()
  await expect(name).toBeVisible()
  await press('Escape')
  await expect(name).toHaveCount(0)
  await expect(content).toBeFocused()

  for (const answer of ['Keep editing', 'Discard']) {
    if (answer === 'Keep editing') await press('e')
    await name.fill('Ada King')
    await press('Escape')
    await expect(name).toHaveValue('Ada King')
    await press('Escape')
    await expect(contacts.dialog).toContainText('Your changes to this contact will be lost')
    await contacts.dialog.getByRole('button', { name: answer }).click()
    await expect(contacts.dialog).toHaveCount(0)
  }
  await expect(name).toHaveCount(0)
  await expect(content).toBeFocused()

  await press('e')
  await contacts.details.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(content).toBeFocused()
  await press('e')
  await name.fill('Ada King')
  await press('Enter')
  await expect(contacts.details).toContainText('Ada King')
  await expect(content).toBeFocused()
  await press('n')
  await contacts.details.getByRole('button', { name: 'Cancel' }).press('Enter')
  await expect(contacts.list).toBeFocused()
  await press('n')
  await contacts.details.getByLabel('Number', { exact: true }).fill('+442079460999')
  await press('Enter')
  await expect(contacts.details).toContainText('Local only')
  await expect(content).toBeFocused()
  await press('Escape')
  await expect(contacts.details).toHaveCount(0)
  await expect(contacts.list).toBeFocused()

  // A note is saved on leaving its field, and shown only at its contact.
  await contacts.search.fill('zo')
  await expect(contacts.total).toHaveText(/^4 of/)
  const zoe = contacts.row(0).getByText(/^Zoë/)
  await zoe.click({ modifiers: ['Shift'] })
  await expect(contacts.details).toHaveCount(0)
  await zoe.click()
  await note.fill('calls back on Monday')
  await contacts.row(1).click()
  await expect(note).toHaveValue('')
  await contacts.row(0).click()
  await expect(note).toHaveValue('calls back on Monday')
  await press('Escape')

  await contacts.search.fill('4915120000021')
  await expect(contacts.total).toHaveText(/^1 of/)
  await contacts.row(0).click()
  await page.keyboard.press('e')
  await contacts.details.getByLabel('Email', { exact: true }).fill('mine@x.example')
  const { contact } = await rpc.contacts.byPhone({ phone: '+4915120000021' })
  await rpc.contacts.update({ id: contact!.id, draft: { ...contact!, name: 'Zoë Vos' } })
  await expect(contacts.row(0)).toContainText('Zoë Vos')
  await contacts.details.getByRole('button', { name: 'Save' }).click()
  await expect(contacts.details).toContainText('This contact was changed elsewhere')
})

test('asks for the name before a deletion, undoes it from any page, and erases a person with a receipt', async ({
  page,
  open,
  console,
}) => {
  const contacts = contactsPage(page)
  await open('/contacts')
  await expect(contacts.row(0)).toBeVisible()
  for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
  await contacts.ask('Delete')
  await expect(contacts.confirm('Delete')).toBeDisabled()
  await contacts.dialog.getByRole('textbox').fill('Acme')
  await contacts.confirm('Delete').click()
  await expect(page.getByText('2 contacts deleted.')).toBeVisible()
  await open('/overview')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.getByRole('button', { name: /^Undo \(\d+ s\)/ }).click()
  await expect(page.getByText('2 contacts restored.')).toBeVisible()

  await open('/contacts')
  await contacts.row(0).click()
  await contacts.details.getByRole('button', { name: 'Delete' }).click()
  await contacts.dialog.getByRole('textbox').fill('Acme')
  await contacts.confirm('Delete').click()
  await expect(page.getByText('1 contact deleted.')).toBeVisible()
  await expect(contacts.details).toBeHidden()
  await page.getByRole('button', { name: /^Undo \(\d+ s\)/ }).click()
  await expect(page.getByText('1 contact restored.')).toBeVisible()

  const phone = '+4915120000012'
  await console.rpc.dnc.hold({ phone, region: 'DE', evidence: 'Asked by phone' })
  await open('/contacts?text=20000012')
  await contacts.row(0).click()
  const exported = page.waitForEvent('download')
  await contacts.details.getByRole('button', { name: 'Export their data' }).click()
  expect(JSON.parse(await readFile((await (await exported).path())!, 'utf8'))).toMatchObject({
    contact: { contact: { name: 'Zoë van Dijk 2', phone }, hold: { reason: 'Asked by phone' } },
    doNotContact: { phone, verdict: 'blocked', source: 'hold' },
    holds: [{ number: phone, evidence: 'Asked by phone' }],
    requests: [],
    events: [],
  })
  await open('/contacts?erase=%2B4915120000012')
  const dialog = page.getByRole('dialog', { name: 'Erase a person' })
  const erase = dialog.getByRole('button', { name: 'Erase', exact: true })
  await expect(dialog.getByLabel('Number', { exact: true })).toHaveValue('+4915120000012')
  await expect(erase).toBeDisabled()
  await dialog.getByLabel('Type the number again').fill('+49 151 20000013')
  await expect(dialog).toContainText('The numbers differ.')
  await expect(erase).toBeDisabled()
  await dialog.getByLabel('Type “Acme”').fill('Acme')
  await expect(erase).toBeDisabled()
  await dialog.getByLabel('Type the number again').fill('0049 151 20000012')
  await expect(dialog).toContainText('On hold: Asked by phone')
  await expect(
    dialog.getByRole('checkbox', { name: 'Keep it on hold without storing the number' }),
  ).toBeChecked()
  await erase.click()
  await expect(dialog).toContainText(
    'The number ending in 12 is erased from connection Acme on this computer.',
  )
  await expect(dialog).toContainText('Searched: contacts, deleted contacts')
  await expect(dialog).toContainText('1 contact')
  await expect(dialog).toContainText('It stays on hold, but the number isn’t stored.')
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save receipt' }).click()
  expect(await readFile((await (await download).path())!, 'utf8')).toMatch(
    /\n[-\d]+ [:.\d]+ UTC\n[^]*- 1 contact\n/,
  )
  expect(await console.rpc.contacts.byPhone({ phone })).toEqual({ contact: null })
})

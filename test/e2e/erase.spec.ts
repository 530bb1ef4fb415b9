import { ContactsPage } from './pages/contacts-page.ts'
import { expect, inputOf, test } from './scripted-console.ts'

test('erases a person after confirmation and shows a receipt', async ({ page, scripted }) => {
  const core = await scripted()
  await page.goto(`${core.url}#/contacts?erase=%2B4917123456701`)
  const dialog = page.getByRole('dialog', { name: 'Erase a person' })
  const erase = dialog.getByRole('button', { name: 'Erase', exact: true })
  await expect(dialog.getByLabel('Number', { exact: true })).toHaveValue('+4917123456701')
  await expect(erase).toBeDisabled()
  await dialog.getByLabel('Type the number again').fill('+49 171 23456702')
  await expect(erase).toBeDisabled()
  await dialog.getByLabel('Type the number again').fill('+49 171 23456701')
  await dialog.getByRole('checkbox', { name: 'Keep it on hold, stored as a hash' }).check()
  await erase.click()
  await expect(dialog).toContainText('The number ending in 01 is erased on this computer.')
  await expect(dialog).toContainText('12 stored deliveries')
  await expect(dialog).toContainText('The number stays on hold as a hash.')
  expect(inputOf(core, 'erase.start')).toEqual({
    phone: '+4917123456701',
    confirm: '+49 171 23456701',
    keepHold: true,
  })
})

test('confirms a contact added from a conversation and leads back to it', async ({ page, scripted }) => {
  const core = await scripted()
  await page.goto(`${core.url}#/inbox`)
  await page
    .getByRole('grid', { name: 'Conversations' })
    .getByRole('row', { name: /491701234567/ })
    .click()
  const conversation = page.getByRole('heading', { name: '+491701234567' })
  await expect(conversation).toBeVisible()
  await page.getByRole('link', { name: 'Add contact' }).click()
  const drawer = page.getByRole('complementary', { name: 'Contact' })
  await expect(drawer.getByLabel('Number', { exact: true })).toHaveValue('+491701234567')
  await expect(page).toHaveURL(/#\/contacts$/)
  await drawer.getByLabel('Name', { exact: true }).fill('Grace')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Contact added.')).toBeVisible()
  await page.getByRole('button', { name: 'Back to conversation' }).click()
  await expect(conversation).toBeVisible()
})

test('keeps the selection while the DNC list syncs before a push', async ({ page, scripted }) => {
  const core = await scripted({
    contacts: {
      preview: () => ({
        count: 2,
        replaced: 0,
        requests: 2,
        etaMs: 1_000,
        nameless: { count: 0, otherRequests: 2, otherEtaMs: 1_000 },
        leftOut: {},
        withoutId: 0,
        upToId: 100,
        dncList: { state: 'stale', asOf: null },
      }),
    },
  })
  const contacts = new ContactsPage(page)
  await page.goto(`${core.url}#/contacts`)
  await expect(contacts.row(0)).toBeVisible()
  for (const key of ['j', 'x']) await page.keyboard.press(key)
  await contacts.ask('Push')
  await contacts.dialog.getByRole('button', { name: 'Sync first' }).click()
  await expect.poll(() => core.calls.some(({ name }) => name === 'dnc.sync')).toBe(true)
  await expect(contacts.dialog).toBeVisible()
  await expect(contacts.chosen).toBeVisible()
})

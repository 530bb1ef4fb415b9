import type { Locator, Page } from '@playwright/test'
import { campaignsPage } from './pages/campaigns-page.ts'
import { settingsPage } from './pages/settings-page.ts'
import { expect, test } from './scripted-console.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
const box = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true })
const labelled = (label: string, block?: string) => (page: Page) =>
  (block ? settingsPage(page).block(block) : page).getByLabel(label, { exact: true })
const opens = (button: string) => (page: Page) => press(page, button)

type Step = (page: Page) => Promise<unknown>
const url = labelled('Delivery URL')
const minutes = labelled('Minutes without progress')
const tags = labelled('Add tags to all contacts')
const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('Name;Mobile\nAda;0171\n') }

async function editRule(page: Page): Promise<void> {
  await campaignsPage(page).row('Password reset').click()
  await press(page, 'Notify')
  await page.getByRole('checkbox', { name: 'No progress' }).click()
}
/** A filter leaves the details open. */
async function filter(page: Page): Promise<void> {
  await press(page, 'Paused')
  await expect(page).toHaveURL(/status=paused/)
}
async function holdAnother(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('+4420794600')
  await page.getByRole('option', { name: 'Put +4420794600 on hold' }).click()
}
const another = (page: Page) => press(page, 'New subscription').then(() => press(page, 'Add another'))

/** Forms that ask: the page and field, how it opens, and what closes it beside another page. */
const forms: [path: string, field: (page: Page) => Locator, open?: Step, ...close: Step[]][] = [
  ['contacts', box('Name'), opens('New contact')],
  ['dnc?tab=holds', box('Reason'), () => Promise.resolve(), holdAnother],
  ['dnc?tab=keywords', labelled('Opt-out keywords, one per line')],
  ['imports', tags, (page) => page.locator('input[type=file]').setInputFiles(file)],
  ['webhooks', url, another, opens('Close details')],
  ['webhooks', url, another, (page) => follow(page, 'Setup guide')],
  ['webhooks', url, another, (page) => url(page).press('Escape')],
  ['campaigns', minutes, editRule, (page) => filter(page).then(() => press(page, 'Alert rules'))],
  ['campaigns', minutes, editRule, opens('Next row')],
  ['campaigns', minutes, editRule, opens('Close details')],
  ['settings?section=listener', labelled('Relay address'), (page) => page.getByText('Both').click()],
  ['settings?section=listener', labelled('Path', 'Listener')],
  ['settings?section=listener', labelled('URL', 'Public address')],
  ['settings?section=listener', labelled('Secret', 'Signing secrets')],
  ['settings?section=events', labelled('Maximum size (MiB)')],
  ['settings?section=field-names', box('Parameter'), opens('Edit DNC check parameter')],
  ['settings?section=connections', box('Name'), opens('Edit Acme staging')],
  ['settings?section=notifications', labelled('Address'), opens('Set up…')],
]

for (const [at, [path, field, open, ...close]] of forms.entries())
  test(`asks before the text of form ${at} is lost: ${path}`, async ({ page, core }) => {
    const heading = page.getByRole('heading', { level: 1 })
    const dialog = page.getByRole('dialog')
    if (path.startsWith('settings'))
      close.push((page) => page.locator('main').getByRole('link', { name: 'Appearance' }).click())
    await core.open(`/${path}`)
    await open?.(page)
    await field(page).fill('17')
    for (const leave of [...close, () => follow(page, 'Overview')]) {
      await leave(page)
      await expect(dialog).toContainText('Discard unsaved changes?')
      await press(page, 'Keep editing')
      await expect(dialog).toHaveCount(0)
      await expect(field(page)).toHaveValue('17')
    }
    await follow(page, 'Overview')
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click()
    await expect(heading).toHaveText('Overview')
  })

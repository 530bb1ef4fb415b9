import { expect, test as base } from '@playwright/test'
import { createSandbox, type Sandbox } from '#electron/sandbox/create-sandbox.ts'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { ConnectPage } from './pages/connect-page.ts'
import { ContactsPage } from './pages/contacts-page.ts'
import { SettingsPage } from './pages/settings-page.ts'
import { ShellPage } from './pages/shell-page.ts'

/** The real console in a real browser, with a service whose access tokens expire so fast that they are renewed constantly. */
const test = base.extend<{ console: RunningConsole; service: Sandbox }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  console: async ({}, use) => {
    await using running = await startConsole()
    await use(running)
  },
  // eslint-disable-next-line no-empty-pattern -- as above
  service: async ({}, use) => {
    const sandbox = await createSandbox({
      traffic: false,
      rateLimitPerMinute: null,
      accessTokenSeconds: 5,
    })
    await use(sandbox)
    await sandbox.stop()
  },
})

test('renews a password sign-in automatically, subscribes, tests the webhook, deletes at the service and signs out', async ({
  page,
  console,
  service,
}) => {
  const asked = (endpoint: string) => service.stats().perEndpoint[endpoint] ?? 0
  const [tenant] = service.tenants
  const shell = new ShellPage(page)
  const connect = new ConnectPage(page)
  await page.goto(console.url)
  await connect.fillPassword(service.baseUrl, tenant!.username, tenant!.password)
  await connect.submit()
  await expect(shell.heading).toHaveText('Overview')
  expect(asked('POST /auth/login')).toBe(1)

  await console.rpc.contacts.create({ name: 'Ada', phone: '+4915120000010', email: '', tags: {} })
  await console.rpc.contacts.push({ selection: { filter: {}, exceptIds: [] }, uncheckedKnowingly: true })
  await expect.poll(() => asked('POST /contacts')).toBeGreaterThan(0)
  const contacts = new ContactsPage(page)
  await page.goto(`${console.origin}/#/contacts`)
  await expect(contacts.list.getByText('On service')).toHaveCount(1)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await contacts.ask('Delete')
  await contacts.confirm('Delete').click()
  await expect(page.getByText('1 contact will be deleted at the service')).toBeVisible()

  // The deletion’s undo window runs meanwhile.
  await page.goto(`${console.origin}/#/webhooks`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Webhooks')
  await expect.poll(() => asked('GET /webhooks/subscriptions')).toBeGreaterThan(0)
  await page.keyboard.press('n')
  await expect(page.getByLabel('Delivery URL')).toBeFocused()
  // Without a keychain the form asks for your own secret.
  await page.getByLabel('Secret', { exact: true }).fill('a secret of this test')
  await page.keyboard.press('Enter')
  // A request is sent again if its token just expired; the single row shows that one subscription was created.
  await expect.poll(() => asked('POST /webhooks')).toBeGreaterThan(0)
  const subscription = page.getByRole('row', { name: /This listener/ })
  await expect(subscription).toHaveCount(1)
  await subscription.click()
  await page.getByRole('button', { name: /^Test dlr of/ }).click()
  await expect.poll(() => asked('POST /webhooks/{id}/test')).toBeGreaterThan(0)
  await expect(page.getByRole('complementary', { name: 'Subscription' })).toContainText(/1 event since/)

  await expect.poll(() => asked('DELETE /contacts/{id}'), { timeout: 60_000 }).toBeGreaterThan(0)
  expect(asked('POST /auth/refresh')).toBeGreaterThan(0)
  expect(asked('POST /auth/login'), 'renewed, not signed in again').toBe(1)

  const settings = new SettingsPage(page)
  await page.goto(`${console.origin}/#/settings?section=connections`)
  await page.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('button', { name: /^Sign out of/ }).click()
  await settings.dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect.poll(() => asked('POST /auth/logout')).toBeGreaterThan(0)
  await expect(shell.status).toContainText('Signed out')
})

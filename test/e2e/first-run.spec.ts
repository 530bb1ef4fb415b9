import { test as base, expect } from '@playwright/test'
import { createSandbox, type Sandbox } from '#electron/sandbox/create-sandbox.ts'
import { type RunningConsole, startConsole } from '../helpers/start-console.ts'
import { connectPage } from './pages/connect-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { settingsPage } from './pages/settings-page.ts'
import { shellPage } from './pages/shell-page.ts'

/** The real console in a real browser, with nothing set up. */
const test = base.extend<{ console: RunningConsole }, { service: Sandbox }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the names from this pattern
  console: async ({}, use) => {
    await using running = await startConsole()
    await use(running)
  },
  service: [
    // eslint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const sandbox = await createSandbox({ ratePerSecond: 5 })
      await use(sandbox)
      await sandbox.stop()
    },
    { scope: 'worker' },
  ],
})

const storedEvents = async (shell: ReturnType<typeof shellPage>) =>
  Number(/([\d,]+) stored events?/.exec(await shell.status.innerText())?.[1]?.replaceAll(',', ''))

test('goes from nothing to live events beside campaign controls in one click', async ({ page, console }) => {
  const troubles: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  const shell = shellPage(page)
  await page.goto(console.url)
  await connectPage(page).sandbox.click()
  await expect(shell.heading).toHaveText('Overview')
  expect(page.url()).not.toContain('token')
  await expect(shell.status).toContainText('Listening')
  await expect(shell.status).toContainText('Signed in')
  await expect.poll(() => storedEvents(shell)).toBeGreaterThan(20)
  const overview = overviewPage(page)
  await expect(overview.figure('Messages today')).toHaveText(/^[\d,]+$/)
  await expect(overview.running.getByRole('button', { name: /^Pause / }).first()).toBeEnabled()
  await expect(overview.chart.getByRole('img')).toHaveAccessibleName(/delivered/i)
  await expect(overview.health).toContainText('last delivery just now')
  await shell.runCommand('go to templates')
  await expect(page.getByText('Order on its way')).toBeVisible()
  await shell.runCommand('go to contacts')
  await expect(page.getByText('60 contacts')).toBeVisible()
  expect(troubles).toEqual([])
})

test('shows a refused sign-in, keeps settings, and signs browsers out', async ({
  page,
  console,
  service,
}) => {
  const { username, password } = service.tenants[0]!
  const connect = connectPage(page)
  const shell = shellPage(page)
  await page.goto(console.url)
  await connect.fillPassword(service.baseUrl, username, `${password}x`)
  await connect.submit()
  await expect(page.getByRole('alert')).toContainText('Wrong user name or password')
  await expect(page.getByText('Saved connections')).toBeHidden()
  await connect.baseUrl.fill(service.baseUrl.replace('/v1', '/v9'))
  await connect.submit()
  await expect(page.getByRole('alert').first()).toBeVisible()
  await connect.fillPassword('http://192.0.2.1/v1', username, password)
  await connect.submit()
  await expect(connect.plainHttpHost).toBeFocused()
  await connect.fillPassword(service.baseUrl, username, password)
  await page.getByText('Destructive actions ask').click()
  await connect.submit()
  await expect(shell.heading).toHaveText('Overview')

  await shell.openConnectionMenu()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await shell.dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Sign in' }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText(username)).toBeVisible()
  await connect.password.fill(password)
  await connect.submit()
  await expect(shell.status).toContainText('Signed in')
  // The router ignores an address set before the page is shown.
  await expect(shell.heading).toHaveText('Overview')

  const settings = settingsPage(page)
  await page.goto(`${console.origin}/#/settings?section=listener`)
  await expect(settings.block('Listener')).toContainText('Listening')
  const taken = new URL(service.baseUrl).port
  const port = page.getByLabel('Port')
  await port.fill('99999')
  await expect(port).toHaveAccessibleDescription('Enter a port from 1 to 65535')
  await expect(settings.place('Apply')).toBeDisabled()
  await port.fill(taken)
  await expect(port).toHaveAccessibleDescription('')
  await port.press('Enter')
  await expect(page.getByText(`The listener couldn’t move to 127.0.0.1, port ${taken}`).first()).toBeVisible()
  await expect(page.getByText('another program uses this port').first()).toBeVisible()
  await settings.place('Discard changes').click()
  await expect(settings.block('Listener')).toContainText('Listening')

  await page.goto(`${console.origin}/#/settings?section=field-names`)
  await settings.button('Edit Error code search parameter').click()
  const parameter = page.getByRole('textbox', { name: 'Parameter' })
  await parameter.fill('not a name')
  await settings.button('Save').click()
  await expect(page.getByRole('alert').filter({ hasText: 'INVALID_INPUT' })).toBeVisible()
  await expect(parameter).toHaveValue('not a name')
  await parameter.fill('query')
  await settings.button('Save').click()
  await expect(settings.row('Error code search parameter')).toContainText('Set manually')
  expect((await console.rpc.settings.getFieldNames()).errorCodeSearchParameter).toEqual({
    value: 'query',
    provenance: 'set by hand',
  })
  await settings.button('Reset all…').click()
  await settings.dialog.getByRole('button', { name: 'Reset' }).click()
  await expect(settings.row('Error code search parameter')).toContainText('Assumed')

  await page.goto(`${console.origin}/#/settings?section=appearance`)
  await page.getByText('Dark', { exact: true }).click()
  await expect(page.locator('html')).toHaveAttribute('data-scheme', 'dark')
  await expect.poll(async () => (await console.rpc.settings.getAppearance()).theme).toBe('dark')

  await page.goto(`${console.origin}/#/settings?section=connections`)
  await page.getByRole('button', { name: /^Edit / }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Acme')
  await settings.button('Save').click()
  await expect(settings.row('Acme')).toContainText('Production')
  await page.goto(`${console.origin}/#/settings?section=browsers`)
  const browsers = page.getByRole('row').filter({ has: page.getByRole('button') })
  await expect(browsers).toHaveCount(2)
  await expect(browsers.first()).toContainText(/Chrome.*This browser/)
  await browsers.nth(1).getByRole('button', { name: 'Sign out Unknown browser' }).click()
  await expect(browsers).toHaveCount(1)
  const headers = { cookie: console.cookie, 'sec-fetch-site': 'same-origin' }
  expect((await fetch(`${console.origin}/session`, { headers })).status).toBe(401)

  await page.goto(`${console.origin}/#/settings?section=connections`)
  await settings.button('More for Acme').click()
  await settings.button('Remove Acme').click()
  await settings.dialog.getByRole('textbox').fill('acme')
  await expect(settings.dialog.getByRole('button', { name: 'Remove', exact: true })).toBeDisabled()
  await settings.dialog.getByRole('textbox').fill('Acme')
  await settings.dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(connect.heading).toBeVisible()
  await expect(page.getByText('Saved connections')).toBeHidden()
})

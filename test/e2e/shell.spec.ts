import type { Locator, Page } from '@playwright/test'
import type { AppError } from '#contract/errors.ts'
import type { ErrorView } from '#contract/define.ts'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import { startScriptedCore } from '../helpers/scripted-core.ts'
import { createBroadcast } from '../helpers/scripted/broadcast.ts'
import { idleDrain, outboxCounts } from '../helpers/scripted/outbox.ts'
import { contactsPage } from './pages/contacts-page.ts'
import { outboxPage } from './pages/outbox-page.ts'
import { overviewPage } from './pages/overview-page.ts'
import { shellPage } from './pages/shell-page.ts'
import {
  expect,
  expectAccessible,
  inputOf,
  inputsOf,
  type OpenCore,
  rendererDir,
  test,
} from './scripted-console.ts'

function view(...[code, data = {}]: ConstructorParameters<typeof AppError>): ErrorView {
  return { code, acted: 'no', data }
}

/** Opens the shell on its first page. */
async function openShell(page: Page, core: OpenCore) {
  await core.open('/overview')
  return shellPage(page)
}

test('lists the existing pages, and names the active connection at every width', async ({ page, core }) => {
  core.setStatus({ unreadConversations: 0 })
  const shell = await openShell(page, core)
  const names =
    'Overview, Live events, Inbox, Campaigns, Messages, Templates, Scheduled, Outbox, Contacts, Do not contact, Analytics, Error codes, Webhooks, Team, Settings'
  await expect(shell.navigation.getByRole('link')).toHaveText(names.split(', '))
  await shell.navigation.getByRole('link', { name: 'Settings' }).click()
  await expect(shell.heading).toHaveText('Settings')
  await expect(page).toHaveTitle('Settings · Acme production · Switchboard')
  for (const width of [1440, 900, 560]) {
    await page.setViewportSize({ width, height: 700 })
    await expect(page.getByText('Acme production').filter({ visible: true }).first()).toBeVisible()
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    await expect.poll(overflow).toBe(0)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await shell.openConnectionMenu()
  // The saved connections arrive after the first paint; before that, the first entry is another.
  await expect(page.locator('[popover]').getByRole('button', { name: 'Acme staging' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('[popover] button').first()).toBeFocused()
  await shell.chooseConnection('Acme staging')
  await expect(page.getByRole('button', { name: /^Connection.*Acme staging/ })).toBeVisible()
})

test('shows the state of everything in the status bar', async ({ page, core }) => {
  const shell = await openShell(page, core)
  await expect(shell.status).toContainText('Listening')
  await expect(shell.status).toContainText('http://127.0.0.1:8787/webhooks')
  await expect(shell.status).toContainText('105 requests left')
  await expect(shell.status).toContainText('(64 by Switchboard, 31 by others)')
  core.setStatus({ projectionLag: 140 })
  await expect(shell.status).toContainText('140 pending')
  core.setStatus({ projectionLag: 12 })
  await expect(shell.status).not.toContainText('pending')
  await expect(shell.status).toContainText(/resets in [12]\d s/)
  await expect(page.getByRole('meter', { name: 'Requests left this minute' })).toHaveAttribute(
    'aria-valuenow',
    '105',
  )
  await expect(shell.status).toContainText('Signed in')
  await expect(shell.status).toContainText('1,204,518 stored events')

  core.setStatus({
    secrets: { kind: 'memory', problem: view('KEYCHAIN_LOCKED') },
    budget: {
      ...ordinaryStatus().budget!,
      pausedUntil: new Date(Date.now() + 12_000).toISOString(),
      remaining: 0,
    },
    listener: {
      ...ordinaryStatus().listener,
      state: 'failed',
      url: null,
      problem: view('PORT_TAKEN', { port: 8787 }),
    },
  })
  await expect(shell.status).toContainText('Secrets in memory only')
  await expect(shell.status).toContainText(/Rate limited for 1[0-3] s/)
  await expect(shell.status).toContainText('Not listening')
})

test('shows an expired sign-in once on every page, and leads to signing in again', async ({ page, core }) => {
  const problem = { code: 'SESSION_EXPIRED', acted: 'no' as const, data: {} }
  const drain = createBroadcast(
    idleDrain({ state: 'signed-out', problem, counts: outboxCounts({ queued: 2 }) }),
  )
  core.change({ outbox: { watch: (_input, signal) => drain.watch(signal) } })
  core.fail('overview.get', 'SESSION_EXPIRED')
  const shell = shellPage(page)
  const { sending } = outboxPage(page)
  await core.open('/outbox')
  await expect(sending.getByRole('link', { name: 'Sign in' })).toBeVisible()
  core.setStatus({ session: { state: 'expired', problem: null, endsAt: null } })
  await expect(page.getByText('Requests unknown')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  await expect(sending).toHaveText('Sign-in needed')
  await expect(page.getByText(/sign in/i)).toHaveCount(2)
  await core.open('/overview')
  await expect(overviewPage(page).figure('Messages today')).toHaveText('–')
  await expect(page.getByRole('alert').filter({ hasText: 'SESSION_EXPIRED' })).toHaveCount(1)
  await core.open('/settings')
  await expect(shell.heading).toHaveText('Settings')
  await expect(shell.notice('SESSION_EXPIRED')).toContainText('Queued work and stored events are kept')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Connect to a service' })).toBeVisible()
  await expect(page.getByText('API key · https://api.messaging.example/v1')).toBeVisible()
  await page.keyboard.type('key-1')
  await page.keyboard.press('Enter')
  await expect(shell.heading).toHaveText('Settings')
})

test('shows an unreachable service until it responds again, then a page that waits for the rate limit', async ({
  page,
  core,
}) => {
  core.setStatus({
    network: {
      reachable: false,
      lastAnswerAt: new Date(Date.now() - 400_000).toISOString(),
      problem: view('SERVICE_UNREACHABLE', { host: 'api.messaging.example', detail: 'ECONNREFUSED' }),
    },
  })
  await core.open('/contacts')
  const shell = shellPage(page)
  await expect(shell.notice('SERVICE_UNREACHABLE')).toContainText('Local data isn’t affected')
  await expect(shell.notice('SERVICE_UNREACHABLE').getByRole('button', { name: 'Retry' })).toBeVisible()
  const topOf = async (part: Locator) => (await part.boundingBox())!.y
  expect(await topOf(shell.notice('SERVICE_UNREACHABLE'))).toBeLessThan(await topOf(shell.heading))
  await expect(shell.status).toContainText('Service unreachable · last response 6 min ago')
  core.setStatus({ network: ordinaryStatus().network })
  await expect(shell.notice('SERVICE_UNREACHABLE')).toBeHidden()

  core.change({ campaigns: { list: () => new Promise(() => {}) } })
  const budget = {
    ...ordinaryStatus().budget!,
    pausedUntil: new Date(Date.now() + 42_000).toISOString(),
    queued: { operator: 0, live: 0, bulk: 3 },
  }
  core.setStatus({ budget })
  await core.open('/campaigns')
  const loading = page.getByRole('status', { name: 'Loading campaigns' })
  await expect(loading).toBeVisible()
  await expect(shell.status).toContainText('3 waiting')
  await expect(loading).not.toContainText('rate limit')
  core.setStatus({ budget: { ...budget, queued: { operator: 0, live: 1, bulk: 3 } } })
  await expect(loading).toContainText(/Waiting for the rate limit: [34]\d s left/)
})

test('shows a lost connection to the core, and recovers automatically', async ({ page, core }) => {
  const shell = await openShell(page, core)
  await expect(shell.status).toContainText('1,204,518 stored events')
  await expect(page.getByRole('region', { name: 'Running campaigns' })).toContainText('Updates every')
  await expect(page.getByRole('region', { name: 'Gaps' })).toContainText('last 7 days')
  core.unplug()
  await expect(shell.notice('DISCONNECTED')).toContainText('start it and open the new link')
  await expect(page.getByRole('alert').filter({ hasText: 'DISCONNECTED' })).toHaveCount(1)
  await expect(shell.status).toContainText('Last updated')
  for (const unknown of ['Listener unknown', 'Requests unknown', 'Service unknown', 'Sign-in unknown']) {
    await expect(shell.status).toContainText(unknown)
  }
  // The page marks its data as old, and the navigation says that it is disconnected.
  await expect(page.getByRole('main').getByText(/Last updated/)).toHaveCount(2)
  await expect(page.getByRole('banner')).toContainText('Disconnected. Reconnecting…')
  await expectAccessible(page, 'html')
  core.plugIn()
  core.setStatus({ storedEvents: 1_204_999 })
  await expect(shell.notice('DISCONNECTED')).toBeHidden()
  await expect(shell.status).not.toContainText('Last updated')
  await expect(shell.status).toContainText('1,204,999 stored events')
  await expect(page.getByTestId('last-known')).toHaveCount(0)
  await expect(page.getByRole('banner')).not.toContainText('Disconnected')
})

test('says where to find the right address when the host rejects a window', async ({ page, troubles }) => {
  const core = await startScriptedCore({ rendererDir, admitted: false })
  await page.goto(core.url)
  await expect(page.getByText('Open the link from the terminal')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible()
  // A new link is pasted into this tab.
  const sent = page.waitForRequest((request) => request.postData() === '{"token":"a-new-one"}')
  await page.goto(`${new URL(core.url).origin}/#token=a-new-one`)
  await sent
  await core.stop()
  troubles.splice(0)
})

test('reaches pages and commands by keyboard', async ({ page, core }) => {
  const shell = await openShell(page, core)
  await expect(shell.heading).toHaveText('Overview')
  // Handled two seconds after it was pressed, as by a busy page.
  await page.evaluate(() => {
    const key = new KeyboardEvent('keydown', { key: 'g' })
    Object.defineProperty(key, 'timeStamp', { value: performance.now() - 2_000 })
    window.dispatchEvent(key)
  })
  await page.keyboard.press('s')
  await expect(shell.heading).toHaveText('Settings')
  await shell.runCommand('campaigns')
  await expect(shell.heading).toHaveText('Campaigns')
  // The palette takes all keys until it closes.
  await expect(shell.dialog).toBeHidden()
  await page.keyboard.press('?')
  await expect(shell.dialog).toContainText('Go to Overview')
  await page.keyboard.press('Escape')
  await expect(shell.dialog).toBeHidden()
  const { list } = core.day.script.contacts
  const waiting = Promise.withResolvers<null>()
  core.change({ contacts: { list: (...asked) => waiting.promise.then(() => list(...asked)) } })
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('qzx')
  await expect(shell.dialog).toContainText('Searching…')
  waiting.resolve(null)
  await expect(shell.dialog.getByRole('option', { name: 'Find “qzx”' }).first()).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(shell.dialog).toBeHidden()
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
})

test('reopens the last page with its filter, unless the address names another', async ({ page, core }) => {
  await core.open('/events')
  await page.getByRole('search').getByRole('button', { name: 'Type', exact: true }).click()
  await page.getByRole('button', { name: 'Inbound' }).click()
  const place = { path: '/events?kind=mo' }
  await expect.poll(() => inputOf(core, 'settings.setPlace')).toEqual(place)
  core.change({ settings: { getPlace: () => place } })
  await page.goto(core.url)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Live events')
  await expect(page.getByRole('button', { name: 'Type: Inbound' })).toBeVisible()
  await page.goto('about:blank')
  await core.open('/webhooks')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Webhooks')
})

test('saves no page that you decided not to leave for', async ({ page, core }) => {
  await page.clock.install()
  const saved = () => inputsOf(core, 'settings.setPlace')
  await core.open('/contacts')
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada')
  await page.getByRole('link', { name: 'Outbox' }).click()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.clock.runFor(1_000)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Inbox')
  await page.clock.runFor(1_000)
  await expect.poll(saved).toContainEqual({ path: '/inbox' })
  expect(saved()).not.toContainEqual({ path: '/outbox' })
})

test('keeps the focus and the page opened while the first or the saved one still loads', async ({
  page,
  core,
}) => {
  const saved = Promise.withResolvers<{ path: string }>()
  const code = Promise.withResolvers<unknown>()
  core.change({ settings: { getPlace: () => saved.promise } })
  const first = Promise.withResolvers<unknown>()
  for (const [view, { promise }] of [
    [/OverviewView.*\.js/, first],
    [/ErrorCodesView.*\.js/, code],
  ] as const)
    await page.route(view, async (route) => {
      await promise
      await route.continue()
    })
  await page.goto(core.url)
  const menu = page.getByRole('button', { name: /^Connection/ })
  await menu.focus()
  await expect(page.getByRole('main').getByRole('status', { name: 'Loading' })).toBeVisible()
  first.resolve(null)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await expect(menu).toBeFocused()
  const refreshed = () => core.calls.filter(({ name }) => name === 'overview.get').length
  const before = refreshed()
  await page.getByRole('link', { name: 'Error codes' }).click()
  // The page that is being left takes no keys.
  await page.keyboard.press('r')
  saved.resolve({ path: '/outbox' })
  code.resolve(null)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Error codes')
  await expect(page).toHaveURL(/#\/error-codes$/)
  expect(refreshed()).toBe(before)
})

test('shows a dialog at once, and takes keys at once after Escape', async ({ page, core }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await core.open('/contacts')
  await page.getByRole('grid').getByRole('row').nth(1).click()
  const details = page.getByRole('complementary', { name: 'Contact' })
  await expect(details).toBeVisible()
  const shell = shellPage(page)
  const places = page.evaluate(async () => {
    const seen = new Set<string>()
    for (let frames = 0; frames < 30;) {
      await new Promise(requestAnimationFrame)
      const box = document.querySelector('[role=dialog] button')?.getBoundingClientRect()
      if (box && ++frames) seen.add(JSON.stringify(box))
    }
    return seen.size
  })
  await page.keyboard.press('?')
  await expect(shell.dialog).toBeVisible()
  expect(await places, 'places of its button, which a press and its release must both hit').toBe(1)
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('j')
  // Not lost either once nothing of the dialog is left.
  await expect(shell.dialog).toHaveCount(0)
  await page.keyboard.type('o')
  await expect(contactsPage(page).search).toHaveValue('jo')
  // The Escape belonged to the dialog alone.
  await expect(details).toBeVisible()
})

test('is accessible with every problem, and in the shortcuts', async ({ page, core }) => {
  const status = ordinaryStatus()
  core.setStatus({
    session: { state: 'expired', problem: null, endsAt: null },
    network: { ...status.network, reachable: false, problem: view('SERVICE_TIMEOUT', { host: 'api' }) },
    secrets: { kind: 'memory', problem: view('KEYCHAIN_LOCKED') },
    listener: { ...status.listener, state: 'failed', url: null, withoutSecret: true, notStored: 2 },
    projectionLag: 40,
  })
  const shell = await openShell(page, core)
  await expect(shell.notice('SESSION_EXPIRED')).toBeVisible()
  await expectAccessible(page, 'html')
  await page.keyboard.press('?')
  await expect(shell.dialog).toContainText('Keyboard shortcuts')
  await expectAccessible(page)
})

test('lists notifications under the bell, most serious first', async ({ page, core }) => {
  const shell = await openShell(page, core)
  const notice = (id: number, severity: 'error' | 'warning') => ({
    id: `n${id}`,
    severity,
    error: view('SIGN_OUT_INCOMPLETE', { detail: `number ${id}` }),
  })
  core.setStatus({ notices: [notice(1, 'warning'), notice(2, 'error'), notice(3, 'warning')] })
  await expect(page.getByTestId('bell')).toHaveText('3 notifications3')
  await expect(page.getByRole('alert')).toHaveCount(0)
  const list = await shell.openNotifications()
  await expect(list.getByRole('alert').first()).toContainText('number 2')
  await list.getByRole('button', { name: 'Dismiss', exact: true }).first().click()
  await expect.poll(() => inputsOf(core, 'status.dismissNotice')).toEqual([{ id: 'n2' }])
  await expect(list.getByRole('alert')).toHaveCount(2)
  await list.getByRole('button', { name: 'Dismiss all' }).click()
  await expect(list).toContainText('No notifications')
})

import type { Page } from '@playwright/test'
import { ordinaryStatus } from '../helpers/scripted-answers.ts'
import {
  type OpenCore,
  expect,
  expectAccessible,
  inputOf,
  inputsOf,
  setVisibility,
  test,
} from './scripted-console.ts'

const rowOf = (page: Page) => page.getByRole('row', { name: /127\.0\.0\.1:8787\/webhooks/ })
const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'Subscription', exact: true })

test('shows the health of each subscription and a setup guide, by keyboard alone', async ({ page, core }) => {
  await core.open('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await expect(page.getByRole('heading', { name: 'Webhooks' })).toBeVisible()
  await expect(rowOf(page)).toContainText('This listener')
  await expect(rowOf(page)).toContainText('1,204')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(drawerOf(page)).toContainText(/1,204 events since \d\d/)
  await page.getByRole('link', { name: 'Setup guide' }).click()
  await expect(page.getByText('proxy_pass http://127.0.0.1:8787')).toBeVisible()
})

const toListener = {
  url: 'http://127.0.0.1:8787/webhooks',
  events: ['dlr', 'mo'],
  receiver: 'here',
  secret: { kind: 'generate' },
  evenIfFits: true,
}

/** Opens the form although a fitting subscription exists. */
async function another(page: Page): Promise<void> {
  await page.keyboard.press('n')
  await page.getByRole('button', { name: 'Add another' }).click()
}

/** Makes the list wait, once it was read. Returns its end. */
function holdList(core: OpenCore): () => void {
  const { list } = core.day.script.webhooks
  core.change({ webhooks: { list: () => new Promise(() => {}) } })
  return () => core.change({ webhooks: { list } })
}

test('subscribes the listener’s own address unless you type another', async ({ page, core }) => {
  await core.open('/webhooks')
  await expect(rowOf(page)).toBeVisible()
  await another(page)
  await expect(page.getByLabel('Delivery URL')).toBeFocused()
  await expect(page.getByText('A new secret is stored in the keychain and never shown.')).toBeVisible()
  const readings = () => inputsOf(core, 'webhooks.list').length
  const before = readings()
  const field = page.getByLabel('Delivery URL')
  const own = await field.inputValue()
  await field.fill('hooks.example.com')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAccessibleDescription(/This is not a URL\./)
  await expect(field).toBeFocused()
  await field.fill(own)
  const endWait = holdList(core)
  await page.keyboard.press('Enter')
  await expect.poll(() => inputOf(core, 'webhooks.subscribe')).toEqual(toListener)
  await expect(page.getByLabel('Delivery URL')).toBeHidden()
  await expect(rowOf(page)).toHaveCount(2)
  await expect(drawerOf(page)).toContainText('wh-3')
  await expect(drawerOf(page)).toBeFocused()
  await expect.poll(readings).toBe(before + 1)
  endWait()
  core.setStatus({ secrets: { kind: 'memory', problem: null } })
  await page.reload()
  await expect(rowOf(page)).toBeVisible()
  await another(page)
  await expect(page.getByText('A new secret is kept in memory until you quit')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeEnabled()
  await page.getByText('Use my own').click()
  await expect(page.getByText('kept in memory until Switchboard quits')).toBeVisible()
  await page.getByLabel('Delivery URL').fill('https://hooks.example.com/a')
  await page.getByLabel('Secret', { exact: true }).fill('mine')
  await page.keyboard.press('Enter')
  await expect
    .poll(() => inputOf(core, 'webhooks.subscribe'))
    .toEqual({
      ...toListener,
      url: 'https://hooks.example.com/a',
      secret: { kind: 'own', value: 'mine' },
      evenIfFits: false,
    })
})

test('lists a new subscription although you left the page before it was made', async ({ page, core }) => {
  const { subscribe } = core.day.script.webhooks
  const made = Promise.withResolvers<undefined>()
  core.change({ webhooks: { subscribe: async (...asked) => made.promise.then(() => subscribe(...asked)) } })
  await core.open('/webhooks')
  await expect(rowOf(page)).toBeVisible()
  await another(page)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await page.getByRole('link', { name: 'Templates' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Templates')
  const readings = () => inputsOf(core, 'webhooks.list').length
  const before = readings()
  holdList(core)
  made.resolve(undefined)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await expect(rowOf(page)).toHaveCount(2)
  await expect.poll(readings).toBe(before + 1)
})

test('subscribes another receiver to single events and shows its secret once', async ({ page, core }) => {
  await core.open('/webhooks')
  await expect(rowOf(page)).toBeVisible()
  await another(page)
  await page.getByText('Another receiver').click()
  await expect(page.getByRole('button', { name: 'Subscribe', exact: true })).toBeDisabled()
  await page.getByLabel('Delivery URL').fill('https://crm.example.com/hooks')
  await page.getByText('Delivery reports (dlr)').click()
  await page.getByRole('combobox', { name: 'Individual events' }).click()
  await page.getByRole('option', { name: 'message.failed' }).click()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click()
  await expect(page.getByTestId('secret-shown')).toContainText('scripted-secret')
  expect(inputOf(core, 'webhooks.subscribe')).toEqual({
    ...toListener,
    url: 'https://crm.example.com/hooks',
    events: ['mo', 'message.failed'],
    receiver: 'elsewhere',
    evenIfFits: false,
  })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('scripted-secret')).toBeHidden()
})

test('shows a fitting subscription first, also when only the service knows it', async ({ page, core }) => {
  const { subscribe } = core.day.script.webhooks
  core.change({
    webhooks: {
      subscribe: async (order, signal) => ({
        ...(await subscribe(order, signal)),
        outcome: order.evenIfFits ? 'created' : 'fits',
      }),
    },
  })
  await core.open('/webhooks')
  await expect(rowOf(page)).toBeVisible()
  await page.getByRole('button', { name: 'New subscription' }).press('Enter')
  const drawer = page.getByRole('complementary', { name: 'New subscription' })
  await expect(drawer.locator(':focus'), 'the keyboard goes on in the drawer').toHaveCount(1)
  const fits = page.getByRole('region', { name: 'Already subscribed' })
  await expect(fits).toContainText('wh-2')
  await expect(page.getByLabel('Delivery URL')).toBeHidden()
  await fits.getByRole('button', { name: 'Add another' }).click()
  const form = page.getByRole('form', { name: 'New subscription' })
  await expect(form.getByLabel('Delivery URL')).toHaveValue(toListener.url)
  await form.getByLabel('Delivery URL').fill('https://hooks.example.com/a')
  await form.getByText('None', { exact: true }).click()
  await expect(form).toContainText('The listener rejects them unless Settings allow it.')
  await form.getByText('Use my own').click()
  const subscribeButton = form.getByRole('button', { name: 'Subscribe', exact: true })
  await expect(subscribeButton).toBeDisabled()
  await form.getByLabel('Secret', { exact: true }).fill('typed')
  await subscribeButton.click()
  await expect(fits).toContainText('wh-3')
  await fits.getByRole('button', { name: 'Add another' }).click()
  await expect(form.getByLabel('Secret', { exact: true })).toHaveValue('typed')
  await subscribeButton.click()
  await expect
    .poll(() => inputOf(core, 'webhooks.subscribe'))
    .toEqual({ ...toListener, url: 'https://hooks.example.com/a', secret: { kind: 'own', value: 'typed' } })
  await expect(form).toBeHidden()
})

test('names the failed hop, keeps the result, and warns when a test may have matched an ordinary event', async ({
  page,
  core,
}) => {
  core.change({
    webhooks: {
      roundTrip: ({ family }) => ({
        family,
        verdict: 'failed',
        hops: [
          { name: 'subscription', state: 'ok', text: 'It delivers dlr and mo.' },
          { name: 'listener', state: 'ok', text: 'This console listens.' },
          { name: 'service', state: 'ok', text: 'The service accepted the test.' },
          { name: 'network', state: 'failed', text: 'Nothing reached Switchboard within 8 s.' },
          { name: 'signature', state: 'not-reached', text: 'The test did not get this far.' },
          { name: 'storage', state: 'not-reached', text: 'The test did not get this far.' },
          { name: 'parser', state: 'not-reached', text: 'The test did not get this far.' },
        ],
        tookMs: null,
        maybeOrdinary: false,
        seq: null,
        asOf: new Date().toISOString(),
      }),
    },
  })
  await core.open('/webhooks')
  await rowOf(page).click()
  const drawer = drawerOf(page)
  await drawer.getByRole('button', { name: /^Test a report/ }).click()
  await expect(drawer).toContainText('dlr test failed: Network')
  await expect(drawer).toContainText('Nothing reached Switchboard within 8 s.')
  await expectAccessible(page)
  await page.keyboard.press('r')
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(drawer).toContainText('dlr test failed: Network')

  core.extend('webhooks.roundTrip', { maybeOrdinary: true })
  await drawer.getByRole('button', { name: /^Test a report/ }).click()
  await expect(drawer.locator('strong')).toHaveText(
    'dlr test probably passed. The event may be an ordinary one.',
  )
})

test('refreshes the list once a minute, not while offline, and shows its age', async ({ page, core }) => {
  await page.clock.install()
  const { list } = core.day.script.webhooks
  const beganMs = Date.now()
  let reading = 0
  core.change({
    webhooks: {
      list: async (...asked) => {
        const { subscriptions } = await list(...asked)
        const asOf = new Date(beganMs + reading * 60_000).toISOString()
        const arrived = { count: ++reading, lastAt: asOf, since: asOf }
        return {
          subscriptions: subscriptions.map((one) => ({ ...one, arrived })),
          freshness: { asOf, source: 'live', error: null },
        }
      },
    },
  })
  const readings = () => inputsOf(core, 'webhooks.list')
  await core.open('/webhooks')
  await expect(rowOf(page)).toContainText('OK1')
  await expect(page.getByText('Updates every 1 min')).toBeVisible()
  await page.clock.runFor(50_000)
  await expect(page.getByText(/Updated 5\d s ago/)).toBeVisible()
  expect(readings()).toEqual([undefined])
  await page.clock.runFor(12_000)
  await expect(rowOf(page)).toContainText('OK2')
  expect(readings()).toEqual([undefined, { background: true }])

  const { network } = ordinaryStatus()
  core.setStatus({ network: { ...network, reachable: false } })
  await expect(page.getByText('Paused while offline')).toBeVisible()
  await page.clock.runFor(180_000)
  expect(readings()).toHaveLength(2)

  // A hidden window has no clock; shown again, it has the right time at once.
  await expect(page.getByText('Updated 3 min ago')).toBeVisible()
  await setVisibility(page, 'hidden')
  await page.clock.runFor(120_000)
  await expect(page.getByText('Updated 3 min ago')).toBeVisible()
  await setVisibility(page, 'visible')
  await expect(page.getByText('Updated 5 min ago')).toBeVisible()
  core.setStatus({ network })
  await expect(rowOf(page)).toContainText('OK3')
  expect(readings()).toHaveLength(3)
})
